// Every adaptive method on every problem with a known solution: the error falls with the tolerance,
// is never far above that of CVODES at the same tolerance, and is small without any settings.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ode/method_registry.h"
#include "reference_problems.h"
#include "sanitized.h"

namespace stiffit::internal {
namespace {

// Below this an error is the rounding of a run, not of its method; explicit methods take millions
// of steps on stiff problems, and each step adds its own.
constexpr double rounding_of_a_run = 2e-12, rounding_of_a_million_steps = 3e-11;
constexpr long plenty_of_steps = 20'000'000;
constexpr int loosest = 4, tightest = 12;  // rtol = 10^-k

// What a method promises. Methods of low order need too many steps for tight tolerances, and are
// further from CVODES on orbits, where errors of all steps add up.
struct Promise {
  const char* name;
  int tightest = loosest;  // rtol = 10^-k
  double multiple = 3;     // of the error of CVODES
  double scatter = 1.2;    // of the error from one tolerance to the next
  bool patient = true;     // false: not where it would take a million steps
};
const Promise of_all{"", tightest};
const Promise promises[] = {
    {"tsit5", tightest, 3, 1.2, false},
    {"taylor", tightest, 3, 1.2, false},
    {"dop853", tightest, 3, 4, false},  // with steps this long errors are a matter of luck
    {"bs32", 8, 30, 1.2, false},
    {"radau", tightest, 6, 4},
    {"trbdf2", 8, 8},
    {"esdirk54", tightest, 4, 2},
    {"adams", tightest, 3, 2, false},
    {"adams-bashforth", tightest, 6, 2, false},
    {"rkc", 7, 8, 1.2, false},
    {"rk-imaginary", 7, 8, 1.2, false},
    {"exponential-rosenbrock", 8, 8},
    {"liniger-willoughby-1", 5, 30},
    {"liniger-willoughby-2", 8, 8},
    {"fitted-rosenbrock", 7, 8},
    {"fitted-rk", 7, 8, 1.2, false},
    {"fowler-warten", 7, 8, 1.2, false},
    {"backward-euler", 5, 30},
    {"trapezoidal", 8, 8},
    {"trapezoidal-smoothed", 8, 8},
};
const Promise& promise_of(const std::string& method) {
  for (const Promise& promise : promises)
    if (method == promise.name) return promise;
  return of_all;
}

// With sanitizers each method sees every fourth problem, with fewer tolerances, and none of the
// runs of a million steps.
constexpr std::size_t every = 4;
constexpr int stride = sanitized ? 4 : 1;
constexpr bool skip_crawling = sanitized;

std::vector<std::string> adaptive_methods() {
  std::vector<std::string> names;
  for (const MethodEntry& entry : method_entries())
    // CVODES is what they are held against; taylor-guaranteed is taylor with shorter steps, for
    // polynomial models only (taylor_test).
    if (!entry.fixed_step_only && entry.info.name != "cvodes" &&
        entry.info.name != "taylor-guaranteed")
      names.emplace_back(entry.info.name);
  return names;
}

using Case = std::tuple<std::string, const ReferenceProblem*>;
class MethodTable : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const MethodEntry* entry = find_method(method());
    if (skip_crawling && problem().explicit_methods_crawl && !entry->stiff)
      GTEST_SKIP() << "takes millions of steps, too many under the sanitizers";
    if (!promise_of(method()).patient && problem().explicit_methods_crawl)
      GTEST_SKIP() << "takes millions of steps";
  }
  static const std::string& method() { return std::get<0>(GetParam()); }
  static const ReferenceProblem& problem() { return *std::get<1>(GetParam()); }
  static IntegrationOptions options(const std::string& name, double rtol) {
    IntegrationOptions options;
    options.method = name;
    options.rtol = rtol;
    options.max_steps = plenty_of_steps;
    return options;
  }
};

TEST_P(MethodTable, ErrorFallsAndIsLikeThatOfCvodes) {
  ReferenceRun run(problem());
  std::map<int, double> error;
  const double floor = problem().explicit_methods_crawl && !find_method(method())->stiff
                           ? rounding_of_a_million_steps
                           : rounding_of_a_run;
  const Promise& promise = promise_of(method());
  for (int k = loosest; k <= promise.tightest; k += stride) {
    const double rtol = std::pow(10.0, -k);
    error[k] = run.error(options(method(), rtol));
    const double trusted = run.error(options("cvodes", rtol));
    EXPECT_LE(error[k], promise.multiple * trusted + floor) << "rtol 1e-" << k;
    // A decade of tolerance never makes it much worse, two make it five times better.
    if (error.count(k - 1)) {
      EXPECT_LE(error[k], promise.scatter * error[k - 1] + floor) << "rtol 1e-" << k;
    }
    if (error.count(k - 2)) {
      EXPECT_LE(error[k], error[k - 2] / 5 + floor) << "rtol 1e-" << k;
    }
  }
  if (promise.tightest == tightest) {
    EXPECT_LE(error[tightest], 1e-6 * error[loosest] + floor);
  }
  if (method() == "rodas5p") {
    EXPECT_LE(error[tightest], 1e-8);
  }
}

