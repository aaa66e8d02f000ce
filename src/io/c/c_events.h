// Switches and events of a system in C: roots to stop at, triggers, and what the events do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "symbolic/system.h"

namespace stiffit::internal {

// The functions, their names beginning with `prefix`; empty if the system has neither. Throws
// InputError where a delay of the model is needed.
std::string c_events(System& system, const std::string& prefix);

// How a program uses them: lines of a comment.
std::string c_events_manual(const System& system, const std::string& prefix);

}  // namespace stiffit::internal
