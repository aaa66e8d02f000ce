// SPDX-License-Identifier: Apache-2.0
#include "problems.h"

#include <time.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "io/bng/read_bng.h"
#include "io/text/read_text.h"
#include "model/library/generated_network.h"
#include "model/library/library.h"

namespace stiffit::internal::benchmark {
namespace {

constexpr double small_share = 1e-3;  // of a state's maximum, below which errors count absolutely

template <class Read>
Model read_with(Read read, std::string name, std::string text) {
  auto source = std::make_shared<Source>(std::move(name), std::move(text));
  Diagnostics diagnostics(source);
  auto model = read(source, diagnostics);
  if (!model) throw InputError(render(diagnostics));
  return std::move(*model);
}

Model text_model(std::string name, std::string text) {
  return read_with([](auto& source, auto& d) { return read_text(source, d); }, std::move(name),
                   std::move(text));
}

Model oregonator() { return library_model("oregonator"); }
Model oregonator_oscillating() {
  std::string text(find_library_model("oregonator")->text);
  const std::string from = "f = 0.3";
  text.replace(text.find(from), from.size(), "f = 0.66666666666666663");
  return text_model("oregonator f=2/3", std::move(text));
}
Model robertson() { return library_model("robertson"); }
Model water() { return library_model("water-stiff"); }
Model repressilator() { return library_model("repressilator"); }
Model network_40() { return text_model("network-40", generated_benchmark_network(40)); }
Model network_500() { return text_model("network-500", generated_benchmark_network(500)); }
Model egfr() {
  std::ifstream file(STIFFIT_SHARED_DIR "/scale/egfr_net.net");
  if (!file) throw InputError("egfr_net.net is not there");
  std::stringstream text;
  text << file.rdbuf();
  return read_with([](auto& source, auto& d) { return read_bng(source, d); }, "egfr_net.net",
                   text.str());
}

// Processor time of this thread: page faults count, other work on the machine does not.
class Watch {
 public:
  double lap() {
    const double now = milliseconds(), spent = now - last_;
    last_ = now;
    return spent;
  }

 private:
  static double milliseconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * double(now.tv_sec) + 1e-6 * double(now.tv_nsec);
  }
  double last_ = milliseconds();
};

}  // namespace

const std::vector<ProblemSpec>& problem_specs() {
  static const std::vector<ProblemSpec> specs{
      {"oregonator f=0.3", "small", oregonator, not_set, false},
      {"oregonator f=2/3", "small", oregonator_oscillating, not_set, false},
      {"robertson", "small", robertson, not_set, true},
      {"water-stiff", "small", water, not_set, true},
      {"repressilator", "small", repressilator, not_set, false},
      {"network-40", "small", network_40, not_set, true},
      {"network-500", "large", network_500, not_set, true},
      {"egfr_net", "reported", egfr, 120, false},
  };
  return specs;
}

Model library_model(std::string_view name) {
  const LibraryModel* found = find_library_model(name);
  if (!found) throw std::logic_error("no such library model");
  return text_model(std::string(name), std::string(found->text));
}

Problem build(const ProblemSpec& spec, int lanes, BuildTimes* times) {
  Watch watch;
  Model model = spec.model();
  const double read = watch.lap();
  Problem problem = build_model(std::move(model), lanes, times);
  if (times) times->read = read;
  return problem;
}

Problem build_model(Model read_model, int lanes, BuildTimes* times) {
  Watch watch;
  auto model = std::make_shared<const Model>(std::move(read_model));
  ResolvedSystem resolved = resolve(model);
  const double resolving = watch.lap();
  ProgramOptions options;
  options.lanes = lanes;
  auto program = compile(resolved.system, resolved.columns, options);
  const double compiling = watch.lap();
  Problem problem = make_problem(std::move(program));
  if (times) *times = {0, resolving, compiling, watch.lap()};
  return problem;
}

double end_of(const ProblemSpec& spec) {
  return std::isnan(spec.end) ? spec.model().end_time : spec.end;
}

Request request_of(const ProblemSpec& spec, double end) {
  Request request;
  for (int i = 1; i <= output_count; ++i) {
    const double share = double(i) / output_count;
    request.times.push_back(spec.logarithmic ? end * std::pow(10.0, 6 * (share - 1)) : end * share);
  }
  return request;
}

double Reference::error(const std::vector<double>& other) const {
  double worst = 0;
  const std::size_t n = largest.size();
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (largest[i % n] == 0) continue;
    const double allowed = std::fabs(states[i]) + small_share * largest[i % n];
    const double share = std::fabs(other[i] - states[i]) / allowed;
    if (!(share <= worst)) worst = share;
    if (std::isnan(worst)) return worst;
  }
  return worst;
}

}  // namespace stiffit::internal::benchmark
