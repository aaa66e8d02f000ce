// SHA-256 (FIPS 180-4), to tell whether an input is still the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace stiffit::internal {

std::string sha256(std::string_view bytes);  // 64 hexadecimal digits
// The same of what a file holds, however large; empty if it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace stiffit::internal
