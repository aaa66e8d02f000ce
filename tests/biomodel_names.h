// The names of the curated models at hand, in order; none where there are none. With sanitizers
// without the one that takes longer than all others together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "places.h"
#include "sanitized.h"

namespace stiffit::internal {

inline std::string biomodels_folder() { return shared_path("biomodels"); }

inline std::vector<std::string> biomodel_names() {
  std::vector<std::string> names;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(biomodels_folder(), missing))
    if (entry.path().extension() == ".xml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  if (sanitized) std::erase(names, "BIOMD0000000408");
  return names;
}

}  // namespace stiffit::internal
