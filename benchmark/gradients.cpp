// Log-likelihood and gradient of fitting problems by forward sensitivities: Stiffit against CVODES
// compiled for speed, staggered, at equal achieved error. Prints Markdown.
//   gradients [--only A,B] [--at nominal|perturbed] [--seconds S] [--methods A,B] [--survey]
//   gradients --only A,B --repeat N [--rtol R]       ours alone, for a profiler
// The error is the largest of |g - reference| / max(|reference|, 1e-3 |reference|_2) over the
// unknowns and |llh - reference| / max(1, |reference|). Both sides take the fastest of the
// half-decade tolerances and their scales of the absolute tolerance that reaches the target, as all
// tighter ones do. Experiments with the same course are integrated once on both sides; "one by
// one": CVODES without that. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <stdexcept>

#include "base/files/read_file.h"
#include "comma_list.h"
#include "cvodes_gradients.h"
#include "estimation/objective/parameter_point.h"
#include "estimation/objective/problem_objective.h"
#include "fit_problems.h"
#include "guarded_main.h"
#include "optimised_cvodes.h"

namespace {

using namespace stiffit::internal;
using namespace stiffit::internal::benchmark;

const char* const problems[] = {"Boehm_JProteomeRes2014",    "Fujita_SciSignal2010",
                                "Borghans_BiophysChem1997",  "Elowitz_Nature2000",
                                "Brannmark_JBC2010",         "Bachmann_MSB2011",
                                "Lucarelli_CellSystems2018", "Raimundez_PCB2020"};
constexpr int binding = 7;  // the last counts only among those of many conditions
const char* const many_conditions = "Fujita Brannmark Bachmann Lucarelli Raimundez";
constexpr double targets[] = {1e-4, 1e-6};

struct Settings {
  std::vector<std::string> only;  // parts of names; none: all
  std::string at = "nominal";
  std::vector<std::string> methods{"rodas5p", "bdf"};
  double seconds = 2;
  bool survey = false;
  int repeat = 0;
  double rtol = 1e-8;
  bool wants(const std::string& name) const {
    return only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& part) {
             return name.find(part) != std::string::npos;
           });
  }
};

struct Reference {
  Reference() = default;
  explicit Reference(Evaluation e) : value(std::move(e)) {
    for (double g : value.gradient) size += g * g;
    size = std::sqrt(size);
  }
  Evaluation value;
  double size = 0;
  double llh_error(const Evaluation& e) const {
    return std::fabs(e.llh - value.llh) / std::max(1.0, std::fabs(value.llh));
  }
  double error(const Evaluation& e) const {
    if (!e.ok()) return INFINITY;
    double worst = llh_error(e);
    for (std::size_t u = 0; u < value.gradient.size(); ++u) {
      const double scale = std::max(std::fabs(value.gradient[u]), 1e-3 * size);
      const double own = scale > 0 ? std::fabs(e.gradient[u] - value.gradient[u]) / scale : 0;
      if (!(own <= worst)) worst = own;
    }
    return worst;
  }
};

// One way to compute the gradient.
class Competitor {
 public:
  virtual ~Competitor() = default;
  virtual Evaluation run() = 0;
  std::string name;
  double rtol = 0, scale = 0, error = 0, milliseconds = 1e300;
  // The same with every experiment integrated by itself; only of CVODES.
  std::function<std::unique_ptr<Competitor>()> one_by_one;
};

ObjectiveOptions plain_options() {
  ObjectiveOptions options;
  options.gradient = GradientMethod::forward;
  return options;
}

class Ours final : public Competitor {
 public:
  Ours(const FitProblem& problem, std::vector<double> theta, const std::string& method,
       bool control, double r, double s)
      : theta_(std::move(theta)), objective_(problem, options_of(method, control, r, s)) {
    name = method + (control ? "" : ", states only");
    rtol = r;
    scale = s;
  }
  Evaluation run() override { return objective_.evaluate(theta_, Need::gradient); }

 private:
  static ObjectiveOptions options_of(const std::string& method, bool control, double r, double s) {
    ObjectiveOptions options = plain_options();
    options.integration.method = method;
    options.integration.rtol = r;
    options.integration.scaled_atol = s;
    options.sensitivity_error_control = control;
    return options;
  }
  std::vector<double> theta_;
  ProblemObjective objective_;
};

struct CvodesKind {
  const char* name;
  CvodesRunnerFactory make;
  CvodesLinear linear;
};
const CvodesKind cvodes_kinds[] = {{"-O3 dense", make_cvodes_runner_o3, CvodesLinear::dense},
                                   {"-O3 KLU", make_cvodes_runner_o3, CvodesLinear::klu},
                                   {"-O2 dense", make_cvodes_runner_o2, CvodesLinear::dense},
                                   {"-O2 KLU", make_cvodes_runner_o2, CvodesLinear::klu}};

