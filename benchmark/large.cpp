// Large published networks against CVODE + KLU (COLAMD) on the optimised builds, same f and J,
// rtol 1e-6 and atol 1e-8 on both sides, in turn. Prints Markdown.
//   large [--only NAME] [--methods A,B] [--rounds N] [--threads N] [--no-cvode] [--no-errors]
// Times are seconds of the clock and of the processor (all threads of this process), the smaller
// of the rounds each; errors are those of all states at 200 outputs against a tight BDF, as
// |y - ref| / (|ref| + 1e-3 max over time |ref|).
// SPDX-License-Identifier: Apache-2.0
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/diagnostic.h"
#include "base/inner_threads.h"
#include "competitors.h"
#include "io/bng/read_bng.h"
#include "ode/simulate.h"
#include "symbolic/system.h"

namespace {

using namespace stiffit::internal;
using namespace stiffit::internal::benchmark;

constexpr double relative = 1e-6, absolute = 1e-8;
constexpr int outputs = 200;

struct Network {
  const char* name;
  double end;
  double target;  // ratio asked for
};
constexpr Network networks[] = {{"egfr_net", 10, 4}, {"bcr", 20000, 5}, {"fceri_gamma2", 150, 20}};

struct Options {
  std::string only;
  std::vector<std::string> methods{"bdf", "rodas5p", "automatic"};
  int rounds = 3;
  int threads = 1;
  bool cvode = true, errors = true;
};

double seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

struct Side {
  std::string name;
  double wall = INFINITY, processor = INFINITY, error = NAN;
  Counters counters;
  std::string note;
  std::vector<double> states;

  template <class Run>
  void time(Run run) {
    const double begin = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);
    run();
    processor = std::min(processor, seconds(CLOCK_PROCESS_CPUTIME_ID) - used);
    wall = std::min(wall, seconds(CLOCK_MONOTONIC) - begin);
  }
};

// Absolute tolerances are given as sizes of states there.
std::unique_ptr<Competitor> make_cvode(const Problem& problem, const Request& request) {
  const std::vector<double> sizes(std::size_t(problem.program->states), absolute / relative);
  return make_cvodes(problem, request, CvodesBuild::o3, CvodesSolver::klu_colamd, relative, 1,
                     sizes);
}

IntegrationOptions options_for(const std::string& method, double rtol, double a) {
  IntegrationOptions options;
  options.method = method;
  options.rtol = rtol;
  options.atol = a;
  return options;
}

Model read_network(const std::string& name) {
  std::ifstream file(STIFFIT_SHARED_DIR "/scale/" + name + ".net");
  if (!file) throw std::runtime_error(name + ".net is not there");
  std::stringstream text;
  text << file.rdbuf();
  auto source = std::make_shared<Source>(name, text.str());
  Diagnostics diagnostics(source);
  auto model = read_bng(source, diagnostics);
  if (!model) throw std::runtime_error(render(diagnostics));
  return std::move(*model);
}

double error_of(const std::vector<double>& states, const std::vector<double>& reference,
                std::size_t n) {
  std::vector<double> largest(n);
  for (std::size_t i = 0; i < reference.size(); ++i)
    largest[i % n] = std::max(largest[i % n], std::fabs(reference[i]));
  double worst = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    // What never rises above the absolute tolerance was not asked for.
    const double allowed = std::fabs(reference[i]) + 1e-3 * largest[i % n] + absolute / relative;
    worst = std::max(worst, std::fabs(states[i] - reference[i]) / allowed);
  }
  return worst;
}

