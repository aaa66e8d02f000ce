// Models of the kinds at which integrators go wrong without a word, against a tight run
// (CVODES of SUNDIALS, or radau) of a model of the same solution without the difficulty.
// STIFFIT_CORNERS: how many (default 60), STIFFIT_CORNERS_FROM: the seed of the first.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

#include "compiled_model.h"
#include "corner_model.h"
#include "sanitized.h"

namespace stiffit::internal {
namespace {

constexpr double rtol = 1e-6;
constexpr double agreed = 100;  // times what the tolerance says
constexpr double errors = 20;   // of the tolerance's size, each magnified by the model

std::vector<double> rows(double end) {
  std::vector<double> times = even_times(end, 23);
  for (int k = 1; k <= 8; ++k) times.push_back(end * std::pow(10, -0.5 * k));
  std::sort(times.begin(), times.end());
  return times;
}

// One column of a run.
std::vector<double> column(const CompiledModel& model, const Trajectory& run,
                           const std::string& name) {
  const auto& names = model.program().output_names;
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) throw std::logic_error("no column " + name);
  std::vector<double> values;
  for (auto k = static_cast<std::size_t>(at - names.begin()); k < run.outputs.size();
       k += names.size())
    values.push_back(run.outputs[k]);
  return values;
}

Trajectory run(const CompiledModel& model, double end, const std::string& method,
               double tolerance) {
  IntegrationOptions options;
  options.method = method;
  options.rtol = tolerance;
  return simulate(model.problem, model.request(rows(end)), options);
}

// The largest deviation of a variable, in units of the tolerance of its own largest value.
double apart(const CornerModel& corner, const CompiledModel& ours, const Trajectory& found,
             const CompiledModel& simple, const Trajectory& truth) {
  double worst = 0;
  for (const SameVariable& v : corner.same) {
    const auto x = column(ours, found, v.name), other = column(simple, truth, v.other);
    double largest = 0, most = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = v.factor * (v.logarithm ? std::exp(other[i]) : other[i]);
      largest = std::max(largest, std::fabs(expected));
      const double here = std::fabs(x[i] - expected);
      if (!(here <= most)) most = here;
    }
    if (most > 0 && !(most / (rtol * largest) <= worst)) worst = most / (rtol * largest);
  }
  return worst;
}

// How many times larger a relative error of the start becomes along the way: one that a method
// makes in its first steps does as well. The truth from the start itself is given.
double magnified(const CornerModel& corner, const CompiledModel& simple, const Trajectory& truth) {
  double worst = 0;
  for (const SameVariable& moved : corner.same) {
    const auto& names = simple.program().state_names;
    const auto at = std::find(names.begin(), names.end(), moved.other) - names.begin();
    if (at == static_cast<long>(names.size()) || !moved.logarithm) continue;
    Request request = simple.request(rows(corner.end));
    request.initial.assign(truth.states.begin(), truth.states.begin() + simple.program().states);
    request.initial[static_cast<std::size_t>(at)] += rtol;
    IntegrationOptions tight;
    tight.method = "cvodes";
    tight.rtol = 1e-11;
    const Trajectory run = simulate(simple.problem, request, tight);
    if (run.outcome.status != Status::done) continue;
    for (const SameVariable& v : corner.same) {
      const auto x = column(simple, run, v.other), y = column(simple, truth, v.other);
      double largest = 0, most = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        largest = std::max(largest, std::exp(y[i]));
        most = std::max(most, std::fabs(std::exp(x[i]) - std::exp(y[i])));
      }
      worst = std::max(worst, most / (rtol * largest));
    }
  }
  return worst;
}

long from_environment(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atol(text) : otherwise;
}

TEST(Corners, AreRightOrSaidToFail) {
  const long count = from_environment("STIFFIT_CORNERS", sanitized ? 20 : 60),
             first = from_environment("STIFFIT_CORNERS_FROM", 0);
  static const char* const others[] = {"rodas5p", "bdf", "radau", "dopri5"};
  std::map<std::string, std::vector<double>> all;
  for (long seed = first; seed < first + count; ++seed) {
    const CornerModel corner = corner_model(static_cast<std::uint64_t>(seed));
    const CompiledModel simple = compile_model(resolve_text("simple", corner.simple));
    const CompiledModel ours = compile_model(resolve_text("corner", corner.text));
    Trajectory truth;
    for (const char* method : {"cvodes", "radau"}) {  // the first cannot begin where all is zero
      truth = run(simple, corner.end, method, 1e-11);
      if (truth.outcome.status == Status::done) break;
    }
    ASSERT_EQ(truth.outcome.status, Status::done)
        << "nothing solves the simple model of seed " << seed << ": "
        << describe(truth.outcome, simple.program().state_names) << "\n"
        << corner.simple;
    for (const std::string method : {"automatic", others[seed / corner_kinds % 4]}) {
      const Trajectory found = run(ours, corner.end, method, rtol);
      if (method == "automatic") {
        ASSERT_EQ(found.outcome.status, Status::done)
            << "seed " << seed << ": " << describe(found.outcome, ours.program().state_names)
            << "\n"
            << corner.text;
      } else if (found.outcome.status != Status::done) {
        continue;  // and says so
      }
      const double away = apart(corner, ours, found, simple, truth);
      if (method == "automatic") all[corner.kind].push_back(away);
      const double allowed =
          away > agreed ? std::max(agreed, errors * magnified(corner, simple, truth)) : agreed;
      EXPECT_LE(away, allowed) << "seed " << seed << ", " << corner.kind << ", " << method << "\n"
                               << corner.text << "\nend " << corner.end;
    }
  }
  for (auto& [kind, list] : all) {
    std::sort(list.begin(), list.end());
    std::printf("%-10s in units of rtol: median %.2g, worst %.3g of %zu models\n", kind.c_str(),
                list[list.size() / 2], list.back(), list.size());
  }
}

}  // namespace
}  // namespace stiffit::internal
