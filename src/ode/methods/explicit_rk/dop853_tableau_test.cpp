// The order conditions of DOP853, over all rooted trees.
// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/explicit_rk/dop853_tableau.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "ode/methods/explicit_rk/rooted_trees_trial.h"

namespace stiffit::internal {
namespace {

constexpr int all = dop853::all_stages;

double a(int i, int j) { return j < i && j < 15 ? dop853::a[i][j] : 0; }

std::vector<RootedTree> trees_up_to(int largest) { return rooted_trees(largest, all, a); }

TEST(Dop853, StagesAddUpToTheirNodes) {
  for (int i = 0; i < all; ++i) {
    double sum = 0;
    for (int j = 0; j < i; ++j) sum += a(i, j);
    EXPECT_NEAR(sum, dop853::node[i], 1e-14) << i;
  }
}

TEST(Dop853, HasOrderEight) {
  const std::vector<RootedTree> trees = trees_up_to(9);
  std::map<int, int> count;
  double worst_ninth = 0;
  for (const RootedTree& tree : trees) {
    ++count[tree.order];
    double sum = 0;
    for (int j = 0; j < dop853::stages; ++j) sum += dop853::a[12][j] * tree.value[j];
    const double defect = std::fabs(sum - 1 / tree.gamma);
    if (tree.order <= 8) {
      EXPECT_LT(defect, 1e-14) << "order " << tree.order;
    } else {
      worst_ninth = std::max(worst_ninth, defect);
    }
  }
  EXPECT_EQ(count[8], 115);
  EXPECT_GT(worst_ninth, 1e-7);  // the conditions can fail
}

// The estimates are the result minus methods of their orders.
TEST(Dop853, EstimatesHaveOrdersFiveAndThree) {
  double worst[2] = {0, 0};
  for (const RootedTree& tree : trees_up_to(6)) {
    double five = 0, three = 0;
    for (int j = 0; j < dop853::stages; ++j) {
      five += dop853::error5[j] * tree.value[j];
      three += dop853::error3[j] * tree.value[j];
    }
    if (tree.order <= 5) {
      EXPECT_LT(std::fabs(five), 1e-14) << tree.order;
    }
    if (tree.order <= 3) {
      EXPECT_LT(std::fabs(three), 1e-14) << tree.order;
    }
    if (tree.order == 6) worst[0] = std::max(worst[0], std::fabs(five));
    if (tree.order == 4) worst[1] = std::max(worst[1], std::fabs(three));
  }
  EXPECT_GT(worst[0], 1e-6);
  EXPECT_GT(worst[1], 1e-5);
}

// The continuous extension at theta, a tree at a time: its weights must give theta^order/gamma.
TEST(Dop853, ExtensionHasOrderSeven) {
  for (const RootedTree& tree : trees_up_to(7)) {
    double rise = 0, extra[4] = {};
    for (int j = 0; j < dop853::stages; ++j) rise += dop853::a[12][j] * tree.value[j];
    for (int m = 0; m < 4; ++m)
      for (int j = 0; j < all; ++j) extra[m] += dop853::dense[m][j] * tree.value[j];
    const double first = tree.value[0], last = tree.value[12];
    for (double theta : {0.1, 0.35, 0.5, 0.8}) {
      const double left = 1 - theta, bend = first - rise, rest = rise - last - bend;
      double sum = extra[3];
      sum = extra[2] + theta * sum;
      sum = extra[1] + left * sum;
      sum = extra[0] + theta * sum;
      sum = rest + left * sum;
      sum = bend + theta * sum;
      sum = rise + left * sum;
      EXPECT_NEAR(theta * sum, std::pow(theta, tree.order) / tree.gamma, 1e-13) << tree.order;
    }
  }
}

}  // namespace
}  // namespace stiffit::internal
