// SPDX-License-Identifier: Apache-2.0
#include "places.h"

#include <filesystem>

namespace stiffit::internal {

std::string source_path(const std::string& path) { return STIFFIT_SOURCE_DIR "/" + path; }

std::string reference_path(const std::string& path) {
  return source_path("tests/reference/" + path);
}

std::string shared_path(const std::string& path) {
  return path.empty() ? STIFFIT_SHARED_DIR : STIFFIT_SHARED_DIR "/" + path;
}

bool has_shared(const std::string& path) { return std::filesystem::exists(shared_path(path)); }

}  // namespace stiffit::internal
