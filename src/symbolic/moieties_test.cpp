// SPDX-License-Identifier: Apache-2.0
#include "symbolic/moieties.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace stiffit::internal {
namespace {

using Stoichiometry = std::vector<std::pair<int, double>>;

// Mass action on the states with negative coefficients, rate constant 1 + index.
System network(int states, const std::vector<Stoichiometry>& reactions) {
  System s;
  Graph& g = s.graph;
  s.terms.resize(states);
  for (int i = 0; i < states; ++i) {
    s.states.push_back({"x" + std::to_string(i), {}, false});
    s.parameters.push_back({"x0" + std::to_string(i), {}, 1.0 + i, false});
    s.initial.push_back(g.parameter(i));
  }
  for (std::size_t r = 0; r < reactions.size(); ++r) {
    NodeId rate = g.number(1.0 + static_cast<double>(r));
    for (auto& [state, coefficient] : reactions[r]) {
      s.terms[state].push_back({static_cast<int>(r), g.number(coefficient)});
      if (coefficient < 0) rate = g.mul(rate, g.state(state));
    }
    s.rates.push_back(rate);
  }
  for (auto& row : s.terms) {
    NodeId sum = g.number(0);
    for (const Term& term : row) sum = g.add(sum, g.mul(term.coefficient, s.rates[term.reaction]));
    s.rhs.push_back(sum);
  }
  return s;
}

// E + S <-> C -> E + P; states E, S, C, P.
std::vector<Stoichiometry> enzyme() {
  return {{{0, -1}, {1, -1}, {2, 1}}, {{0, 1}, {1, 1}, {2, -1}}, {{0, 1}, {2, -1}, {3, 1}}};
}

TEST(Moieties, Enzyme) {
  auto found = conserved_moieties(network(4, enzyme()));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].terms, (Stoichiometry{{0, 1}, {2, 1}}));
  EXPECT_EQ(found[1].terms, (Stoichiometry{{1, 1}, {2, 1}, {3, 1}}));
}

TEST(Moieties, LotkaAndRobertsonKeepTheirSums) {
  // As equations, not reactions: x1 + x2 -> 2 x2, x2 + x3 -> 2 x3, x3 -> x4.
  auto lotka =
      conserved_moieties(network(4, {{{0, -1}, {1, 1}}, {{1, -1}, {2, 1}}, {{2, -1}, {3, 1}}}));
  ASSERT_EQ(lotka.size(), 1u);
  EXPECT_EQ(lotka[0].terms, (Stoichiometry{{0, 1}, {1, 1}, {2, 1}, {3, 1}}));
  auto robertson =
      conserved_moieties(network(3, {{{0, -1}, {1, 1}}, {{1, -1}, {2, 1}}, {{0, 1}, {1, -1}}}));
  ASSERT_EQ(robertson.size(), 1u);
  EXPECT_EQ(robertson[0].terms, (Stoichiometry{{0, 1}, {1, 1}, {2, 1}}));
}

// H2, O2, O, H, OH, H2O. Hydrogen and oxygen are conserved, and, as two molecules always make two,
// their number.
TEST(Moieties, WaterConservesItsElements) {
  System water = network(6, {{{0, -1}, {2, -1}, {3, 1}, {4, 1}},
                             {{3, -1}, {1, -1}, {2, 1}, {4, 1}},
                             {{0, -1}, {4, -1}, {5, 1}, {3, 1}}});
  auto found = conserved_moieties(water);
  ASSERT_EQ(found.size(), 3u);
  // Both elements lie in the span: adding them to the basis does not raise its rank.
  std::vector<std::vector<double>> rows{{2, 0, 0, 1, 1, 2}, {0, 2, 1, 0, 1, 1}};
  for (const Moiety& m : found) {
    rows.insert(rows.begin(), std::vector<double>(6, 0.0));
    for (auto& [state, value] : m.terms) {
      EXPECT_GT(value, 0);
      EXPECT_EQ(value, std::round(value));
      rows.front()[state] = value;
    }
  }
  std::size_t rank = 0;
  for (std::size_t column = 0; column < 6 && rank < rows.size(); ++column) {
    for (std::size_t r = rank; r < rows.size(); ++r)
      if (std::fabs(rows[r][column]) > 1e-9) {
        std::swap(rows[r], rows[rank]);
        for (std::size_t other = rank + 1; other < rows.size(); ++other) {
          double factor = rows[other][column] / rows[rank][column];
          for (std::size_t k = 0; k < 6; ++k) rows[other][k] -= factor * rows[rank][k];
        }
        ++rank;
        break;
      }
  }
  EXPECT_EQ(rank, 3u);
}

