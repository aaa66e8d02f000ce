// A model as equations for a run with the values at hand, however little is said about its start.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "symbolic/system.h"

namespace stiffit::internal {

// As resolve, but what has no value yet is NaN until an event gives it one, and a law that is
// undefined at the start, like 0/0, begins with its limit where there is one.
ResolvedSystem resolve_run(const std::shared_ptr<const Model>& model,
                           const SystemOptions& options = {});

}  // namespace stiffit::internal