class Cvodes final : public Competitor {
 public:
  Cvodes(const FitProblem& problem, std::vector<double> theta, const LargestStates& largest,
         const CvodesKind& kind, bool control, double r, double s, bool share = true)
      : theta_(std::move(theta)),
        sensitivities_(largest, {kind.make, kind.linear, r, s, control}),
        objective_(problem, options_of(sensitivities_, share)) {
    name = std::string(kind.name) + (control ? "" : ", states only");
    rtol = r;
    scale = s;
  }
  Evaluation run() override {
    sensitivities_.begin();
    return objective_.evaluate(theta_, Need::gradient);
  }

 private:
  static ObjectiveOptions options_of(CvodesGradients& sensitivities, bool share) {
    ObjectiveOptions options = plain_options();
    options.share_courses = share;
    options.simulator = [&sensitivities](const SensitivityProblem& problem) {
      return sensitivities.simulator(problem);
    };
    return options;
  }
  std::vector<double> theta_;
  CvodesGradients sensitivities_;
  ProblemObjective objective_;
};

using Make = std::function<std::unique_ptr<Competitor>(double rtol, double scale)>;
struct Setting {
  double rtol, scale, milliseconds;
};

// Per target: settings that reach it, the fastest first. A tolerance counts if the tighter ones
// reach the target too: what is met by chance is not.
std::vector<std::vector<Setting>> survey(const Make& make, const std::vector<double>& scales,
                                         int first, const Reference& reference, bool tell) {
  std::vector<std::vector<Setting>> result(std::size(targets));
  for (double scale : scales) {
    struct Point {
      double rtol, error, milliseconds;
    };
    std::vector<Point> series;
    for (int half = first; half <= 24; ++half) {
      const double rtol = std::pow(10.0, -0.5 * half);
      auto competitor = make(rtol, scale);
      Evaluation e;
      double best = 1e300;
      for (int k = 0; k < 3 && (k == 0 || best < 50); ++k) {
        const double begin = cpu_milliseconds();
        e = competitor->run();
        best = std::min(best, cpu_milliseconds() - begin);
      }
      series.push_back({rtol, reference.error(e), best});
      if (tell)
        std::fprintf(stderr, "  %s rtol %.1e scale %.0e error %.1e %.2f ms %s\n",
                     competitor->name.c_str(), rtol, scale, series.back().error, best,
                     e.failure.c_str());
      if (series.back().error < 0.3 * targets[1]) break;
    }
    for (std::size_t t = 0; t < std::size(targets); ++t)
      for (std::size_t k = series.size(); k-- > 0 && series[k].error <= targets[t];)
        result[t].push_back({series[k].rtol, scale, series[k].milliseconds});
  }
  for (auto& list : result) {
    std::sort(list.begin(), list.end(),
              [](const Setting& a, const Setting& b) { return a.milliseconds < b.milliseconds; });
    if (list.size() > 2) list.resize(2);
  }
  return result;
}

void time_interleaved(const std::vector<Competitor*>& all, double seconds) {
  std::vector<std::vector<double>> times(all.size());
  double round = 0;
  for (Competitor* c : all) {
    const double begin = cpu_milliseconds();
    c->run();
    round += cpu_milliseconds() - begin;
  }
  const int rounds = std::clamp(int(seconds * 1e3 / round), 5, 101);
  for (int r = 0; r < rounds; ++r)
    for (std::size_t k = 0; k < all.size(); ++k) {
      const double begin = cpu_milliseconds();
      all[k]->run();
      times[k].push_back(cpu_milliseconds() - begin);
    }
  for (std::size_t k = 0; k < all.size(); ++k) all[k]->milliseconds = median(times[k]);
}

std::vector<Competitor*> plain(const std::vector<std::unique_ptr<Competitor>>& all) {
  std::vector<Competitor*> result;
  for (auto& one : all) result.push_back(one.get());
  return result;
}

class Contest {
 public:
  Contest(const std::string& name, const Settings& settings)
      : name_(name), settings_(settings), problem_(read_problem(name)) {
    ObjectiveOptions options = plain_options();
    options.integration.rtol = 1e-11;
    options.simulator = [this](const SensitivityProblem& p) {
      return noting_simulator(p, largest_);
    };
    ProblemObjective objective(problem_, options);
    theta_ = parameter_point(objective, settings.at, 1, read_file);
    note_largest(options);
    reference_ = Reference(objective.evaluate(theta_, Need::gradient));
    if (!reference_.value.ok()) throw std::runtime_error(reference_.value.failure);
    doubt_ = reference_.error(cvodes(cvodes_kinds[1], true)(1e-11, 1e-3)->run());
    default_ = std::make_unique<Ours>(problem_, theta_, "rodas5p", true, 1e-8, 1e-3);
  }

