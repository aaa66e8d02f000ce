// Scripts that let a shell complete commands, options and values, and the manual page: both made
// from the commands' own declarations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"

namespace stiffit::internal {

std::string bash_completion(const std::vector<CommandSpec>& commands);
std::string zsh_completion(const std::vector<CommandSpec>& commands);
std::string fish_completion(const std::vector<CommandSpec>& commands);

// In the man macros of groff and mandoc.
std::string manual_page(const std::vector<CommandSpec>& commands, const std::string& version);

}  // namespace stiffit::internal
