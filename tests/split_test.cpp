// A run in parts is the run as a whole: whatever is under way at the cut goes on behind it.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "compiled_model.h"

namespace stiffit::internal {
namespace {

struct SplitModel {
  std::string name, text;
  bool explicit_too = true;  // no algebraic equations and nothing fast
};
void PrintTo(const SplitModel& model, std::ostream* out) { *out << model.name; }

// What the clock brings about falls on rows, what the state brings about falls between them.
const std::vector<SplitModel> split_models{
    {"Nothing", "x' = -0.3*x; x = 2"},
    {"ValuesOfTheTriggerWait",
     "x' = 1; x = 0; y' = 0; y = 0; at 3 after (x >= 1.1): y = 10*x + time"},
    {"ValuesOfTheMomentItHappens",
     "x' = 1; x = 0; y' = 0; y = 0; at 3 after (x >= 1.1), fromTrigger = false: y = 10*x"},
    {"OneThatIsDropped",
     "x' = 1; x = 0; y' = 0; y = 0; at 3 after (x >= 1.1 && x < 3), persistent = false: y = 5"},
    {"OneThatStays", "x' = 1; x = 0; y' = 0; y = 0; at 3 after (x >= 1.1 && x < 3): y = 5"},
    {"SeveralOfOneEvent",
     "x' = 1; x = 0; y' = 0; y = 1;\n"
     "at 2 after (sin(3*time) > 0), fromTrigger = false: y = 2*y + x;"},
    {"ATriggerThatStillHolds",
     "x' = 1; x = 0; n' = 0; n = 0; at (x >= 1.1), t0 = false: n = n + 1"},
    {"ATriggerThatHoldsAtTheStart", "x' = 1; x = 0; n' = 0; n = 0; at (x >= 0): n = n + 1"},
    {"OneThatFiresAtTheStart",
     "x' = 1; x = 0; n' = 0; n = 0; at 2 after (x >= 0), t0 = false: n = n + 1"},
    {"ADelayThatVaries",
     "x' = 1; x = 0; y' = 0; y = 0; at 1 + x after (x >= 1.1 || time > 5): y = y + x"},
    {"EqualPriorities",
     "y' = 0; y = 1; x' = 0.1*y; x = 0; clock' = 1; clock = 0\n"
     "at (clock >= 1.07), priority = 1, fromTrigger = false: y = y + 1, clock = 0\n"
     "at (clock >= 1.07), priority = 1, fromTrigger = false: y = 1.5*y, clock = 0"},
    {"AParameterAndACompartment",
     "compartment c = 1; species S in c = 2; S -> ; k*S; k = 0.1; var k; var c\n"
     "at (time >= 2): k = 0.5; at 1 after (time >= 2): c = 3"},
    {"AStoichiometry", "A -> n B; 0.2*A; A = 3; B = 0; n = 1; var n; at (time >= 2): n = 4"},
    {"SwitchesOfTheState",
     "x' = v; v' = -x - 0.1*v + piecewise(1, x < 0.3, 0) + floor(2*x); x = 1; v = 0"},
    {"SwitchesOfTheClock",
     "x' = piecewise(3, time >= 3 && time < 3.01, 0) - 0.1*x + piecewise(1, sin(5*time) > 0.7, 0);"
     "x = 1"},
    {"ClocksThatEventsSet",
     "x' = piecewise(1, 3*(until - time) > 0, -x); x = 0; n = 0; next = 0.7; var next\n"
     "until = 0.35; var until; day = 24; var day\n"
     "at (0.3*time >= 0.3*next): n = n + 1, next = next + 0.3\n"
     "at (until <= time): until = time + 0.1*n; at (day - time <= 21): day = day + 1"},
    {"ABouncingBall", "x' = v; v' = -4; x = 1; v = 0; at (x < 0): v = -0.8*v, x = 0"},
    {"ADelay", "x' = -delay(x, 1); x = 1"},
    {"DelaysOfDelays", "x' = -delay(z, 0.5); x = 1; z := 0.5*delay(x, 1) + x"},
    {"ADelayThatMoves", "x' = -delay(x, 1 + 0.5*sin(time)); x = 1"},
    {"ADelayAndAJump", "x' = 0.2*delay(y, 2) - 0.1*x; x = 1; y' = 0; y = 1; at (time >= 3): y = 5"},
    {"AnAlgebraicRule",
     "A = 1; A -> ; 0.3*A\nvar x = 0, y = 0; 0 = x + y - A; 0 = x - y^3 - A; at (time >= 3): A = 2",
     false},
    {"AFastReaction",
     "#: fast J\nJ: A -> B; A - 3*B\nK: B -> ; 0.4*B\nA = 0; B = 8; at (time >= 3): A = 5", false},
};

constexpr double rtol = 1e-9;

class Split : public testing::TestWithParam<SplitModel> {
 protected:
  void SetUp() override { model_ = compile_model(resolve_text("model", GetParam().text)); }

  Trajectory run(const Request& request, const std::string& method, double tolerance = rtol) const {
    IntegrationOptions options;
    options.rtol = tolerance;
    options.method = method;
    Trajectory result = simulate(model_.problem, request, options);
    EXPECT_EQ(result.outcome.status, Status::done)
        << describe(result.outcome, model_.program().state_names);
    return result;
  }