TEST(Moieties, WhatIsMadeFromNothingIsNotConserved) {
  EXPECT_TRUE(conserved_moieties(network(2, {{{0, 1}}, {{0, -1}, {1, 1}}, {{1, -1}}})).empty());
  // A state that nothing changes is conserved by itself.
  auto still = conserved_moieties(network(2, {{{0, -1}}}));
  ASSERT_EQ(still.size(), 1u);
  EXPECT_EQ(still[0].terms, (Stoichiometry{{1, 1}}));
}

TEST(Moieties, StoichiometriesOfParametersAndOfTime) {
  System s = network(2, {{{0, -1}, {1, 1}}});
  s.parameters.push_back({"volume", {}, 4, false});
  s.terms[1][0].coefficient = s.graph.div(s.graph.number(1), s.graph.parameter(2));
  auto found = conserved_moieties(s);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].terms, (Stoichiometry{{0, 1}, {1, 4}}));
  s.terms[1][0].coefficient = s.graph.time();
  EXPECT_TRUE(conserved_moieties(s).empty());
}

// The reduced equations are the original ones with the totals put in.
TEST(Moieties, ReducedEquationsAreTheSame) {
  System s = network(4, enzyme());
  auto moieties = conserved_moieties(s);
  ReducedSystem reduced = reduce_by_moieties(s, moieties);
  ASSERT_EQ(reduced.system.states.size(), 2u);
  // The state that holds most at the start is the one to go: C = 3 of E + C, P = 4 of S + C + P.
  EXPECT_EQ(reduced.dependent, (std::vector<int>{2, 3}));
  EXPECT_EQ(reduced.kept, (std::vector<int>{0, 1}));
  // E = 0.5: C = 1 + 3 - 0.5; S = 1.25: P = 2 + 3 + 4 - S - C.
  auto small = [&](Leaf leaf, int i) { return leaf == Leaf::state ? (i ? 1.25 : 0.5) : 1.0 + i; };
  const double full_state[4] = {0.5, 1.25, 3.5, 4.25};
  auto full = [&](Leaf leaf, int i) { return leaf == Leaf::state ? full_state[i] : 1.0 + i; };
  auto all = reduced.all_states(s);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(reduced.system.graph.value(all[i].node, small), full_state[i], 1e-14);
    EXPECT_EQ(all[i].name, s.states[i].name);
  }
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(reduced.system.graph.value(reduced.system.rhs[i], small),
                s.graph.value(s.rhs[reduced.kept[i]], full), 1e-13);
  // An output made after the reduction.
  NodeId late = s.graph.mul(s.graph.state(2), s.graph.state(3));
  EXPECT_NEAR(reduced.system.graph.value(reduced.translate(s, late), small), 3.5 * 4.25, 1e-13);
}

// Random complexes of ten building blocks, 4,000 states, 40,000 reactions: exactly the blocks.
TEST(Moieties, LargeNetwork) {
  std::mt19937 random(1);
  const int blocks = 10, states = 4000;
  std::vector<std::vector<int>> content(static_cast<std::size_t>(states), std::vector<int>(10, 0));
  std::vector<Stoichiometry> reactions;
  for (int i = 0; i < states; ++i) {
    auto& own = content[i];
    if (i < blocks) {
      own[i] = 1;
      continue;
    }
    int a = static_cast<int>(random() % static_cast<unsigned>(i));
    int b = static_cast<int>(random() % blocks);
    if (a == b) {
      reactions.push_back({{a, -2}, {i, 1}});
    } else {
      reactions.push_back({{a, -1}, {b, -1}, {i, 1}});
    }
    for (std::size_t k = 0; k < 10; ++k) own[k] = content[a][k] + content[b][k];
    for (int again = 0; again < 9; ++again) reactions.push_back(reactions.back());
  }
  auto found = conserved_moieties(network(states, reactions));
  ASSERT_EQ(found.size(), 10u);
  for (std::size_t k = 0; k < 10; ++k) {
    EXPECT_EQ(found[k].terms.front(), (std::pair<int, double>(static_cast<int>(k), 1)));
    for (auto& [state, value] : found[k].terms) EXPECT_EQ(value, content[state][k]);
  }
}

}  // namespace
}  // namespace stiffit::internal
