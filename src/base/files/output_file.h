// A result file that is there whole or not at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace stiffit::internal {

// Throws InputError if a file of that name could not be written; to be asked before long work.
void require_writable(const std::string& path);

// All of the text to an open file; false with errno if that fails.
bool write_all(int file, std::string_view text);

// Writes a temporary file beside it and renames it, so that a reader never sees half of it and an
// error leaves what was there. Devices and pipes are written straight. Throws InputError.
void write_file(const std::string& path, std::string_view text);

}  // namespace stiffit::internal
