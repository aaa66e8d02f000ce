// Whole files from disk, with a clear word for everything that can be wrong with one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace stiffit {

inline constexpr std::size_t largest_file = std::size_t{256} << 20;  // bytes

// The text without a UTF-8 byte order mark. Throws InputError if it is missing, a folder, cannot be
// read, is larger than `largest_file` or holds NUL bytes (binary or UTF-16).
std::string read_file(const std::string& path);

}  // namespace stiffit
