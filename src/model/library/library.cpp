// SPDX-License-Identifier: Apache-2.0
#include "model/library/library.h"

#include <algorithm>
#include <string>

#include "model/library/embedded_models.h"
#include "model/library/generated_network.h"

namespace stiffit::internal {
namespace {

// What follows "#: title " in a model text.
std::string_view title_of(std::string_view text) {
  constexpr std::string_view mark = "\n#: title ";
  std::size_t at = text.find(mark);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + mark.size());
  return text.substr(0, text.find('\n'));
}

NetworkRecipe stand_in(std::string name, std::string original, int species, int reactions,
                       std::uint64_t seed) {
  NetworkRecipe recipe;
  recipe.name = std::move(name);
  recipe.title = "Generated stand-in of the size of the " + original + " (" +
                 std::to_string(species) + " species, " + std::to_string(reactions) + " reactions)";
  recipe.species = species;
  recipe.reactions = reactions;
  recipe.seed = seed;
  return recipe;
}

struct Library {
  std::vector<std::string> generated;  // owns the texts that are not in the program
  std::vector<LibraryModel> models;

  Library() {
    for (const EmbeddedModel& model : embedded_models())
      models.push_back({model.name, title_of(model.text), model.text});
    generated = {
        generate_network(stand_in("qa-size", "qa gene network", 39, 45, 3)),
        generate_network(stand_in("lac-size", "lac operon network", 64, 69, 5)),
        generate_network(stand_in("clock-size", "Neurospora clock", 16, 25, 2)),
    };
    constexpr std::string_view names[] = {"qa-size", "lac-size", "clock-size"};
    for (std::size_t i = 0; i < generated.size(); ++i)
      models.push_back({names[i], title_of(generated[i]), generated[i]});
    std::sort(models.begin(), models.end(),
              [](const LibraryModel& a, const LibraryModel& b) { return a.name < b.name; });
  }
};

}  // namespace

const std::vector<LibraryModel>& library_models() {
  static const Library library;
  return library.models;
}

const LibraryModel* find_library_model(std::string_view name) {
  for (const LibraryModel& model : library_models())
    if (model.name == name) return &model;
  return nullptr;
}

}  // namespace stiffit::internal