  // The run with `times` cut at these rows, each part going on from the one before. The row of a
  // cut is the last of one part and the first of the next.
  std::vector<double> outputs_in_parts(const std::vector<double>& times,
                                       std::vector<std::size_t> cuts, const std::string& method) {
    const std::size_t columns = model_.program().output_names.size();
    cuts.push_back(times.size() - 1);
    std::vector<double> rows;
    Request part;
    std::size_t first = 0;
    for (std::size_t cut : cuts) {
      part.times.assign(times.begin() + static_cast<long>(first),
                        times.begin() + static_cast<long>(cut) + 1);
      part.keep_end = true;
      const Trajectory done = run(part, method);
      if (!done.end) throw std::runtime_error("the part has no end");
      if (!rows.empty()) rows.resize(rows.size() - columns);
      rows.insert(rows.end(), done.outputs.begin(), done.outputs.end());
      part = Request();
      part.from = done.end;
      first = cut;
    }
    return rows;
  }

  // The largest difference of a number, in units of its own size and one.
  static double difference(const std::vector<double>& a, const std::vector<double>& b) {
    double worst = a.size() == b.size() ? 0 : INFINITY;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
      if (const double apart = std::fabs(a[i] - b[i]) / (1 + std::fabs(b[i])); !(apart <= worst))
        worst = apart;
    return worst;
  }

  CompiledModel model_;
};

TEST_P(Split, AgreesWithTheWholeRun) {
  const std::vector<double> times = even_times(6, 24);
  const Trajectory truth = run(model_.request(times), "rodas5p", 1e-2 * rtol);
  for (const std::string method : {"rodas5p", "dopri5", "bdf", "cvodes"}) {
    if (method != "rodas5p" && !GetParam().explicit_too) continue;
    const Trajectory whole = run(model_.request(times), method);
    // Both runs stray from the truth about as far as the whole one is seen to.
    const double allowed = 10 * rtol + 4 * difference(whole.outputs, truth.outputs);
    EXPECT_LE(allowed, 1e-5) << method;
    std::vector<std::vector<std::size_t>> cuts{{3, 9, 10, 17}};
    for (std::size_t cut = 1; cut < times.size() - 1; ++cut) cuts.push_back({cut});
    for (const auto& parts : cuts)
      EXPECT_LE(difference(outputs_in_parts(times, parts, method), whole.outputs), allowed)
          << method << ", first cut at " << times[parts[0]];
  }
}

// A part that is nothing but the start, and a cut between two numbers.
TEST_P(Split, MayBeCutAnywhere) {
  const double moments[] = {0, 1e-9, std::nextafter(1.0, 0), std::nextafter(1.0, 2), 1.37, 3.7183};
  for (double moment : moments) {
    std::vector<double> times{0, moment, 2, 4, 5, 6};
    if (moment == 0) times.erase(times.begin());
    std::sort(times.begin(), times.end());
    const std::size_t cut =
        static_cast<std::size_t>(std::find(times.begin(), times.end(), moment) - times.begin());
    const Trajectory whole = run(model_.request(times), "rodas5p");
    const std::vector<double> rows = outputs_in_parts(times, {cut}, "rodas5p");
    EXPECT_LE(difference(rows, whole.outputs), 100 * rtol) << "cut at " << moment;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Split, testing::ValuesIn(split_models),
                         [](const auto& test) { return test.param.name; });

// What a cut must not lose, in numbers: the run is cut while the event waits.
TEST(SplitRun, AnEventThatWaitsIsNotLost) {
  CompiledModel model = compile_model(resolve_text(
      "model", "x' = 1; x = 0; y' = 0; y = 0; at 3 after (x >= 1.1): y = 10*x + time"));
  IntegrationOptions options;
  Request first = model.request({2});
  first.keep_end = true;
  Request second;
  second.from = simulate(model.problem, first, options).end;
  second.times = {3.5, 4.5};
  const Trajectory rest = simulate(model.problem, second, options);
  EXPECT_EQ(rest.states[1], 0);
  EXPECT_NEAR(rest.states[3], 12.1, 1e-6);
}

TEST(SplitRun, NeedsTheProgramItWasBegunWith) {
  CompiledModel one = compile_model(resolve_text("model", "x' = 1; x = 0"));
  CompiledModel other = compile_model(resolve_text("model", "x' = 1; x = 0"));
  Request first = one.request({2});
  first.keep_end = true;
  Request second;
  second.from = simulate(one.problem, first, {}).end;
  second.times = {3};
  EXPECT_NO_THROW(simulate(one.problem, second, {}));
  EXPECT_THROW(simulate(other.problem, second, {}), std::invalid_argument);
}

TEST(SplitRun, LanesGoOnEachByItself) {
  ProgramOptions wide;
  wide.lanes = 4;
  CompiledModel model = compile_model(
      resolve_text("model", "x' = r; x = 0; r = 1; y' = 0; y = 0; at 3 after (x >= 1.1): y = 10*x"),
      wide);
  std::vector<Request> requests;
  for (int k = 0; k < 6; ++k) {
    requests.push_back(model.request({2}));
    requests.back().parameters = model.parameters({{"r", 0.6 + 0.1 * k}});
    requests.back().keep_end = true;
  }
  std::vector<Request> rest;
  for (const Trajectory& part : simulate_many(model.problem, requests, {}, 1)) {
    rest.emplace_back();
    rest.back().from = part.end;
    rest.back().times = {6};
  }
  const std::vector<Trajectory> ends = simulate_many(model.problem, rest, {}, 1);
  for (std::size_t k = 0; k < ends.size(); ++k) {
    EXPECT_NEAR(ends[k].states[0], 6 * (0.6 + 0.1 * static_cast<double>(k)), 1e-5);
    EXPECT_NEAR(ends[k].states[1], 11, 1e-5);
  }
}

}  // namespace
}  // namespace stiffit::internal
