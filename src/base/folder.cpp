// SPDX-License-Identifier: Apache-2.0
#include "base/folder.h"

#include <algorithm>

namespace stiffit::internal {
namespace fs = std::filesystem;

FolderFile find_in_folder(const fs::path& root, const fs::path& beside, const std::string& name) {
  const char* outside = "only files of the model's own folder are read";
  std::error_code trouble;
  if (name.find("://") != std::string::npos || name.starts_with("file:")) return {{}, outside};
  fs::path path = fs::path(name).is_relative() ? beside / name : fs::path(name);
  path = fs::weakly_canonical(path, trouble);
  if (trouble || root.empty()) return {{}, outside};
  auto [end, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  if (end != root.end()) return {{}, outside};
  if (!fs::is_regular_file(path, trouble))
    return {{}, "there is no such file in the model's folder"};
  return {path, {}};
}

}  // namespace stiffit::internal
