// What a model makes use of, in words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "model/model.h"

namespace stiffit::internal {

// "4 species", "2 events", "delays", ...; only what is there.
std::vector<std::string> model_features(const Model& model);

}  // namespace stiffit::internal
