// All that the page shows of a model: its parts, its equations, its text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/model_source.h"

namespace stiffit::internal {

// Throws Interrupted of the library.
Json describe_model(const SourceModel& source, const api::RunOptions& run = {});
Json describe_library();

}  // namespace stiffit::internal
