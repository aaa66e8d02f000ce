// The order conditions of every tableau, over all rooted trees: of the result, of the estimate and
// of the continuous extension. SPDX-License-Identifier: Apache-2.0
#include "ode/methods/explicit_rk/explicit_rk_tableaus.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "ode/methods/explicit_rk/rooted_trees_trial.h"

namespace stiffit::internal {
namespace {

constexpr double tableau_rounding = 1e-14;

template <class Tableau>
class ExplicitTableau : public testing::Test {
 protected:
  static std::vector<RootedTree> trees(int up_to) {
    return rooted_trees(up_to, Tableau::stages, [](int i, int j) { return Tableau::a[i][j]; });
  }
};
// A new pair is one more name here.
using Tableaus = testing::Types<EulerTableau, ModifiedEulerTableau, Rk4Tableau, Rkf45Tableau,
                                Bs32Tableau, Dopri5Tableau, Tsit5Tableau>;
TYPED_TEST_SUITE(ExplicitTableau, Tableaus);

TYPED_TEST(ExplicitTableau, StagesAddUpToTheirNodes) {
  EXPECT_EQ(TypeParam::node[0], 0);
  for (int i = 1; i < TypeParam::stages; ++i) {
    double sum = 0;
    for (int j = 0; j < i; ++j) sum += TypeParam::a[i][j];
    EXPECT_NEAR(sum, TypeParam::node[i], tableau_rounding) << i;
  }
}

TYPED_TEST(ExplicitTableau, HasItsOrderAndNoHigherOne) {
  double next = 0;
  for (const RootedTree& tree : this->trees(TypeParam::order + 1)) {
    const double defect =
        std::fabs(tree.sum(TypeParam::weight, TypeParam::stages) - 1 / tree.gamma);
    if (tree.order <= TypeParam::order)
      EXPECT_LT(defect, tableau_rounding) << "order " << tree.order;
    else
      next = std::max(next, defect);
  }
  EXPECT_GT(next, 1e-5);
}

// Result minus companion: nothing up to the companion's order, something behind it.
TYPED_TEST(ExplicitTableau, EstimateIsOfOneOrderLess) {
  double next = 0;
  for (const RootedTree& tree : this->trees(TypeParam::order)) {
    const double estimate = std::fabs(tree.sum(TypeParam::error, TypeParam::stages));
    if (tree.order < TypeParam::order)
      EXPECT_LT(estimate, tableau_rounding) << "order " << tree.order;
    else
      next = std::max(next, estimate);
  }
  EXPECT_EQ(next > 1e-5, TypeParam::pair);
}

TYPED_TEST(ExplicitTableau, LastStageIsTheSlopeAtTheEndWhereItSaysSo) {
  constexpr int last = TypeParam::stages - 1;
  bool same = TypeParam::node[last] == 1 && TypeParam::weight[last] == 0;
  for (int j = 0; j < last; ++j) same = same && TypeParam::a[last][j] == TypeParam::weight[j];
  EXPECT_EQ(same, TypeParam::first_same_as_last);
}

// At theta the weights must give theta^order/gamma.
TYPED_TEST(ExplicitTableau, ExtensionHasOrderFourWhereThereIsOne) {
  if constexpr (TypeParam::interpolation == Interpolation::own_weights) {
    double next = 0;
    for (const RootedTree& tree : this->trees(5)) {
      const double rise = tree.sum(TypeParam::weight, TypeParam::stages);
      const double bend = tree.value.front() - rise, rest = rise - tree.value.back() - bend;
      const double top = tree.sum(TypeParam::dense, TypeParam::stages);
      for (double theta : {0.1, 0.35, 0.5, 0.8}) {
        const double left = 1 - theta;
        const double defect =
            std::fabs(theta * (rise + left * (bend + theta * (rest + left * top))) -
                      std::pow(theta, tree.order) / tree.gamma);
        if (tree.order <= 4)
          EXPECT_LT(defect, tableau_rounding) << "order " << tree.order << " at " << theta;
        else
          next = std::max(next, defect);
      }
    }
    EXPECT_GT(next, 1e-5);
  }
}

}  // namespace
}  // namespace stiffit::internal
