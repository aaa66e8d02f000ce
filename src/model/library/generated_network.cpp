// SPDX-License-Identifier: Apache-2.0
#include "model/library/generated_network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "base/diagnostic.h"
#include "base/number.h"
#include "base/splitmix.h"

namespace stiffit::internal {
namespace {

// The 24 steps per decade of the E24 series: evenly spread on a log scale, and short to print.
constexpr std::array<const char*, 24> steps{"1",   "1.1", "1.2", "1.3", "1.5", "1.6", "1.8", "2",
                                            "2.2", "2.4", "2.7", "3",   "3.3", "3.6", "3.9", "4.3",
                                            "4.7", "5.1", "5.6", "6.2", "6.8", "7.5", "8.2", "9.1"};

constexpr int heaviest = 12;       // larger complexes are rare in nature too
constexpr int neighbourhood = 12;  // partners are looked for so far away in number

// A log-uniform number of `decades` decades from 10^lowest.
std::string log_uniform(SplitMix& random, int lowest, double decades) {
  int step = random.below(std::max(1, static_cast<int>(std::lround(24 * decades))));
  std::string text = steps[step % 24];
  int exponent = lowest + step / 24;
  if (exponent != 0) text.append("e").append(std::to_string(exponent));
  return text;
}

// Adds one connected network to `network`; species of other parts are not touched.
class Builder {
 public:
  Builder(GeneratedNetwork& network, const NetworkRecipe& recipe, std::string prefix)
      : network_(network),
        recipe_(recipe),
        prefix_(std::move(prefix)),
        random_(recipe.seed),
        first_(static_cast<int>(network.species.size())),
        first_reaction_(static_cast<int>(network.reactions.size())),
        slowest_(-static_cast<int>(std::lround(std::log10(recipe.end_time)))) {}

  void build() {
    int first = add_species(1);
    convert(first, add_species(1));  // so that there always is a pair of equal mass
    while (count() < recipe_.species) grow();
    int flows = std::min(recipe_.species / 20, (recipe_.reactions - recipe_.species + 1) / 2);
    for (int i = 0; i < flows; ++i) flow_through();
    while (static_cast<int>(network_.reactions.size()) - first_reaction_ < recipe_.reactions)
      add_reaction_between_old();
  }

 private:
  int count() const { return static_cast<int>(network_.species.size()) - first_; }
  int mass(int species) const { return network_.species[species].mass; }
  std::string rate() { return log_uniform(random_, slowest_, recipe_.decades); }

  // Free molecules begin with 0.1 to 10, complexes with a hundredth of that.
  int add_species(int with_mass) {
    GeneratedSpecies species;
    species.name = prefix_ + std::to_string(count() + 1);
    species.mass = with_mass;
    species.initial = log_uniform(random_, with_mass <= 2 ? -1 : -3, 2);
    network_.species.push_back(std::move(species));
    return first_ + count() - 1;
  }

  void react(std::vector<int> reactants, std::vector<int> products, bool reversible) {
    GeneratedReaction reaction;
    reaction.reactants = std::move(reactants);
    reaction.products = std::move(products);
    reaction.forward = rate();
    if (reversible) reaction.backward = rate();
    network_.reactions.push_back(std::move(reaction));
  }
  void convert(int from, int to) {
    joined_.insert(std::minmax(from, to));
    react({from}, {to}, true);
  }

  // A species near `centre`, now and then any.
  int near(int centre) {
    if (random_.chance(4)) return first_ + random_.below(count());
    int at = centre - neighbourhood + random_.below(2 * neighbourhood + 1);
    return std::clamp(at, first_, first_ + count() - 1);
  }
  int any() { return first_ + random_.below(count()); }

