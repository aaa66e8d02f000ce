// Functions of the parameters that were asked for, as text and as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "estimation/uncertainty/combinations/derived_quantity.h"
#include "report/json.h"

namespace stiffit::internal {

void write_derived_quantity(JsonWriter& json, const DerivedQuantity& derived);
std::vector<std::string> derived_header(double level);
std::vector<std::vector<std::string>> derived_rows(const std::vector<DerivedQuantity>& derived);
// A table and an empty line; empty if there are none.
std::string derived_text(const std::vector<DerivedQuantity>& derived, double level);

}  // namespace stiffit::internal