  struct Sums {
    double logs[2] = {}, alone[2] = {};
    int counts[2] = {};
    void add(std::size_t target, double ratio, double alone_ratio) {
      logs[target] += std::log(ratio);
      alone[target] += std::log(alone_ratio);
      ++counts[target];
    }
  };
  void compare(Sums* seven, Sums* many) {
    std::vector<std::pair<Make, std::vector<std::vector<Setting>>>> sides[2];
    for (const std::string& method : settings_.methods)
      for (bool control : {true, false}) {
        Make make = [=, this](double r, double s) -> std::unique_ptr<Competitor> {
          return std::make_unique<Ours>(problem_, theta_, method, control, r, s);
        };
        sides[0].push_back({make, survey(make, {1e-3}, 6, reference_, settings_.survey)});
      }
    const CvodesKind* kinds = cvodes_kinds + (better_linear() == 0 ? 0 : 1);
    for (bool control : {true, false}) {
      auto settings =
          survey(cvodes(kinds[0], control), {1e-2, 1e-4}, 8, reference_, settings_.survey);
      for (int build = 0; build < 2; ++build)
        sides[1].push_back({cvodes(kinds[2 * build], control), settings});
    }
    for (std::size_t t = 0; t < std::size(targets); ++t) {
      std::vector<std::unique_ptr<Competitor>> all;
      std::size_t ours = 0;
      for (int side = 0; side < 2; ++side) {
        for (auto& [make, settings] : sides[side])
          for (const Setting& s : settings[t]) {
            auto competitor = make(s.rtol, s.scale);
            competitor->error = reference_.error(competitor->run());
            if (competitor->error <= targets[t]) all.push_back(std::move(competitor));
          }
        if (side == 0) ours = all.size();
      }
      time_interleaved(plain(all), settings_.seconds);
      auto best = [&](std::size_t from, std::size_t to) -> Competitor* {
        Competitor* found = nullptr;
        for (std::size_t k = from; k < to; ++k)
          if (!found || all[k]->milliseconds < found->milliseconds) found = all[k].get();
        return found;
      };
      Competitor *we = best(0, ours), *they = best(ours, all.size());
      const std::string shown = name_.substr(0, name_.find('_'));
      if (!we || !they) {
        std::printf("| %s | %.0e | not reached by %s |\n", shown.c_str(), targets[t],
                    we ? "CVODES" : "us");
        continue;
      }
      const std::unique_ptr<Competitor> alone = they->one_by_one();
      time_interleaved({we, they, alone.get()}, settings_.seconds);
      const double ratio = they->milliseconds / we->milliseconds,
                   alone_ratio = alone->milliseconds / we->milliseconds;
      // How far the two are apart: the log-likelihood, and the error with theirs as the reference.
      const Reference theirs(alone->run());
      const Evaluation own = we->run();
      if (seven) seven->add(t, ratio, alone_ratio);
      if (many) many->add(t, ratio, alone_ratio);
      std::printf(
          "| %s | %.0e | %s | %.1e | %.3f | %s | %.1e | %.3f | %.1f | %.3f | %.1f | %.0e | %.0e "
          "|\n",
          shown.c_str(), targets[t], we->name.c_str(), we->rtol, we->milliseconds,
          they->name.c_str(), they->rtol, they->milliseconds, ratio, alone->milliseconds,
          alone_ratio, theirs.llh_error(own), theirs.error(own));
      std::fflush(stdout);
    }
  }

  double doubt() const { return doubt_; }
  std::string at_default() {
    const double error = reference_.error(default_->run());
    std::vector<double> times;
    for (int k = 0; k < 5; ++k) {
      const double begin = cpu_milliseconds();
      default_->run();
      times.push_back(cpu_milliseconds() - begin);
    }
    char text[80];
    std::snprintf(text, sizeof text, "%.2f ms, error %.0e", median(times), error);
    return text;
  }

 private:
  Make cvodes(const CvodesKind& kind, bool control) {
    return [&kind, control, this](double r, double s) -> std::unique_ptr<Competitor> {
      auto made = std::make_unique<Cvodes>(problem_, theta_, largest_, kind, control, r, s);
      made->one_by_one = [&kind, control, r, s, this]() -> std::unique_ptr<Competitor> {
        return std::make_unique<Cvodes>(problem_, theta_, alone_, kind, control, r, s, false);
      };
      return made;
    };
  }
  int better_linear() {
    std::vector<std::unique_ptr<Competitor>> both;
    for (int k = 0; k < 2; ++k) both.push_back(cvodes(cvodes_kinds[k], true)(1e-6, 1e-3));
    time_interleaved(plain(both), 0.2);
    return both[0]->milliseconds <= both[1]->milliseconds ? 0 : 1;
  }
  // The runs of an evaluation that integrates every experiment by itself are more.
  void note_largest(ObjectiveOptions options) {
    options.share_courses = false;
    options.integration.rtol = 1e-4;
    options.simulator = [this](const SensitivityProblem& p) { return noting_simulator(p, alone_); };
    ProblemObjective(problem_, options).evaluate(theta_, Need::gradient);
  }

