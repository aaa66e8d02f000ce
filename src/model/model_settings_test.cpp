// SPDX-License-Identifier: Apache-2.0
#include "model/model_settings.h"

#include <gtest/gtest.h>

namespace stiffit::internal {
namespace {

std::shared_ptr<Model> small_model() {
  auto m = std::make_shared<Model>();
  m->compartments.push_back({.id = "c", .size = 2, .unit = {}, .span = {}});
  Species amount;
  amount.id = "N";
  amount.compartment = 0;
  amount.in_amount = true;
  Species concentration;
  concentration.id = "S";
  concentration.compartment = 0;
  m->species = {amount, concentration};
  Parameter k;
  k.id = "k";
  m->parameters = {k};
  ExprId number = m->expressions.number(3);
  m->initial_assignments.push_back({{SymbolKind::parameter, 0}, number, {}});
  m->initial_assignments.push_back({{SymbolKind::species, 1}, number, {}});
  return m;
}

TEST(ModelSettings, TheNameSaysWhetherAnAmountIsMeant) {
  auto original = small_model();
  auto changed = with_settings(original, {{{"N", 4}, {"S", 5}}});
  EXPECT_EQ(changed->species[0].initial, 4);
  EXPECT_TRUE(changed->species[0].initial_is_amount);
  EXPECT_FALSE(changed->species[1].initial_is_amount);
  changed = with_settings(original, {{{"[N]", 4}, {"amount(S)", 5}}});
  EXPECT_FALSE(changed->species[0].initial_is_amount);
  EXPECT_TRUE(changed->species[1].initial_is_amount);
}

TEST(ModelSettings, ReplacesInitialAssignmentsOnACopy) {
  auto original = small_model();
  auto changed = with_settings(original, {{{"k", 7}, {"c", 1e-3}}});
  ASSERT_EQ(changed->initial_assignments.size(), 1u);
  EXPECT_EQ(changed->initial_assignments[0].target.kind, SymbolKind::species);
  EXPECT_EQ(changed->parameters[0].value, 7);
  EXPECT_EQ(changed->compartments[0].size, 1e-3);
  EXPECT_EQ(original->initial_assignments.size(), 2u);
  EXPECT_EQ(with_settings(original, {}), original);
}

}  // namespace
}  // namespace stiffit::internal
