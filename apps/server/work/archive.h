// Zip archives in memory: what people upload, with everything doubted, and what they download.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace stiffit::internal {

using FileMap = std::map<std::string, std::string>;  // path with '/', content

// A path that stays within its folder: no absolute ones, no "..", no odd characters.
bool is_safe_path(std::string_view path);

bool is_zip(std::string_view bytes);
// Throws RequestError: no archive, too many files, more than `largest` bytes unpacked (whatever the
// archive says of itself), links, encryption, or names that lead elsewhere.
FileMap unzip(const std::string& bytes, std::size_t largest, std::size_t most_files);
std::string zip(const FileMap& files);

}  // namespace stiffit::internal
