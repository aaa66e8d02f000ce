// Files that a model names, looked for in the model's own folder and nowhere else.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace stiffit::internal {

struct FolderFile {
  std::filesystem::path path;  // canonical; empty if it is not to be read
  std::string reason;          // then: why
};

// The regular file `name`, relative to the folder `beside`, if it lies in `root` or below. Links
// are followed first, so that none leads outside; `root` must be canonical, and empty refuses all.
FolderFile find_in_folder(const std::filesystem::path& root, const std::filesystem::path& beside,
                          const std::string& name);

}  // namespace stiffit::internal
