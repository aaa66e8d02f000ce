// Which files a run depends on, and whether they are still the same: "input FILE" = SHA-256.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "runtime/checkpoint/run_directory.h"

namespace stiffit::internal {

// Of a model or a problem, and of the files that it names; nothing for what is no file.
void add_model_hashes(RunSettings& settings, std::string word);
// Of tables, and what they name.
void add_file_hashes(RunSettings& settings, const std::vector<std::string>& words);

}  // namespace stiffit::internal
