// How far two runs are apart, as commands tell it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/json.h"
#include "stiffit/analysis.h"

namespace stiffit::internal {

using ColumnDifferences = std::vector<api::ColumnDifference>;

std::string difference_text(const ColumnDifferences& differences);
void write_differences(JsonWriter& json, double worst, const ColumnDifferences& differences);
std::string verification_text(const api::Verification& verification);
void write_verification(JsonWriter& json, const api::Verification& verification);  // one object

}  // namespace stiffit::internal
