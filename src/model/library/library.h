// The models that come with the program, each as text of the model language, ready to use by name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace stiffit::internal {

struct LibraryModel {
  std::string_view name;   // "lotka-volterra"
  std::string_view title;  // one line for people
  std::string_view text;   // the model
};

// All models, by name. Three of them (qa-size, lac-size, clock-size) are generated when first asked
// for: stand-ins of the size of networks whose equations were never printed.
const std::vector<LibraryModel>& library_models();

// Null if there is no such model.
const LibraryModel* find_library_model(std::string_view name);

}  // namespace stiffit::internal
