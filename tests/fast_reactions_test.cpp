// Fast reactions: equilibria that can be written down, and what must be refused.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/diagnostic.h"
#include "compiled_model.h"

namespace stiffit::internal {
namespace {

using Row = std::map<std::string, double>;

struct Course {
  Trajectory trajectory;
  Row first, last;
  std::string explanation;
};

Course run(double end, const std::string& text, const std::string& method = "rodas5p",
           double rtol = 1e-8, int lanes = 1) {
  ProgramOptions options;
  options.lanes = lanes;
  CompiledModel model = compile_model(resolve_text("test", text), options);
  IntegrationOptions settings;
  settings.method = method;
  settings.rtol = rtol;
  Course result;
  result.trajectory = simulate(model.problem, model.request({0, end}), settings);
  result.explanation = describe(result.trajectory.outcome, model.program().state_names);
  const std::vector<std::string>& names = model.program().output_names;
  for (std::size_t k = 0; k < names.size(); ++k) {
    result.first[names[k]] = result.trajectory.outputs[k];
    result.last[names[k]] = result.trajectory.outputs[names.size() + k];
  }
  return result;
}

std::string refused(const std::string& text) {
  try {
    resolve_text("test", text);
  } catch (const InputError& trouble) {
    return trouble.what();
  }
  return "";
}

constexpr const char* stiff_methods[] = {"rodas5p", "bdf", "cvodes"};

TEST(FastReactions, AnIsomerIsDrainedThroughTheOther) {
  // A <-> B at 3:1, and B decays: the sum decays with a quarter of the rate.
  const std::string text = "#: fast J\nJ: A -> B; A - 3*B\nK: B -> ; 0.4*B\nA = 0; B = 8";
  for (const char* method : stiff_methods) {
    Course r = run(5, text, method);
    EXPECT_NEAR(r.first["A"], 6, 1e-12) << method;
    EXPECT_NEAR(r.first["B"], 2, 1e-12) << method;
    const double sum = 8 * std::exp(-0.4 * 0.25 * 5);
    EXPECT_NEAR(r.last["A"], 0.75 * sum, 1e-6) << method;
    EXPECT_NEAR(r.last["B"], 0.25 * sum, 1e-6) << method;
  }
  for (int lanes : {4, 8})
    EXPECT_NEAR(run(5, text, "rodas5p", 1e-8, lanes).last["A"], 6 * std::exp(-0.5), 1e-6);
}

TEST(FastReactions, TheSpeedThatIsWrittenDoesNotMatter) {
  Course slow =
      run(5, "#: fast J\nA -> B; 0\nJ: A -> B; 1e-3*(A - 3*B)\nB -> ; 0.4*B\nA = 8; B = 0");
  EXPECT_NEAR(slow.last["A"], 6 * std::exp(-0.5), 1e-6);
}

TEST(FastReactions, BindingFollowsTheQuadraticLaw) {
  // E + S <-> ES with K = 0.5, ES -> E + P: the equilibrium at the start, and at the end together
  // with what is conserved; and the same as very fast reactions that are not called so.
  const std::string law =
      "E + S -> ES; %*(E*S - 0.5*ES)\nES -> E + P; 0.3*ES\n"
      "E = 1; S = 4; ES = 0; P = 0";
  auto with = [&](const std::string& rate) {
    std::string text = law;
    return "J: " + text.replace(text.find('%'), 1, rate);
  };
  Course plain = run(6, with("1e7"), "rodas5p", 1e-10);
  for (const char* method : stiff_methods) {
    Course r = run(6, "#: fast J\n" + with("2"), method);
    const double b = 1 + 4 + 0.5, bound = (b - std::sqrt(b * b - 16)) / 2;
    EXPECT_NEAR(r.first["ES"], bound, 1e-12) << method;
    EXPECT_NEAR(r.last["E"] * r.last["S"], 0.5 * r.last["ES"], 1e-7) << method;
    EXPECT_NEAR(r.last["E"] + r.last["ES"], 1, 1e-12) << method;
    EXPECT_NEAR(r.last["S"] + r.last["ES"] + r.last["P"], 4, 1e-7) << method;
    EXPECT_NEAR(r.last["P"], plain.last["P"], 1e-6) << method;
  }
}

TEST(FastReactions, OneThatGoesOneWayUsesItsReactantUp) {
  Course r = run(2, "#: fast J\nJ: A => B; 0.01*A\nB => C; B\nC => A; 0.5*C\nA = 1; B = 0; C = 1");
  EXPECT_NEAR(r.first["A"], 0, 1e-15);
  EXPECT_NEAR(r.first["B"], 1, 1e-15);
  EXPECT_NEAR(r.last["A"], 0, 1e-12);
  EXPECT_NEAR(r.last["C"], 4. / 3 - 1. / 3 * std::exp(-1.5 * 2), 1e-7);
  // 2 A -> B with a rate that vanishes to second order.
  r = run(2, "#: fast J\nJ: 2 A => B; A^2\nB => 2 A; 0.1*B\nA = 1; B = 1");
  EXPECT_NEAR(r.last["A"], 0, 1e-6);
  EXPECT_NEAR(r.last["B"], 1.5, 1e-6);
}

TEST(FastReactions, TheEquilibriumIsTheOneThatIsReached) {
  // S1*S2 is zero at both ends; the sign of the rate says to which they go.
  for (double sign : {-1., 1.}) {
    Course r =
        run(1, "#: fast J\nJ: S1 -> S2; k*S1*S2\nS1 = 5; S2 = 5; k = " + std::to_string(sign));
    EXPECT_NEAR(r.first["S1"], sign < 0 ? 10 : 0, 1e-12);
    EXPECT_NEAR(r.last["S2"], sign < 0 ? 0 : 10, 1e-12);
  }
  // Even from close to where it must not go.
  Course r = run(1, "#: fast J\nJ: S1 -> S2; -S1*S2\nS1 = 1e-6; S2 = 10");
  EXPECT_NEAR(r.first["S1"], 10 + 1e-6, 1e-12);
}

TEST(FastReactions, ReactionsThatDependOnEachOtherShareOneEquilibrium) {
  // A <-> B <-> C <-> A: two of the three are independent.
  const std::string text =
      "#: fast J1\n#: fast J2\n#: fast J3\n"
      "J1: A -> B; 2*A - B\nJ2: B -> C; 3*B - C\nJ3: C -> A; C - 6*A\nK: C -> D; 0.3*C\n"
      "A = 9; B = 0; C = 0; D = 0";
  for (const char* method : stiff_methods) {
    Course r = run(4, text, method);
    const double sum = 9 * std::exp(-0.3 * 6 / 9 * 4);
    EXPECT_NEAR(r.first["B"], 2, 1e-12) << method;
    EXPECT_NEAR(r.last["A"], sum / 9, 1e-6) << method;
    EXPECT_NEAR(r.last["D"], 9 - sum, 1e-6) << method;
  }
}

TEST(FastReactions, OneSpeciesMayBeHeldFromOutside) {
  Course r = run(2, "#: fast J\nJ: $X -> A; 2*X - A\nA -> B; 0.5*A\nX = 3; A = 0; B = 0");
  EXPECT_EQ(r.first["A"], 6);
  EXPECT_NEAR(r.last["B"], 6, 1e-7);
}

TEST(FastReactions, ALawThatIsZeroChangesNothing) {
  const std::string text =
      "#: fast J\nJ: A -> B; k*A\nK: B -> A; (1)\nk = 0; A = 0; B = 2\n"
      "at (A >= 0.5): k = 1\nat (time >= 1): k = 0";
  EXPECT_NEAR(run(0.4, text).last["A"], 0.4, 1e-9);
  EXPECT_NEAR(run(0.7, text).last["A"], 0, 1e-9);
  EXPECT_NEAR(run(1.3, text).last["A"], 0.3, 1e-9);
}

TEST(FastReactions, EventsSetAmountsAndTheEquilibriumFollows) {
  const std::string law = "#: fast J\nJ: A -> B; A - 3*B\nA = 4; B = 0\n";
  EXPECT_NEAR(run(2, law + "at (time > 1): B = 9").last["A"], 9, 1e-9);  // 3 + 9 at 3:1
  EXPECT_NEAR(run(2, law + "at (time > 1): A = 0").last["A"], 0.75, 1e-9);
  EXPECT_NEAR(run(2, law + "at (time > 1): A = B, B = A").last["B"], 1, 1e-9);
  // Of a delayed one: what it sets is from its trigger, what it leaves alone is from its time.
  const std::string two = law + "at 1 after (time > 0.5): A = A + 1\nat (time > 1): B = 5";
  // 3, 1 -> B = 5: 6, 2 -> A = 4: 4.5, 1.5
  EXPECT_NEAR(run(2, two).last["A"], 4.5, 1e-9);
  // A stoichiometry that an event sets: what is there is there, equilibria come from the new one.
  Course r = run(2,
                 "#: fast J\nJ: A -> n B; A - B\nn = 1; A = 2; B = 2\n"
                 "at (time > 0.5): n = 3\nat (time > 1): A = 6");
  // 6 - x = 2 + 3 x
  EXPECT_NEAR(r.last["A"], 5, 1e-9);
}

TEST(FastReactions, AmountsMoveBetweenCompartmentsThatGrow) {
  // Concentrations are equal at equilibrium; V1 grows, V2 does not; the sum stays.
  const std::string text =
      "compartment V1 = 1, V2 = 2; V1' = 0.5\nspecies A in V1 = 6, B in V2 = 0\n#: fast J\n"
      "J: A -> B; A - B";
  for (const char* method : stiff_methods) {
    Course r = run(4, text, method);
    EXPECT_NEAR(r.first["A"], 2, 1e-12) << method;
    EXPECT_NEAR(r.last["A"], 6. / 5, 1e-6) << method;
    EXPECT_NEAR(r.last["B"], 6. / 5, 1e-6) << method;
  }
}

TEST(FastReactions, StoichiometriesMayMoveWithTime) {
  // A -> n B with n = 1 + t, A = B at equilibrium, A decays by 0.5 A: A' = -0.5 A n/(n + 1).
  const std::string text = "#: fast J\nJ: A -> n B; A - B\nK: A -> ; 0.5*A\nA = 1; B = 1\n";
  const double expected = std::exp(-0.5 * (3 - std::log(5. / 2)));
  EXPECT_NEAR(run(3, text + "n := 1 + time").last["A"], expected, 1e-7);
  EXPECT_NEAR(run(3, text + "n' = 1; n = 1").last["B"], expected, 1e-7);
}

TEST(FastReactions, AlgebraicRulesAreSolvedAlongside) {
  // The law needs z, which is a root of z^3 + z = A.
  Course r = run(1, "#: fast J\nJ: A -> B; z - B\nvar z = 1; 0 = z^3 + z - A\nA = 3; B = 0");
  EXPECT_NEAR(r.first["B"], r.first["z"], 1e-10);
  EXPECT_NEAR(r.first["A"], std::pow(r.first["z"], 3) + r.first["z"], 1e-10);
  EXPECT_NEAR(r.last["A"] + r.last["B"], 3, 1e-10);
}

TEST(FastReactions, ThePastIsNotAtEquilibrium) {
  Course r = run(0.5, "#: fast J\nJ: A => B; A\nA = 2; B = 3; x := delay(A, 1); y' = x; y = 0");
  EXPECT_NEAR(r.first["A"], 0, 1e-15);
  EXPECT_NEAR(r.last["y"], 1, 1e-9);
}

TEST(FastReactions, WithoutEquilibriumThereIsNoRun) {
  Course r = run(1, "#: fast J\nJ: -> A; 1\nA = 0; B = 1; B -> ; 0.1");
  EXPECT_NE(r.trajectory.outcome.status, Status::done);
  EXPECT_NE(r.explanation.find("no equilibrium"), std::string::npos) << r.explanation;
  // Lotka and Volterra would run for ever.
  r = run(1,
          "#: fast J1\n#: fast J2\n#: fast J3\nJ1: -> A; A\nJ2: A -> B; A*B\nJ3: B -> ; B\n"
          "A = 1; B = 0.5");
  EXPECT_NE(r.trajectory.outcome.status, Status::done);
  EXPECT_NE(r.explanation.find("do not come to an equilibrium"), std::string::npos)
      << r.explanation;
}

TEST(FastReactions, WhatHasNoMeaningIsRefused) {
  EXPECT_NE(refused("#: fast J\nJ: A -> B; A - B\nA = 1; B = 1; x := rateOf(A); y' = x; y = 0")
                .find("fast reactions change it"),
            std::string::npos);
  EXPECT_NE(refused("#: fast J\nJ: A -> n B; A - B\nA = 1; B = 1; n := 1 + B")
                .find("the stoichiometry of a fast reaction depends on 'B'"),
            std::string::npos);
  EXPECT_NE(
      refused("#: fast J\nJ: A -> n B; A - B\nA = 1; B = 1; n := 1 + floor(time)").find("jumps"),
      std::string::npos);
  CompiledModel model =
      compile_model(resolve_text("test", "#: fast J\nJ: A -> B; A - B\nA = 1; B = 0"));
  IntegrationOptions settings;
  settings.method = "dopri5";
  EXPECT_NE(refusal(model.problem, settings).find("rodas5p, bdf and cvodes can"),
            std::string::npos);
}

}  // namespace
}  // namespace stiffit::internal
