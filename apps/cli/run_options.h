// Options that every command has, for those whose table of fields has them not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "cli/command_line.h"

namespace stiffit::internal {

// --threads; 0: all cores.
int threads_option(const Arguments& arguments);
// --seed, a whole number from 0 on.
std::uint64_t seed_option(const Arguments& arguments);

}  // namespace stiffit::internal
