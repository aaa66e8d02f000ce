// SPDX-License-Identifier: Apache-2.0
#include "model/library/generated_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "base/diagnostic.h"
#include "base/number.h"

namespace stiffit::internal {
namespace {

// FNV-1a: a fingerprint of a text.
std::uint64_t fingerprint(const std::string& text) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001B3u;
  return hash;
}

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

NetworkRecipe recipe_of(int species, int reactions, std::uint64_t seed = 7) {
  NetworkRecipe recipe;
  recipe.species = species;
  recipe.reactions = reactions;
  recipe.seed = seed;
  return recipe;
}

void expect_sound(const GeneratedNetwork& network) {
  auto mass = [&](const std::vector<int>& side) {
    int sum = 0;
    for (int s : side) sum += network.species[s].mass;
    return sum;
  };
  std::vector<int> root(network.species.size());
  std::iota(root.begin(), root.end(), 0);
  auto find = [&](int s) {
    while (root[s] != s) s = root[s];
    return s;
  };
  for (const GeneratedReaction& r : network.reactions) {
    EXPECT_EQ(r.open, r.reactants.empty() || r.products.empty());
    EXPECT_TRUE(r.open || mass(r.reactants) == mass(r.products));
    std::vector<int> all = r.reactants;
    all.insert(all.end(), r.products.begin(), r.products.end());
    for (int s : all) root[find(s)] = find(all[0]);
  }
  for (std::size_t s = 0; s < network.species.size(); ++s) {
    EXPECT_EQ(find(static_cast<int>(s)), find(0)) << "not connected: " << network.species[s].name;
    EXPECT_GT(parse_number(network.species[s].initial).value_or(-1), 0);
  }
}

TEST(GeneratedNetwork, HasTheSizeAskedFor) {
  for (auto [species, reactions] : {std::pair{4, 4}, {16, 25}, {39, 45}, {64, 69}, {500, 750}}) {
    GeneratedNetwork network = build_network(recipe_of(species, reactions));
    EXPECT_EQ(network.species.size(), static_cast<std::size_t>(species));
    EXPECT_EQ(network.reactions.size(), static_cast<std::size_t>(reactions));
    std::string text = generate_network(recipe_of(species, reactions));
    EXPECT_EQ(occurrences(text, "->"), static_cast<std::size_t>(reactions));
    EXPECT_EQ(occurrences(text, "kf"), static_cast<std::size_t>(2 * reactions));
  }
}

TEST(GeneratedNetwork, KeepsMassAndIsConnected) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    expect_sound(build_network(recipe_of(40, 60, seed)));
    expect_sound(build_network(recipe_of(5, 12, seed)));
  }
}

TEST(GeneratedNetwork, RateConstantsSpanTheDecades) {
  GeneratedNetwork network = build_network(recipe_of(500, 750));
  double smallest = 1e300, largest = 0;
  for (const GeneratedReaction& r : network.reactions) {
    double k = parse_number(r.forward).value();
    smallest = std::min(smallest, k);
    largest = std::max(largest, k);
  }
  EXPECT_GE(smallest, 1e-2);
  EXPECT_LT(smallest, 2e-2);
  EXPECT_GT(largest, 5e3);
  EXPECT_LT(largest, 1e4);
}

TEST(GeneratedNetwork, IsSparse) {
  GeneratedNetwork network = build_network(recipe_of(500, 750));
  std::size_t memberships = 0;
  for (const GeneratedReaction& r : network.reactions) {
    std::set<int> members(r.reactants.begin(), r.reactants.end());
    members.insert(r.products.begin(), r.products.end());
    memberships += members.size();
  }
  EXPECT_LT(memberships, 4 * network.species.size());
}

// The texts are part of the product: a change here changes every benchmark.
TEST(GeneratedNetwork, IsTheSameEverywhere) {
  EXPECT_EQ(fingerprint(generate_network(recipe_of(39, 45, 1))), 15196658569791793506u);
  EXPECT_EQ(fingerprint(generated_benchmark_network(40)), 4890898294063511032u);
  EXPECT_EQ(fingerprint(generated_benchmark_network(500)), 14082156069591693619u);
  EXPECT_EQ(fingerprint(generate_module_tree(5, 1)), 1728218521376565834u);
  EXPECT_NE(generate_network(recipe_of(39, 45, 1)), generate_network(recipe_of(39, 45, 2)));
}

TEST(GeneratedNetwork, ModuleTreeIsOneSoundNetwork) {
  GeneratedNetwork tree = build_module_tree(50, 1);
  EXPECT_EQ(tree.species.size(), 1000u);
  EXPECT_EQ(tree.reactions.size(), 50u * 30 + 49 + 25);
  expect_sound(tree);
}

TEST(GeneratedNetwork, RefusesTheImpossible) {
  EXPECT_THROW(build_network(recipe_of(3, 10)), InputError);
  EXPECT_THROW(build_network(recipe_of(10, 9)), InputError);
}

}  // namespace
}  // namespace stiffit::internal