void compare(const Network& network, const Options& options) {
  const double begin = seconds(CLOCK_PROCESS_CPUTIME_ID);
  auto model = std::make_shared<const Model>(read_network(network.name));
  ResolvedSystem resolved = resolve(model);
  const double loaded = seconds(CLOCK_PROCESS_CPUTIME_ID);
  Problem problem = make_problem(compile(resolved.system, resolved.columns, {}));
  const double compiled = seconds(CLOCK_PROCESS_CPUTIME_ID);
  std::printf(
      "\n## %s, 0 .. %g\n\n%d species, %zu reactions, %d non-zeros in J, %ld in L + U, "
      "%.3g Mflop; loaded in %.2f s, compiled in %.2f s\n\n",
      network.name, network.end, problem.program->states, resolved.system.rates.size(),
      problem.program->pattern.nonzeros(), problem.linear->fill(), problem.linear->flops() * 1e-6,
      loaded - begin, compiled - loaded);
  std::fflush(stdout);
  Request request;
  for (int i = 1; i <= outputs; ++i) request.times.push_back(network.end * i / outputs);

  std::vector<Side> ours(options.methods.size());
  Side theirs;
  theirs.name = "CVODE";
  std::vector<std::unique_ptr<Simulator>> simulators;
  for (std::size_t k = 0; k < ours.size(); ++k) {
    ours[k].name = options.methods[k];
    IntegrationOptions settings = options_for(options.methods[k], relative, absolute);
    simulators.push_back(std::make_unique<Simulator>(problem, settings));
  }
  std::unique_ptr<Competitor> cvode;
  if (options.cvode) cvode = make_cvode(problem, request);
  double spent = 0;
  const InnerThreads threads(options.threads);
  for (int round = 0; round < options.rounds && (round == 0 || spent < 60); ++round) {
    const double from = seconds(CLOCK_MONOTONIC);
    for (std::size_t k = 0; k < ours.size(); ++k) {
      Trajectory result;
      ours[k].time([&] { simulators[k]->run(request, result); });
      if (result.outcome.status != Status::done)
        throw std::runtime_error(describe(result.outcome, problem.program->state_names));
      ours[k].states = result.states;
      ours[k].counters = result.outcome.counters;
      ours[k].note = result.outcome.used;
    }
    if (cvode) {
      RunResult result;
      theirs.time([&] { result = cvode->run(theirs.states); });
      if (!result.done) throw std::runtime_error("CVODE failed");
      theirs.counters = result.counters;
    }
    spent += seconds(CLOCK_MONOTONIC) - from;
  }
  if (options.errors) {
    const Trajectory reference = simulate(problem, request, options_for("bdf", 1e-9, 1e-11));
    const auto n = std::size_t(problem.program->states);
    for (Side& side : ours) side.error = error_of(side.states, reference.states, n);
    if (cvode) theirs.error = error_of(theirs.states, reference.states, n);
  }
  std::printf(
      "| | s (processor) | s (clock) | steps | rejected | f | J | LU | Newton | error | "
      "CVODE / ours |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
  auto print = [&](const Side& side) {
    const Counters& c = side.counters;
    std::printf("| %s%s%s | %.4g | %.4g | %ld | %ld | %ld | %ld | %ld | %ld | %.1e | %.1f |\n",
                side.name.c_str(), side.note.empty() ? "" : ": ", side.note.c_str(), side.processor,
                side.wall, c.steps, c.rejected, c.f, c.j, c.lu, c.newton, side.error,
                theirs.processor / side.processor);
  };
  for (const Side& side : ours) print(side);
  if (cvode) print(theirs);
  std::printf("\nasked for: at least %g\n", network.target);
  std::fflush(stdout);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts{""};
  for (char c : text) c == ',' ? (void)parts.emplace_back() : parts.back().push_back(c);
  return parts;
}

Options read_options(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    auto value = [&] {
      if (++i == count) throw std::invalid_argument(word + " needs a value");
      return std::string(words[i]);
    };
    if (word == "--only")
      options.only = value();
    else if (word == "--methods")
      options.methods = split(value());
    else if (word == "--rounds")
      options.rounds = std::stoi(value());
    else if (word == "--threads")
      options.threads = std::stoi(value());
    else if (word == "--no-cvode")
      options.cvode = false;
    else if (word == "--no-errors")
      options.errors = false;
    else
      throw std::invalid_argument("unknown option " + word);
  }
  return options;
}

}  // namespace

int main(int count, char** words) {
  try {
    const Options options = read_options(count, words);
    std::printf("# Large networks, rtol %g, atol %g\n", relative, absolute);
    for (const Network& network : networks)
      if (std::string(network.name).find(options.only) != std::string::npos)
        compare(network, options);
  } catch (const std::exception& trouble) {
    std::fprintf(stderr, "large: %s\n", trouble.what());
    return 1;
  }
}
