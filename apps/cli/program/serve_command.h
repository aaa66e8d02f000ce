// `stiffit serve`: the web page.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/commands.h"

namespace stiffit::internal {

Command serve_command();

}  // namespace stiffit::internal
