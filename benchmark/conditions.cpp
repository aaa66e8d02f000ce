// Values of fitting problems with many conditions at one point: their courses side by side in lanes
// against one after another. Prints Markdown.
//   conditions [--only A,B] [--at nominal|perturbed] [--seconds S] [--rtol R] [--first N]
// --first: of the first N experiments alone, to see from how many on it pays. Processor time,
// medians, both in turn. SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "base/files/read_file.h"
#include "comma_list.h"
#include "estimation/objective/parameter_point.h"
#include "estimation/objective/problem_objective.h"
#include "fit_problems.h"
#include "guarded_main.h"

namespace {

using namespace stiffit::internal;
using namespace stiffit::internal::benchmark;

struct Settings {
  std::vector<std::string> only{""};
  std::string at = "nominal";
  double seconds = 1, rtol = 1e-8;
  std::size_t first = 0;
};

void keep_first(FitProblem& problem, std::size_t count) {
  if (problem.experiments.size() > count) problem.experiments.resize(count);
  std::erase_if(problem.measurements,
                [&](const Measurement& m) { return std::size_t(m.experiment) >= count; });
  for (std::size_t i = 0; i < problem.measurements.size(); ++i)
    problem.measurements[i].row = int(i);
}

void compare(const std::string& name, const Settings& settings) {
  FitProblem problem = read_problem(name);
  if (settings.first > 0) keep_first(problem, settings.first);
  std::vector<std::unique_ptr<ProblemObjective>> both;
  for (bool side_by_side : {false, true}) {
    ObjectiveOptions options;
    options.derivatives = false;
    options.integration.rtol = settings.rtol;
    options.side_by_side = side_by_side;
    both.push_back(std::make_unique<ProblemObjective>(problem, options));
  }
  const std::vector<double> theta = parameter_point(*both[0], settings.at, 1, read_file);
  std::vector<double> times[2];
  Evaluation values[2];
  double first[2] = {}, spent = 0;
  for (int round = 0; round < 2 || (round < 201 && spent < 1e3 * settings.seconds); ++round)
    for (int k = 0; k < 2; ++k) {
      const double begin = cpu_milliseconds();
      values[k] = both[std::size_t(k)]->evaluate(theta, Need::value);
      const double took = cpu_milliseconds() - begin;
      (round == 0 ? first[k] : spent) += took;
      if (round > 0) times[k].push_back(took);
      if (!values[k].ok()) {
        std::printf("| %s | %s |\n", name.c_str(), values[k].failure.c_str());
        return;
      }
    }
  const double one = median(times[0]), lanes = median(times[1]);
  std::printf("| %s | %d | %d | %.3f | %.3f | %.2f | %.0f | %.0f | %.0e |\n",
              name.substr(0, name.find('_')).c_str(), both[0]->experiment_count(),
              both[0]->course_count(), one, lanes, one / lanes, first[0], first[1],
              std::fabs(values[1].llh - values[0].llh) / std::max(1.0, std::fabs(values[0].llh)));
  std::fflush(stdout);
}

int run(int count, char** words) {
  Settings settings;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string word = words[i], value = words[i + 1];
    if (word == "--only")
      settings.only = comma_list(value);
    else if (word == "--at")
      settings.at = value;
    else if (word == "--seconds")
      settings.seconds = std::stod(value);
    else if (word == "--rtol")
      settings.rtol = std::stod(value);
    else if (word == "--first")
      settings.first = std::stoul(value);
    else
      throw std::invalid_argument("unknown option " + word);
  }
  std::printf(
      "| problem | experiments | courses | one by one ms | in lanes ms | ratio | first, one by "
      "one | first, in lanes | llh differs by |\n|---|---|---|---|---|---|---|---|---|\n");
  std::vector<std::string> names;
  for (auto& entry :
       std::filesystem::directory_iterator(std::string(STIFFIT_SHARED_DIR) + "/petab-benchmarks"))
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    if (std::none_of(settings.only.begin(), settings.only.end(),
                     [&](const std::string& part) { return name.find(part) != std::string::npos; }))
      continue;
    try {
      compare(name, settings);
    } catch (const std::exception& trouble) {
      std::fprintf(stderr, "%s: %s\n", name.c_str(), trouble.what());
    }
  }
  return 0;
}

}  // namespace

int main(int count, char** words) { return guarded_main("conditions", run, count, words); }
