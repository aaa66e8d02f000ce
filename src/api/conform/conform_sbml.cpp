// SPDX-License-Identifier: Apache-2.0
#include "api/conform/conform_sbml.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>

#include "analysis/fba/solve_flux_balance.h"
#include "api/conform/sbml_suite_case.h"
#include "base/cpu_clock.h"
#include "base/diagnostic.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "base/threads.h"
#include "io/sbml/read_sbml.h"
#include "ode/simulate.h"
#include "symbolic/resolve_run.h"

namespace stiffit::internal {

namespace {

namespace fs = std::filesystem;

class Clock {
 public:
  double lap() {
    const double now = thread_cpu_seconds(), seconds = now - last_;
    last_ = now;
    return seconds;
  }

 private:
  double last_ = thread_cpu_seconds();
};

// What the reader says of an external model definition whose file is not there.
constexpr const char* external_file_missing = "there is no such file in the model's folder";

std::string first_line(const std::string& text) {
  return text.substr(0, std::min(text.find('\n'), text.size()));
}

bool contains(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

std::shared_ptr<const Model> load(const std::string& path, double& parse) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  auto source = std::make_shared<const Source>(path, text.str());
  Diagnostics diagnostics(source);
  // A suite of links is a suite too: what a model refers to lies beside the model itself.
  const fs::path folder = fs::weakly_canonical(path).parent_path();
  auto model = read_sbml(source, diagnostics, folder.string(), {}, &parse);
  if (!model) throw InputError(render(diagnostics));
  return std::make_shared<const Model>(std::move(*model));
}

// What the case means by a name.
std::vector<Output> wanted_outputs(ResolvedSystem& resolved, const SbmlSuiteCase& c) {
  std::vector<Output> outputs;
  for (const std::string& name : c.columns) {
    std::optional<Output> found;
    if (contains(c.concentrations, name)) found = resolved.find("[" + name + "]");
    if (!found && contains(c.amounts, name)) found = resolved.find("amount(" + name + ")");
    if (!found) found = resolved.find(name);
    if (!found) throw InputError("error: the model has no '" + name + "'\n");
    outputs.push_back(*found);
  }
  return outputs;
}

bool agrees(double got, double expected, const SbmlSuiteCase& c) {
  if (std::isnan(expected)) return std::isnan(got);
  if (std::isinf(expected)) return got == expected;
  return std::fabs(got - expected) <= c.absolute + c.relative * std::fabs(expected);
}

// The first value that is wrong, in words; empty if all are right.
std::string first_difference(const Trajectory& trajectory, const SbmlSuiteCase& c) {
  const std::size_t width = c.columns.size();
  for (std::size_t row = 0; row < c.expected.size(); ++row)
    for (std::size_t k = 0; k < width; ++k) {
      double got = trajectory.outputs[row * width + k], expected = c.expected[row][k];
      if (!agrees(got, expected, c))
        return c.columns[k] + " at time " + format_number(c.times[row]) + " is " +
               format_number(got) + ", expected " + format_number(expected);
    }
  return {};
}

// A case without a time course asks for the best steady fluxes.
void run_flux_balance(const SbmlSuiteCase& c, const std::shared_ptr<const Model>& model,
                      SbmlSuiteResult& result) {
  Clock clock;
  FluxBalanceSolution solution = solve_flux_balance(model);
  result.integrate = clock.lap();
  for (std::size_t k = 0; k < c.columns.size(); ++k) {
    double got = NAN;
    const auto& objectives = model->flux_balance->objectives;
    for (std::size_t i = 0; i < objectives.size(); ++i)
      if (objectives[i].id == c.columns[k]) got = solution.objectives[i];
    if (Ref ref = model->find(c.columns[k]); ref.kind == SymbolKind::reaction)
      got = solution.fluxes[static_cast<std::size_t>(ref.index)];
    if (!agrees(got, c.expected.at(0)[k], c)) {
      result.reason = c.columns[k] + " is " + format_number(got) + ", expected " +
                      format_number(c.expected[0][k]);
      return;
    }
  }
  result.passed = true;
}

void run_model(const SbmlSuiteCase& c, const std::string& path, const SbmlSuiteOptions& options,
               SbmlSuiteResult& result) {
  Clock clock;
  auto model = load(path, result.parse);
  result.read = clock.lap() - result.parse;
  if (c.steps == 0 && model->flux_balance) return run_flux_balance(c, model, result);
  SystemOptions system_options;
  system_options.start_time = c.start;
  ResolvedSystem resolved = resolve_run(model, system_options);
  std::vector<Output> outputs = wanted_outputs(resolved, c);
  Problem problem = make_problem(compile(resolved.system, outputs));
  result.compile = clock.lap();
  Request request;
  request.start = c.start;
  for (long i = 0; i <= c.steps; ++i)
    request.times.push_back(c.start + c.duration * static_cast<double>(i) /
                                          static_cast<double>(std::max(c.steps, 1L)));
  if (request.times.size() != c.expected.size())
    throw InputError("error: " + std::to_string(c.expected.size()) + " rows are expected, the " +
                     "settings ask for " + std::to_string(request.times.size()) + "\n");
  Trajectory trajectory = simulate(problem, request, options.integration);
  result.integrate = clock.lap();
  result.reason = first_difference(trajectory, c);
  if (!result.reason.empty() && trajectory.outcome.status != Status::done)
    result.reason = describe(trajectory.outcome, problem.program->state_names);
  result.passed = result.reason.empty();
}

// All levels of a case.
std::vector<SbmlSuiteResult> run_case(const std::string& folder, const SbmlSuiteOptions& options) {
  std::vector<SbmlSuiteResult> results;
  auto attempt = [&](SbmlSuiteResult& result, auto&& work) {
    try {
      work();
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& trouble) {
      const std::string what = trouble.what();
      result.reason = first_line(what);
      result.skipped = what.find(external_file_missing) != std::string::npos;
    }
  };
  SbmlSuiteCase c;
  SbmlSuiteResult whole;
  whole.case_id = fs::path(folder).filename().string();
  attempt(whole, [&] { c = read_suite_case(folder); });
  if (whole.reason.empty() && c.models.empty()) whole.reason = "no model file";
  if (!whole.reason.empty()) return {whole};
  for (const std::string& path : c.models) {
    SbmlSuiteResult result;
    result.case_id = c.id;
    result.level = level_of(path);
    attempt(result, [&] { run_model(c, path, options, result); });
    results.push_back(result);
  }
  return results;
}

// Folders named by a number, in order.
std::vector<std::string> case_folders(const std::string& folder,
                                      const std::vector<std::pair<int, int>>& ranges) {
  std::error_code trouble;
  std::vector<std::string> folders;
  for (auto& entry : fs::directory_iterator(folder, trouble)) {
    std::string name = entry.path().filename().string();
    if (name.empty() || name.size() > 8 ||
        name.find_first_not_of("0123456789") != std::string::npos || !entry.is_directory())
      continue;
    int number = std::stoi(name);
    bool asked = ranges.empty();
    for (auto [low, high] : ranges) asked |= low <= number && number <= high;
    if (asked) folders.push_back(entry.path().string());
  }
  if (trouble)
    throw InputError("error: cannot read the folder '" + folder + "': " + trouble.message() + "\n");
  if (folders.empty()) throw InputError("error: no such case in '" + folder + "'\n");
  std::sort(folders.begin(), folders.end());
  return folders;
}

}  // namespace

IntegrationOptions SbmlSuiteOptions::suite_integration() {
  IntegrationOptions options;
  return options;
}

std::vector<SbmlSuiteResult> conform_sbml(const std::string& folder,
                                          const SbmlSuiteOptions& options) {
  const std::vector<std::string> folders = case_folders(folder, options.cases);
  std::vector<std::vector<SbmlSuiteResult>> by_case(folders.size());
  std::size_t done = 0;
  std::mutex reporting;
  for_each_index(folders.size(), options.threads, [&](std::size_t i) {
    by_case[i] = run_case(folders[i], options);
    std::lock_guard lock(reporting);
    ++done;
    if (options.progress) options.progress(done, folders.size());
  });
  std::vector<SbmlSuiteResult> results;
  for (auto& of_case : by_case) results.insert(results.end(), of_case.begin(), of_case.end());
  return results;
}

std::vector<std::pair<int, int>> parse_case_ranges(const std::string& text) {
  std::vector<std::pair<int, int>> ranges;
  std::stringstream stream(text);
  auto number = [&](std::string_view part) {
    auto value = parse_number(part);
    if (!value || *value < 0 || *value > 1e8 || *value != std::trunc(*value))
      throw InputError("error: '" + std::string(part) + "' is no case number\n");
    return static_cast<int>(*value);
  };
  for (std::string part; std::getline(stream, part, ',');) {
    std::size_t dash = part.find('-');
    if (dash == std::string::npos) {
      ranges.emplace_back(number(part), number(part));
    } else {
      std::string_view whole(part);
      ranges.emplace_back(number(whole.substr(0, dash)), number(whole.substr(dash + 1)));
    }
  }
  return ranges;
}

}  // namespace stiffit::internal
