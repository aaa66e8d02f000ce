// SPDX-License-Identifier: Apache-2.0
#include "report/provenance.h"

#include <vector>

#include "report/text_table.h"

namespace stiffit {
namespace {

constexpr std::string_view input = "input ";

}  // namespace

void write_provenance(JsonWriter& json, const Provenance& provenance) {
  if (auto found = provenance.find("version"); found != provenance.end())
    json.member("version", found->second);
  json.key("settings").begin_object();
  for (auto& [name, value] : provenance)
    if (name != "version" && !name.starts_with(input)) json.member(name, value);
  json.end_object().key("inputs").begin_object();
  for (auto& [name, value] : provenance)
    if (name.starts_with(input)) json.member(name.substr(input.size()), value);
  json.end_object();
}

std::string provenance_text(const Provenance& provenance) {
  std::vector<std::vector<std::string>> rows;
  for (auto& [name, value] : provenance) rows.push_back({name, value});
  return text_table({}, rows);
}

}  // namespace stiffit