  std::string name_;
  const Settings& settings_;
  FitProblem problem_;
  LargestStates largest_, alone_;
  std::vector<double> theta_;
  Reference reference_;
  double doubt_ = 0;
  std::unique_ptr<Competitor> default_;
};

// From the files to the first gradient, as a user asks for it: processor and wall time.
std::string first_gradient(const std::string& name) {
  std::vector<double> cpu, wall;
  for (int k = 0; k < 5; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    const double cpu_begin = cpu_milliseconds();
    ProblemObjective objective(read_problem(name));
    objective.evaluate(parameter_point(objective, "nominal", 1), Need::gradient);
    cpu.push_back(cpu_milliseconds() - cpu_begin);
    wall.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  char text[80];
  std::snprintf(text, sizeof text, "%.0f ms | %.0f ms", median(cpu), median(wall));
  return text;
}

void repeat(const Settings& settings) {
  for (const std::string name : problems) {
    if (!settings.wants(name)) continue;
    ObjectiveOptions options = plain_options();
    options.integration.method = settings.methods.front();
    options.integration.rtol = settings.rtol;
    ProblemObjective objective(read_problem(name), options);
    const std::vector<double> theta = parameter_point(objective, settings.at, 1, read_file);
    std::vector<double> times;
    for (int k = 0; k < settings.repeat; ++k) {
      const double begin = cpu_milliseconds();
      if (const Evaluation e = objective.evaluate(theta, Need::gradient); !e.ok())
        std::fprintf(stderr, "%s\n", e.failure.c_str());
      times.push_back(cpu_milliseconds() - begin);
    }
    std::printf("%s %.3f ms, least %.3f\n", name.c_str(), median(times),
                *std::min_element(times.begin(), times.end()));
  }
}

int run(int count, char** words) {
  Settings settings;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--survey") {
      settings.survey = true;
      continue;
    }
    if (i + 1 == count) throw std::invalid_argument("no value for " + word);
    const std::string value = words[++i];
    if (word == "--only")
      settings.only = comma_list(value);
    else if (word == "--at")
      settings.at = value;
    else if (word == "--seconds")
      settings.seconds = std::stod(value);
    else if (word == "--repeat")
      settings.repeat = std::stoi(value);
    else if (word == "--rtol")
      settings.rtol = std::stod(value);
    else if (word == "--methods")
      settings.methods = comma_list(value);
    else
      throw std::invalid_argument("unknown option " + word);
  }
  if (settings.repeat > 0) {
    repeat(settings);
    return 0;
  }
  std::printf(
      "| problem | error | method | rtol | ms | CVODES | rtol | ms | ratio | one by one ms | ratio "
      "| llh apart | gradient apart |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
  Contest::Sums seven, many;
  std::string notes;
  for (int k = 0; k < int(std::size(problems)); ++k) {
    const std::string name = problems[k], shown = name.substr(0, name.find('_'));
    if (!settings.wants(name)) continue;
    Contest contest(name, settings);
    contest.compare(k < binding ? &seven : nullptr,
                    std::strstr(many_conditions, shown.c_str()) ? &many : nullptr);
    notes += "| " + shown + " | " + contest.at_default() + " | " + first_gradient(name);
    char doubt[40];
    std::snprintf(doubt, sizeof doubt, " | %.0e |\n", contest.doubt());
    notes += doubt;
  }
  for (int t = 0; t < 2; ++t) {
    if (seven.counts[t])
      std::printf("\nGeometric mean of the ratio of %d at error %.0e: %.1f\n", seven.counts[t],
                  targets[t], std::exp(seven.logs[t] / seven.counts[t]));
    if (many.counts[t])
      std::printf(
          "\nGeometric mean of %d with many conditions against CVODES one by one, %.0e: %.1f\n",
          many.counts[t], targets[t], std::exp(many.alone[t] / many.counts[t]));
  }
  std::printf(
      "\n| problem | default settings | first gradient, processor | wall | reference against "
      "CVODES "
      "|\n|---|---|---|---|---|\n%s",
      notes.c_str());
  return 0;
}

}  // namespace

int main(int count, char** words) { return guarded_main("gradients", run, count, words); }
