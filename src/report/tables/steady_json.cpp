// SPDX-License-Identifier: Apache-2.0
#include "report/tables/steady_json.h"

#include "report/json.h"

namespace stiffit::internal {

std::string steady_json(const api::SteadyState& s, const Provenance& provenance) {
  JsonWriter json;
  json.begin_object().member("status", s.status).member("message", s.message);
  if (s.found) {
    json.key("state").begin_object();
    for (std::size_t i = 0; i < s.values.size(); ++i) json.member(s.names[i], s.values[i]);
    json.end_object().member("residual", s.residual);
    json.member("stability", s.stability).key("eigenvalues").begin_array();
    for (auto& v : s.eigenvalues) json.begin_array().value(v.real()).value(v.imag()).end_array();
    json.end_array().member("method", s.how);
    json.member("reached_by_time_course", s.reached_by_time_course);
    json.key("warnings").begin_array();
    for (const std::string& warning : s.warnings) json.value(warning);
    json.end_array();
  }
  json.member("time", s.time).member("steps", s.steps);
  write_provenance(json, provenance);
  return json.end_object().text();
}

}  // namespace stiffit::internal
