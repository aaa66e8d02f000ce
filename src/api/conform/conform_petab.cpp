// SPDX-License-Identifier: Apache-2.0
#include "api/conform/conform_petab.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <set>
#include <sstream>

#include "base/diagnostic.h"
#include "base/files/read_file.h"
#include "base/number.h"
#include "estimation/objective/problem_objective.h"
#include "io/petab/read_petab.h"

namespace stiffit::internal {
namespace {

namespace fs = std::filesystem;

std::string first_reason(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  return line.starts_with("error: ") ? line.substr(7) : line;
}

// The numbers of a column of a table.
std::vector<double> column(const std::string& path, const std::string& name) {
  std::istringstream lines(read_file(path));
  std::vector<double> values;
  std::size_t at = 0;
  bool header = true;
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells{""};
    for (char c : line) {
      if (c == '\t')
        cells.emplace_back();
      else if (c != '\r')
        cells.back() += c;
    }
    if (header) {
      at = static_cast<std::size_t>(std::find(cells.begin(), cells.end(), name) - cells.begin());
      if (at == cells.size())
        throw InputError("error: '" + path + "' has no column '" + name + "'");
      header = false;
    } else if (cells.size() > at) {
      values.push_back(parse_number(cells[at]).value_or(NAN));
    }
  }
  return values;
}

class Case {
 public:
  Case(const fs::path& yaml, const fs::path& solution, const IntegrationOptions& integration)
      : yaml_(yaml), folder_(solution.parent_path()), integration_(integration) {
    solution_ = YAML::Load(read_file(solution.string()));
  }

  void run(PetabSuiteResult& result) {
    PetabReading reading = read_petab(yaml_.string(), read_file);
    if (!reading.problem) {
      result.reason = first_reason(reading.text());
      return;
    }
    ObjectiveOptions options;
    options.derivatives = false;
    options.integration = integration_;
    ProblemObjective objective(std::move(*reading.problem), options);
    const std::vector<double> theta = objective.nominal();
    const Evaluation e = objective.evaluate(theta, Need::value);
    result.llh = e.llh;
    result.chi2 = e.chi2;
    if (!e.ok()) {
      result.reason = e.failure;
      return;
    }
    compare("llh", e.llh, result.reason);
    compare("chi2", e.chi2, result.reason);
    compare("unnorm_log_posterior", -e.value, result.reason);
    compare_simulations(objective, theta, result.reason);
    result.passed = result.reason.empty();
  }

 private:
  double tolerance(const std::string& what) const {
    return solution_["tol_" + what] ? solution_["tol_" + what].as<double>() : 1e-3;
  }

  void compare(const std::string& what, double value, std::string& reason) const {
    if (!solution_[what] || solution_[what].IsNull() || !reason.empty()) return;
    const double expected = solution_[what].as<double>();
    if (!(std::fabs(value - expected) <= tolerance(what)))
      reason = what + " is " + format_number(value) + ", expected " + format_number(expected);
  }

  void compare_simulations(const ProblemObjective& objective, const std::vector<double>& theta,
                           std::string& reason) const {
    if (!reason.empty() || !solution_["simulation_files"]) return;
    std::string failure;
    const std::vector<Prediction> predictions = objective.predict(theta, failure);
    std::vector<double> expected;
    for (const auto& file : solution_["simulation_files"])
      for (double value : column((folder_ / file.as<std::string>()).string(), "simulation"))
        expected.push_back(value);
    if (expected.size() != predictions.size()) {
      reason = std::to_string(predictions.size()) + " simulations, expected " +
               std::to_string(expected.size());
      return;
    }
    for (std::size_t i = 0; i < expected.size(); ++i)
      if (!(std::fabs(predictions[i].value - expected[i]) <= tolerance("simulations"))) {
        reason = "simulation " + std::to_string(i + 1) + " is " +
                 format_number(predictions[i].value) + ", expected " + format_number(expected[i]);
        return;
      }
  }

  fs::path yaml_, folder_;
  const IntegrationOptions& integration_;
  YAML::Node solution_;
};

// In the folder and below, also where links lead; each real folder once, since links may go round.
std::vector<fs::path> solutions_in(const std::string& folder) {
  std::error_code trouble;
  std::vector<fs::path> solutions;
  std::set<fs::path> seen{fs::weakly_canonical(folder, trouble)};
  for (auto it = fs::recursive_directory_iterator(
           folder, fs::directory_options::follow_directory_symlink, trouble);
       !trouble && it != fs::recursive_directory_iterator(); it.increment(trouble)) {
    std::error_code ignored;
    if (it->is_directory(ignored) && !seen.insert(fs::canonical(it->path(), ignored)).second)
      it.disable_recursion_pending();
    if (it->path().filename().string().ends_with("_solution.yaml")) solutions.push_back(it->path());
  }
  return solutions;
}

}  // namespace

std::vector<PetabSuiteResult> conform_petab(const std::string& folder,
                                            const IntegrationOptions& integration) {
  std::vector<fs::path> solutions = solutions_in(folder);
  if (solutions.empty())
    throw InputError("error: '" + folder +
                     "' holds no PEtab test case\n  a case is a folder with _NNNN.yaml and "
                     "_NNNN_solution.yaml\n");
  std::sort(solutions.begin(), solutions.end());
  std::vector<PetabSuiteResult> results;
  for (const fs::path& solution : solutions) {
    PetabSuiteResult result;
    std::string name = solution.filename().string();
    name.resize(name.size() - std::string("_solution.yaml").size());
    result.case_id = name.starts_with("_") ? name.substr(1) : name;
    const auto began = std::chrono::steady_clock::now();
    try {
      Case(solution.parent_path() / (name + ".yaml"), solution, integration).run(result);
    } catch (const InputError& error) {
      result.reason = first_reason(error.what());
    } catch (const YAML::Exception& error) {
      result.reason = "the solution cannot be read: " + std::string(error.what());
    }
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace stiffit::internal
