// The program in a process that mpirun has started beside others. The first one is the coordinator:
// it speaks, keeps the results and gives the exit code. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/console.h"

namespace stiffit::internal {

int run_distributed(const std::vector<std::string>& words, const Console& console);

}  // namespace stiffit::internal
