// What a result came from: the version, the settings, and the hashes of its input files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "report/json.h"

namespace stiffit {

// By name; "version" is the program's, "input FILE" a SHA-256. Nothing in it depends on the machine
// or the moment: equal runs have equal ones.
using Provenance = std::map<std::string, std::string>;

// Members `version`, `settings` and `inputs` of the open object.
void write_provenance(JsonWriter& json, const Provenance& provenance);
// A row for each.
std::string provenance_text(const Provenance& provenance);

}  // namespace stiffit
