// The project's own source files, for tests that read them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace stiffit::internal {

using SourceTree = std::map<std::string, std::string>;  // content by path below the project

// Files ending in .cpp and .h of these folders.
SourceTree source_tree(const std::vector<std::string>& folders);

std::string without_comments(std::string_view code);
bool is_test(std::string_view path);  // only tests are made of it

// `word` stands there, not as part of a longer one.
bool has_word(std::string_view text, std::string_view word);

}  // namespace stiffit::internal
