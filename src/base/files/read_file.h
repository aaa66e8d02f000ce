// Whole files from disk, with a clear word for everything that can be wrong with one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace stiffit::internal {

inline constexpr std::size_t largest_file = std::size_t{256} << 20;  // bytes

// The text without a UTF-8 byte order mark. Throws InputError if it is missing, a folder, cannot be
// read, is larger than `largest_file` or holds NUL bytes (binary or UTF-16), or if it is a pipe
// that nobody has begun to write to after 10 seconds, or after those given.
std::string read_file(const std::string& path);
std::string read_file_within(double seconds, const std::string& path);

}  // namespace stiffit::internal
