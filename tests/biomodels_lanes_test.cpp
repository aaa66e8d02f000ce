// The curated models at hand in lanes: whatever else runs beside it, each trajectory of perturbed
// parameters is the one that runs alone, its events at the same times.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "biomodel_names.h"
#include "io/files/load_model.h"
#include "ode/simulate.h"
#include "symbolic/system_builder.h"

namespace stiffit::internal {
namespace {

const std::string folder = biomodels_folder();
constexpr std::size_t trajectories = 9;  // more than there are lanes: one is refilled
constexpr double end = 100, rtol = 1e-6;

std::vector<Request> perturbed(const Program& program) {
  std::vector<Request> requests(trajectories);
  for (std::size_t r = 0; r < trajectories; ++r) {
    for (int i = 0; i <= 20; ++i) requests[r].times.push_back(end * i / 20);
    requests[r].parameters = program.parameter_values;
    for (std::size_t i = 0; i < requests[r].parameters.size(); ++i)
      requests[r].parameters[i] *=
          1 + 0.02 * std::sin(1.0 + 3.0 * static_cast<double>(r) + static_cast<double>(i));
  }
  return requests;
}

// The largest difference in units of the column's largest value.
double difference(const Trajectory& a, const Trajectory& b, std::size_t columns) {
  double worst = 0;
  for (std::size_t k = 0; k < columns; ++k) {
    double top = 0, most = 0;
    for (std::size_t i = k; i < b.outputs.size(); i += columns) {
      top = std::max(top, std::fabs(b.outputs[i]));
      if (a.outputs[i] == b.outputs[i] || (std::isnan(a.outputs[i]) && std::isnan(b.outputs[i])))
        continue;
      const double far = std::fabs(a.outputs[i] - b.outputs[i]);
      most = std::isnan(far) ? INFINITY : std::max(most, far);
    }
    if (most > worst * top) worst = top > 0 ? most / top : INFINITY;
  }
  return worst;
}

double event_difference(const Trajectory& a, const Trajectory& b) {
  if (a.events.size() != b.events.size()) return INFINITY;
  double worst = 0;
  for (std::size_t i = 0; i < a.events.size(); ++i) {
    if (a.events[i].event != b.events[i].event) return INFINITY;
    worst = std::max(worst, std::fabs(a.events[i].time - b.events[i].time));
  }
  return worst;
}

class BiomodelInLanes : public testing::TestWithParam<std::string> {};

void expect_scalar_runs(const std::string& model, const std::string& method) {
  LoadedModel loaded = load_model(folder + "/" + model + ".xml");
  SystemOptions system_options;
  system_options.start_time = 0;
  ResolvedSystem resolved = resolve(loaded.model, system_options);
  IntegrationOptions options;
  options.method = method;
  options.rtol = rtol;
  options.max_steps = 20'000;
  const Problem scalar = make_problem(compile(resolved.system, resolved.columns));
  if (const std::string reason = refusal(scalar, options); !reason.empty()) GTEST_SKIP() << reason;
  const std::size_t columns = scalar.program->output_names.size();
  const std::vector<Request> requests = perturbed(*scalar.program);
  const std::vector<Trajectory> expected = simulate_many(scalar, requests, options, 1);
  for (int lanes : {4, 8}) {
    ProgramOptions wide;
    wide.lanes = lanes;
    const Problem problem = make_problem(compile(resolved.system, resolved.columns, wide));
    ASSERT_EQ(refusal(problem, options), "");
    const std::vector<Trajectory> runs = simulate_many(problem, requests, options, 1);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Outcome &outcome = runs[i].outcome, &trusted = expected[i].outcome;
      EXPECT_EQ(outcome.status, trusted.status) << lanes << " lanes, run " << i;
      EXPECT_NEAR(std::min(outcome.time, end), std::min(trusted.time, end), 1e-3 * end);
      double apart = difference(runs[i], expected[i], columns);
      double events_apart = event_difference(runs[i], expected[i]) / end;
      if (apart > rtol || events_apart > rtol) {
        // Where roundings grow, two runs are apart by the errors of both.
        IntegrationOptions tight = options;
        tight.rtol = 1e-3 * rtol;
        const Trajectory truth = simulate(scalar, requests[i], tight);
        apart /= 1 + 4 * difference(expected[i], truth, columns) / rtol;
        events_apart /= 1 + 4 * event_difference(expected[i], truth) / end / rtol;
      }
      EXPECT_LE(apart, rtol) << lanes << " lanes, run " << i;
      EXPECT_LE(events_apart, rtol) << lanes << " lanes, run " << i;
    }
  }
}

TEST_P(BiomodelInLanes, EachLaneIsItsScalarRun) { expect_scalar_runs(GetParam(), "rodas5p"); }

class SomeBiomodelInLanes : public testing::TestWithParam<std::string> {};

TEST_P(SomeBiomodelInLanes, EachLaneIsItsScalarRunByBdf) { expect_scalar_runs(GetParam(), "bdf"); }

// Every seventh.
std::vector<std::string> some_names() {
  std::vector<std::string> some;
  for (std::size_t i = 3; const std::string& name : biomodel_names())
    if (i++ % 7 == 0) some.push_back(name);
  return some;
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BiomodelInLanes);
INSTANTIATE_TEST_SUITE_P(All, BiomodelInLanes, testing::ValuesIn(biomodel_names()),
                         [](const auto& test) { return test.param; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SomeBiomodelInLanes);
INSTANTIATE_TEST_SUITE_P(All, SomeBiomodelInLanes, testing::ValuesIn(some_names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace stiffit::internal
