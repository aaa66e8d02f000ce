// Stiff mass-action networks made up from a seed: the same text on every machine. Every species has
// a whole-number mass, and every reaction but synthesis and degradation keeps it, so that solutions
// stay bounded. Reactions join species near each other in number, which keeps the Jacobian sparse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stiffit::internal {

struct NetworkRecipe {
  int species = 40;    // at least 4
  int reactions = 60;  // at least `species`; a reversible one counts once
  double decades = 6;  // rate constants are log-uniform from 1/end_time over so many decades
  std::uint64_t seed = 1;
  std::string name = "network";  // of the model; '-' becomes '_'
  std::string title;             // default: says the size
  double end_time = 100;
};

struct GeneratedSpecies {
  std::string name;
  int mass = 1;
  std::string initial;  // a decimal number
};

struct GeneratedReaction {
  std::vector<int> reactants, products;  // species, repeated ones repeated
  std::string forward, backward;         // rate constants; backward empty: irreversible
  bool open = false;                     // synthesis or degradation: does not keep mass
};

struct GeneratedNetwork {
  std::vector<GeneratedSpecies> species;
  std::vector<GeneratedReaction> reactions;
};

// Throws InputError for a recipe that cannot be met.
GeneratedNetwork build_network(const NetworkRecipe& recipe);
// The same as text of the model language.
std::string generate_network(const NetworkRecipe& recipe);

// The benchmark's networks: 1.5 reactions per species, end time 100.
std::string generated_benchmark_network(int species);

// A binary tree of modules of 20 species and 30 reactions; each is joined to its parent by a
// transport reaction and, every other one, by an enzyme of the parent. For scaling studies.
GeneratedNetwork build_module_tree(int modules, std::uint64_t seed);
std::string generate_module_tree(int modules, std::uint64_t seed);

}  // namespace stiffit::internal
