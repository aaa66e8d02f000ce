// Where a result of a command came from.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command_line.h"
#include "report/provenance.h"

namespace stiffit::internal {

// Version, command, seed, what was asked for and with which options, and "input FILE" = SHA-256 for
// the files named on the command line and those that they name. Options that only say where results
// go, or how fast, are left out.
Provenance run_provenance(const std::string& command, const Arguments& arguments);

}  // namespace stiffit::internal
