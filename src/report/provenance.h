// What a result came from: the version, the settings, and the hashes of its input files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/json.h"

namespace stiffit::internal {

// By name; "version" is the program's, "input FILE" and "file NAME" are SHA-256, of what was read
// and of the tables written. Nothing in it depends on the machine or the moment: equal runs have
// equal ones.
using Provenance = std::map<std::string, std::string>;

struct ProvenanceParts {
  std::string version;
  std::map<std::string, std::string> settings, inputs, files;
};
ProvenanceParts parts_of(const Provenance& provenance);
// A table of that name belongs to the result.
void add_file(Provenance& provenance, const std::string& name, const std::string& sha256);
void add_table(Provenance& provenance, const std::string& name, const std::string& text);
// What was read: a model or a problem, and the files that it names; or tables. Nothing for words
// that name no file.
void add_model(Provenance& provenance, const std::string& name);
void add_tables_read(Provenance& provenance, const std::vector<std::string>& names);

// Members `version`, `settings`, `inputs` and, if there are any, `files` of the open object.
void write_provenance(JsonWriter& json, const Provenance& provenance);
// A row for each.
std::string provenance_text(const Provenance& provenance);

}  // namespace stiffit::internal