  // One or two new species, joined by one reaction to what is there.
  void grow() {
    int newest = first_ + count() - 1;
    int a = near(newest);
    if (random_.chance(40)) return convert(a, add_species(mass(a)));
    bool new_partner = recipe_.species - count() >= 2 && random_.chance(40);
    int b = new_partner ? -1 : near(newest);
    int partner_mass = new_partner ? 1 + random_.below(2) : mass(b);
    if (mass(a) + partner_mass > heaviest) return convert(a, add_species(mass(a)));
    if (new_partner) b = add_species(partner_mass);
    react({a, b}, {add_species(mass(a) + partner_mass)}, true);
  }

  // Synthesis of one species and degradation of another: slow, so that neither runs away.
  void flow_through() {
    int source = any(), sink = near(source);
    GeneratedReaction synthesis, degradation;
    synthesis.products = {source};
    synthesis.forward = log_uniform(random_, slowest_, 1);
    degradation.reactants = {sink};
    degradation.forward = log_uniform(random_, slowest_, 1.5);
    synthesis.open = degradation.open = true;
    network_.reactions.push_back(std::move(synthesis));
    network_.reactions.push_back(std::move(degradation));
  }

  // Two different species of equal mass; the first pair if chance finds none.
  std::pair<int, int> equal_pair() {
    for (int attempt = 0; attempt < 60; ++attempt) {
      int a = any(), b = near(a);
      if (a != b && mass(a) == mass(b)) return {a, b};
    }
    return {first_, first_ + 1};
  }

  void add_reaction_between_old() {
    auto [a, b] = equal_pair();
    int kind = random_.below(100);
    if (kind < 30 && !joined_.contains(std::minmax(a, b))) return convert(a, b);
    int e = near(a);
    while (e == a || e == b) e = any();
    if (kind < 50) {  // transfer of a group: a + e <-> b + f
      for (int attempt = 0; attempt < 20; ++attempt)
        if (int f = near(e); f != e && f != a && f != b && mass(f) == mass(e))
          return react({a, e}, {b, f}, true);
    }
    react({a, e}, {b, e}, false);  // e catalyses a -> b
  }

  GeneratedNetwork& network_;
  const NetworkRecipe& recipe_;
  std::string prefix_;
  SplitMix random_;
  int first_;           // species of this part
  int first_reaction_;  //
  int slowest_;         // power of ten of the slowest rate constant
  std::set<std::pair<int, int>> joined_;
};

void check(const NetworkRecipe& recipe) {
  if (recipe.species < 4 || recipe.reactions < recipe.species || !(recipe.decades > 0) ||
      !(recipe.end_time > 0))
    throw InputError(
        "a generated network needs at least 4 species, as many reactions, and "
        "positive decades and end time");
}

constexpr int module_species = 20;

}  // namespace

GeneratedNetwork build_network(const NetworkRecipe& recipe) {
  check(recipe);
  GeneratedNetwork network;
  Builder(network, recipe, "s").build();
  return network;
}

GeneratedNetwork build_module_tree(int modules, std::uint64_t seed) {
  GeneratedNetwork network;
  SplitMix random(seed);
  NetworkRecipe recipe;
  recipe.species = module_species;
  recipe.reactions = 30;
  for (int module = 0; module < modules; ++module) {
    recipe.seed = random.next();
    int first = module * module_species;
    std::string prefix("m");
    prefix += std::to_string(module + 1) + "_s";
    Builder(network, recipe, std::move(prefix)).build();
    if (module == 0) continue;
    // The first two species of every module have mass 1.
    int parent = (module - 1) / 2 * module_species;
    GeneratedReaction transport;
    transport.reactants = {parent + random.below(2)};
    transport.products = {first + random.below(2)};
    transport.forward = log_uniform(random, -2, 3);
    transport.backward = log_uniform(random, -2, 3);
    network.reactions.push_back(std::move(transport));
    if (module % 2 == 0) continue;
    int enzyme = parent + 2 + random.below(module_species - 2);
    GeneratedReaction catalysis;
    catalysis.reactants = {first, enzyme};
    catalysis.products = {first + 1, enzyme};
    catalysis.forward = log_uniform(random, -2, 3);
    network.reactions.push_back(std::move(catalysis));
  }
  return network;
}

}  // namespace stiffit::internal
