// SPDX-License-Identifier: Apache-2.0
#include "report/provenance.h"

#include "report/text_table.h"
#include "runtime/checkpoint/input_hashes.h"
#include "runtime/checkpoint/sha256.h"

namespace stiffit::internal {
namespace {

constexpr std::string_view input_mark = "input ", file_mark = "file ";

void write_members(JsonWriter& json, const char* key,
                   const std::map<std::string, std::string>& members) {
  json.key(key).begin_object();
  for (auto& [name, value] : members) json.member(name, value);
  json.end_object();
}

}  // namespace

ProvenanceParts parts_of(const Provenance& provenance) {
  ProvenanceParts parts;
  for (auto& [name, value] : provenance) {
    if (name == "version")
      parts.version = value;
    else if (name.starts_with(input_mark))
      parts.inputs[name.substr(input_mark.size())] = value;
    else if (name.starts_with(file_mark))
      parts.files[name.substr(file_mark.size())] = value;
    else
      parts.settings[name] = value;
  }
  return parts;
}

void add_file(Provenance& provenance, const std::string& name, const std::string& sha256) {
  provenance[std::string(file_mark) + name] = sha256;
}

void add_table(Provenance& provenance, const std::string& name, const std::string& text) {
  add_file(provenance, name, sha256(text));
}

void add_model(Provenance& provenance, const std::string& name) {
  add_model_hashes(provenance, name);
}

void add_tables_read(Provenance& provenance, const std::vector<std::string>& names) {
  add_file_hashes(provenance, names);
}

void write_provenance(JsonWriter& json, const Provenance& provenance) {
  const ProvenanceParts parts = parts_of(provenance);
  if (!parts.version.empty()) json.member("version", parts.version);
  write_members(json, "settings", parts.settings);
  write_members(json, "inputs", parts.inputs);
  if (!parts.files.empty()) write_members(json, "files", parts.files);
}

std::string provenance_text(const Provenance& provenance) {
  std::vector<std::vector<std::string>> rows;
  for (auto& [name, value] : provenance) rows.push_back({name, value});
  return text_table({}, rows);
}

}  // namespace stiffit::internal
