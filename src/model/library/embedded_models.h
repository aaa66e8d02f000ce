// The files of models/, put into the program by cmake/embed_models.cmake when it is built.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

namespace stiffit::internal {

struct EmbeddedModel {
  std::string_view name;  // of the file, without its ending
  std::string_view text;
};

std::vector<EmbeddedModel> embedded_models();

}  // namespace stiffit::internal
