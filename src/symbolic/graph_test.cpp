// SPDX-License-Identifier: Apache-2.0
#include "symbolic/graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace stiffit::internal {
namespace {

class GraphTest : public testing::Test {
 protected:
  Graph g;
  NodeId x = g.state(0), y = g.state(1), p = g.parameter(0), q = g.parameter(1), t = g.time();
  NodeId number(double value) { return g.number(value); }
};

TEST_F(GraphTest, EqualExpressionsAreOneNode) {
  EXPECT_EQ(g.state(0), x);
  EXPECT_NE(g.state(1), x);
  EXPECT_NE(g.parameter(0), x);
  EXPECT_EQ(g.number(2.5), g.number(2.5));
  EXPECT_EQ(g.add(x, y), g.add(y, x));
  EXPECT_EQ(g.mul(x, y), g.mul(y, x));
  EXPECT_NE(g.sub(x, y), g.sub(y, x));
  EXPECT_EQ(g.apply(Op::exp, g.mul(x, y)), g.apply(Op::exp, g.mul(y, x)));
  const std::size_t before = g.size();
  g.apply(Op::exp, g.mul(y, x));
  EXPECT_EQ(g.size(), before);
}

TEST_F(GraphTest, ManyNodesStayDistinct) {
  std::vector<NodeId> made;
  for (int i = 0; i < 5000; ++i) made.push_back(g.mul(g.number(i + 2), g.state(i)));
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(g.mul(g.number(i + 2), g.state(i)), made[i]);
}

TEST_F(GraphTest, NeutralElementsVanish) {
  EXPECT_EQ(g.add(x, number(0)), x);
  EXPECT_EQ(g.sub(x, number(0)), x);
  EXPECT_EQ(g.mul(number(1), x), x);
  EXPECT_EQ(g.div(x, number(1)), x);
  EXPECT_EQ(g.pow(x, number(1)), x);
  EXPECT_TRUE(g.is_number(g.mul(x, number(0)), 0));
  EXPECT_TRUE(g.is_number(g.pow(x, number(0)), 1));
  EXPECT_TRUE(g.is_number(g.sub(x, x), 0));
  EXPECT_TRUE(g.is_number(g.add(number(2), number(3)), 5));
}

TEST_F(GraphTest, SignsMoveOutward) {
  EXPECT_EQ(g.neg(g.neg(x)), x);
  EXPECT_EQ(g.neg(g.sub(x, y)), g.sub(y, x));
  EXPECT_EQ(g.add(x, g.neg(y)), g.sub(x, y));
  EXPECT_EQ(g.sub(x, g.neg(y)), g.add(x, y));
  EXPECT_EQ(g.mul(g.neg(x), g.neg(y)), g.mul(x, y));
  EXPECT_EQ(g.div(g.neg(x), g.neg(y)), g.div(x, y));
  EXPECT_EQ(g.mul(number(-1), x), g.neg(x));
}

TEST_F(GraphTest, SumsAndPowersBecomeProducts) {
  EXPECT_EQ(g.add(x, x), g.mul(number(2), x));
  EXPECT_EQ(g.pow(x, number(2)), g.mul(x, x));
  EXPECT_EQ(g.pow(x, number(0.5)), g.apply(Op::sqrt, x));
  EXPECT_EQ(g.pow(x, number(-1)), g.div(number(1), x));
  EXPECT_EQ(g[g.pow(x, number(2.5))].op, Op::pow);
}

TEST_F(GraphTest, WhatIsFixedIsGatheredInFrontOfAProduct) {
  NodeId product = g.mul(g.mul(p, x), g.mul(q, y));
  ASSERT_EQ(g[product].op, Op::mul);
  EXPECT_EQ(g[product].a, g.mul(p, q));
  EXPECT_EQ(g[product].b, g.mul(x, y));
  // A fixed divisor is inverted once.
  NodeId quotient = g.div(x, p);
  EXPECT_EQ(quotient, g.mul(g.div(number(1), p), x));
  EXPECT_TRUE(g.is_fixed(g.mul(p, q)));
  EXPECT_FALSE(g.is_fixed(g.mul(p, t)));
  // Numbers among parameters meet.
  EXPECT_EQ(g.mul(g.mul(number(2), p), g.mul(number(3), q)), g.mul(number(6), g.mul(p, q)));
}

TEST_F(GraphTest, ChoicesThatAreNoneVanish) {
  EXPECT_EQ(g.apply(Op::select, x, number(1), y), x);
  EXPECT_EQ(g.apply(Op::select, x, number(0), y), y);
  EXPECT_EQ(g.apply(Op::select, x, g.apply(Op::lt, t, p), x), x);
}

TEST_F(GraphTest, KnowsWhatItDependsOn) {
  NodeId e = g.add(g.mul(p, x), g.apply(Op::sin, t));
  EXPECT_TRUE(g.depends_on(e, Leaf::state));
  EXPECT_TRUE(g.depends_on(e, Leaf::time));
  EXPECT_TRUE(g.depends_on(e, Leaf::parameter));
  EXPECT_FALSE(g.depends_on(g.mul(p, x), Leaf::time));
}

TEST_F(GraphTest, GradientsNameOnlyWhatMatters) {
  NodeId e = g.mul(p, g.mul(x, g.state(7)));
  auto gradient = g.gradient(e, Leaf::state);
  ASSERT_EQ(gradient.size(), 2u);
  EXPECT_EQ(gradient[0].first, 0);
  EXPECT_EQ(gradient[0].second, g.mul(p, g.state(7)));
  EXPECT_EQ(gradient[1].first, 7);
  EXPECT_TRUE(g.gradient(e, Leaf::time).empty());
  EXPECT_TRUE(g.is_number(g.time_derivative(e), 0));
  // One after another: the marks of a sweep do not reach the next.
  EXPECT_EQ(g.gradient(e, Leaf::state), gradient);
}

TEST_F(GraphTest, PowersAtZeroHaveFiniteDerivatives) {
  auto at_zero = [](Leaf kind, int index) {
    return kind == Leaf::state && index == 0 ? 0.0 : kind == Leaf::state ? 2.0 : 1.0;
  };
  // d(x^y)/dy at x = 0 is 0, not the NaN of 0 * ln 0.
  for (auto& [index, node] : g.gradient(g.pow(x, y), Leaf::state))
    EXPECT_EQ(g.value(node, at_zero), 0) << index;
  // d(x^p)/dx at x = 0, p = 1 is 1.
  EXPECT_EQ(g.value(g.gradient(g.pow(x, p), Leaf::state)[0].second, at_zero), 1);
}

// Every operation with a slope, at random points of its domain, against central differences.
struct Slope {
  Op op;
  double low, high;
};
class GradientRule : public testing::TestWithParam<Slope> {};

TEST_P(GradientRule, IsThatOfDifferences) {
  const auto [op, low, high] = GetParam();
  Graph g;
  const int operands = arity(op);
  // Operands that themselves depend on both states, so that chain rule and sums are met.
  NodeId a = g.add(g.state(0), g.mul(g.number(0.1), g.state(1)));
  NodeId b = g.sub(g.state(1), g.mul(g.number(0.05), g.state(0)));
  NodeId root = operands == 1   ? g.apply(op, a)
                : operands == 2 ? g.apply(op, a, b)
                                : g.apply(op, a, g.apply(Op::gt, g.state(0), g.state(1)), b);
  auto gradient = g.gradient(root, Leaf::state);
  std::mt19937_64 random(static_cast<unsigned>(op));
  std::uniform_real_distribution<double> between(low, high);
  for (int trial = 0; trial < 20; ++trial) {
    double at[2] = {between(random), between(random)};
    if (std::fabs(at[0] - at[1]) < 0.02 * (high - low)) continue;  // near a kink
    double slope[2] = {0, 0};
    auto leaf = [&](Leaf, int index) { return at[index]; };
    for (auto& [index, node] : gradient) slope[index] = g.value(node, leaf);
    for (int k = 0; k < 2; ++k) {
      const double centre = at[k], h = 1e-5 * std::max(1.0, std::fabs(centre));
      auto difference = [&](double step) {
        at[k] = centre + step;
        double up = g.value(root, leaf);
        at[k] = centre - step;
        double down = g.value(root, leaf);
        at[k] = centre;
        return (up - down) / (2 * step);
      };
      // Richardson: the error of order h^2 is taken away.
      double expected = (4 * difference(h) - difference(2 * h)) / 3;
      EXPECT_NEAR(slope[k], expected, 1e-7 * std::max(1.0, std::fabs(expected)))
          << name_of(op) << " at " << at[0] << ", " << at[1] << ", by " << k;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    EveryOperation, GradientRule,
    testing::Values(Slope{Op::neg, -2, 2}, Slope{Op::abs, 0.5, 2}, Slope{Op::abs, -2, -0.5},
                    Slope{Op::sqrt, 0.5, 3}, Slope{Op::exp, -1, 1}, Slope{Op::ln, 0.5, 3},
                    Slope{Op::log10, 0.5, 3}, Slope{Op::sin, -3, 3}, Slope{Op::cos, -3, 3},
                    Slope{Op::tan, -1, 1}, Slope{Op::sec, -1, 1}, Slope{Op::csc, 0.5, 2},
                    Slope{Op::cot, 0.5, 2}, Slope{Op::asin, -0.8, 0.8}, Slope{Op::acos, -0.8, 0.8},
                    Slope{Op::atan, -3, 3}, Slope{Op::asec, 1.3, 3}, Slope{Op::acsc, 1.3, 3},
                    Slope{Op::acot, 0.5, 3}, Slope{Op::sinh, -2, 2}, Slope{Op::cosh, -2, 2},
                    Slope{Op::tanh, -2, 2}, Slope{Op::sech, -2, 2}, Slope{Op::csch, 0.5, 2},
                    Slope{Op::coth, 0.5, 2}, Slope{Op::asinh, -2, 2}, Slope{Op::acosh, 1.3, 3},
                    Slope{Op::atanh, -0.8, 0.8}, Slope{Op::asech, 0.2, 0.8},
                    Slope{Op::acsch, 0.5, 2}, Slope{Op::acoth, 1.3, 3},
                    Slope{Op::factorial, 0.5, 4}, Slope{Op::add, -2, 2}, Slope{Op::sub, -2, 2},
                    Slope{Op::mul, -2, 2}, Slope{Op::div, 0.5, 3}, Slope{Op::pow, 0.5, 3},
                    Slope{Op::min, 1, 3}, Slope{Op::max, 1, 3}, Slope{Op::select, 1, 3}),
    [](const testing::TestParamInfo<Slope>& test) {
      return "op" + std::to_string(static_cast<int>(test.param.op)) +
             (test.param.high < 0 ? "_negative" : "");
    });

TEST_F(GraphTest, StepsAreFlat) {
  for (Op op : {Op::floor, Op::ceil, Op::sign})
    EXPECT_TRUE(g.gradient(g.apply(op, x), Leaf::state).empty()) << name_of(op);
  for (Op op : {Op::quotient, Op::lt, Op::ge, Op::eq, Op::logical_and, Op::logical_xor})
    EXPECT_TRUE(g.gradient(g.apply(op, x, y), Leaf::state).empty()) << name_of(op);
}

}  // namespace
}  // namespace stiffit::internal