TEST_P(MethodTable, DefaultSettingsAreGoodForFourDigits) {
  if (promise_of(method()).tightest < 6) GTEST_SKIP() << "not for such a tolerance";
  ReferenceRun run(problem());
  IntegrationOptions defaults;
  defaults.method = method();
  defaults.max_steps = plenty_of_steps;  // an explicit method on a stiff problem
  EXPECT_LT(run.error(defaults), 1e-4);
}

// Methods without an error estimate: from the first number of steps that gives one digit on, the
// error falls with the step, by half of what the order promises at least.
class FixedStepTable : public testing::TestWithParam<Case> {};

// Stability or the sharpness of a jump asks these for more steps than are tried here; whatever else
// gives no digit is broken.
bool needs_more_steps(const std::string& method, const std::string& problem) {
  static const std::set<std::pair<std::string, std::string>> known = {
      {"euler", "oregonator"},
      {"euler", "water_moderate_H"},
      {"euler", "water_moderate_OH"},
      {"modified-euler", "oregonator"},
      {"rk4", "oregonator"},
      {"trapezoidal-extrapolated", "escep_c"},
      {"trapezoidal-extrapolated", "vdp1000"},
      {"trapezoidal-extrapolated", "water_stiff_H"},
      {"trapezoidal-extrapolated", "water_stiff_OH"}};
  return known.contains({method, problem});
}

TEST_P(FixedStepTable, ErrorFallsWithTheStep) {
  const auto& [method, problem] = GetParam();
  const MethodEntry* entry = find_method(method);
  if (problem->explicit_methods_crawl && !entry->stiff)
    GTEST_SKIP() << "takes a million steps before it is stable";
  ReferenceRun run(*problem);
  auto error = [&, name = method](long steps) {
    IntegrationOptions options;
    options.method = name;
    options.rtol = 1e-12;  // of Newton's method
    options.fixed_step = run.end() / static_cast<double>(steps);
    options.max_steps = plenty_of_steps;
    return run.error(options);
  };
  constexpr long most = skip_crawling ? 1L << 12 : 1L << 14;
  long steps = 64;
  double before = error(steps);
  while (!(before < 0.1) && steps < most) before = error(steps *= 2);
  if (!(before < 0.1)) {
    ASSERT_TRUE(skip_crawling || needs_more_steps(method, problem->name))
        << "no digit with " << steps << " steps, the error is " << before;
    GTEST_SKIP() << "needs more than " << most << " steps";
  }
  const double order = std::stod(std::string(entry->info.order));
  const double first = before;
  for (int halved = 0; halved < 3; ++halved) {
    const double now = error(steps *= 2);
    // Where there is little more than one digit the error may pass through zero by chance.
    const double by_chance = halved < 2 ? 0.02 : 0;
    EXPECT_LE(now, std::max(1.2 * before, by_chance) + rounding_of_a_run) << steps << " steps";
    before = now;
  }
  EXPECT_LE(before, first / std::pow(2, 1.5 * order) + rounding_of_a_run) << steps << " steps";
}

TEST(MethodTableItself, AutomaticNeedsNoSettingsAtAll) {
  for (const ReferenceProblem& problem : reference_problems())
    EXPECT_LT(ReferenceRun(problem).error({}), 1e-4) << problem.name;
}

std::vector<const ReferenceProblem*> all_problems() {
  std::vector<const ReferenceProblem*> list;
  for (const ReferenceProblem& problem : reference_problems()) list.push_back(&problem);
  return list;
}

std::string name_of_case(const testing::TestParamInfo<Case>& test) {
  return test_name(std::get<0>(test.param)) + "_" + std::get<1>(test.param)->name;
}

std::vector<std::string> fixed_step_methods() {
  std::vector<std::string> names;
  for (const MethodEntry& entry : method_entries())
    if (entry.fixed_step_only) names.emplace_back(entry.info.name);
  return names;
}

// Neighbours in the list of methods see different problems, so that each is seen by some.
std::vector<Case> cases(const std::vector<std::string>& methods) {
  std::vector<Case> list;
  for (std::size_t i = 0; i < methods.size(); ++i)
    for (const ReferenceProblem* problem : thinned(all_problems(), every, i))
      list.emplace_back(methods[i], problem);
  return list;
}

INSTANTIATE_TEST_SUITE_P(All, FixedStepTable, testing::ValuesIn(cases(fixed_step_methods())),
                         name_of_case);

INSTANTIATE_TEST_SUITE_P(All, MethodTable, testing::ValuesIn(cases(adaptive_methods())),
                         name_of_case);

}  // namespace
}  // namespace stiffit::internal
