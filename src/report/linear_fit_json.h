// What linear fits have besides their estimates, as members of the open JSON object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/pipeline/fit_summary.h"
#include "report/json.h"

namespace stiffit::internal {

void write_linear_details(JsonWriter& json, const LinearDetails& details);
void write_side_by_side(JsonWriter& json, const LinearSideBySide& both);

}  // namespace stiffit::internal
