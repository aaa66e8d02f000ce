// Generated networks written in the model language.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/number.h"
#include "model/library/generated_network.h"

namespace stiffit::internal {
namespace {

void append_side(std::string& text, const GeneratedNetwork& network, const std::vector<int>& side) {
  const char* separator = "";
  for (std::size_t i = 0; i < side.size(); ++i) {
    text += separator;
    separator = " + ";
    if (i + 1 < side.size() && side[i] == side[i + 1]) {
      text += "2 ";
      ++i;
    }
    text += network.species[side[i]].name;
  }
}

void append_reaction(std::string& text, const GeneratedNetwork& network, std::size_t index) {
  const GeneratedReaction& reaction = network.reactions[index];
  std::string number = std::to_string(index + 1);
  text += "  R" + number + ": ";
  append_side(text, network, reaction.reactants);
  text += reaction.backward.empty() ? " -> " : " <-> ";
  append_side(text, network, reaction.products);
  text += "; kf" + number;
  if (!reaction.backward.empty()) text += ", kb" + number;
  text += ";\n";
}

// "  a = 1; b = 2; ...", a few on each line
class Assignments {
 public:
  explicit Assignments(std::string& text) : text_(text) {}
  void add(const std::string& name, const std::string& value) {
    text_ += on_line_ == 0 ? "  " : " ";
    text_ += name + " = " + value + ";";
    if (++on_line_ == 6) end_line();
  }
  void end_line() {
    if (on_line_ > 0) text_ += "\n";
    on_line_ = 0;
  }

 private:
  std::string& text_;
  int on_line_ = 0;
};

std::string text_of(const GeneratedNetwork& network, std::string name, const std::string& title,
                    double end_time) {
  std::replace(name.begin(), name.end(), '-', '_');
  std::string text =
      "// A made-up network from a fixed seed, not a model of anything: mass-action kinetics, "
      "rate\n"
      "// constants over several decades, masses kept but for synthesis and degradation.\n"
      "#: title " +
      title + "\n#: end " + format_number(end_time) + "\nmodel " + name + "\n";
  for (std::size_t i = 0; i < network.species.size(); ++i) {
    text += i % 10 == 0 ? "  species " : " ";
    text += network.species[i].name;
    bool last = i % 10 == 9 || i + 1 == network.species.size();
    text += last ? ";\n" : ",";
  }
  text += "\n";
  for (std::size_t i = 0; i < network.reactions.size(); ++i) append_reaction(text, network, i);
  text += "\n";
  Assignments assignments(text);
  for (const GeneratedSpecies& species : network.species)
    assignments.add(species.name, species.initial);
  assignments.end_line();
  for (std::size_t i = 0; i < network.reactions.size(); ++i) {
    assignments.add("kf" + std::to_string(i + 1), network.reactions[i].forward);
    if (!network.reactions[i].backward.empty())
      assignments.add("kb" + std::to_string(i + 1), network.reactions[i].backward);
  }
  assignments.end_line();
  text += "end\n";
  return text;
}

std::string size_title(const GeneratedNetwork& network) {
  return "Generated network of " + std::to_string(network.species.size()) + " species and " +
         std::to_string(network.reactions.size()) + " reactions";
}

}  // namespace

std::string generate_network(const NetworkRecipe& recipe) {
  GeneratedNetwork network = build_network(recipe);
  return text_of(network, recipe.name, recipe.title.empty() ? size_title(network) : recipe.title,
                 recipe.end_time);
}

std::string generated_benchmark_network(int species) {
  NetworkRecipe recipe;
  recipe.species = species;
  recipe.reactions = species * 3 / 2;
  recipe.seed = 1;
  recipe.name = "benchmark_" + std::to_string(species);
  return generate_network(recipe);
}

std::string generate_module_tree(int modules, std::uint64_t seed) {
  GeneratedNetwork network = build_module_tree(modules, seed);
  return text_of(network, "modules_" + std::to_string(modules), size_title(network), 100);
}

}  // namespace stiffit::internal
