// SPDX-License-Identifier: Apache-2.0
#include "report/tables/steady_json.h"

#include "report/json.h"

namespace stiffit::internal {

std::string steady_json(const SteadyAnswer& a, const Provenance& provenance) {
  JsonWriter json;
  json.begin_object().member("status", word_for(a.steady.status));
  json.member("message", a.steady.found() ? a.course : a.steady.detail);
  if (a.steady.found()) {
    json.key("state").begin_object();
    for (std::size_t i = 0; i < a.steady.state.size(); ++i)
      json.member(a.names[i], a.steady.state[i]);
    json.end_object().member("residual", a.steady.residual);
    json.member("stability", stability(a)).key("eigenvalues").begin_array();
    for (auto& v : a.eigenvalues) json.begin_array().value(v.real()).value(v.imag()).end_array();
    json.end_array().member("method", how_found(a));
    json.member("reached_by_time_course", a.steady.stable_route);
    json.key("warnings").begin_array();
    for (const std::string& warning : a.warnings) json.value(warning);
    json.end_array();
  }
  json.member("time", a.steady.time).member("steps", a.steady.counters.steps);
  write_provenance(json, provenance);
  return json.end_object().text();
}

}  // namespace stiffit::internal
