// SPDX-License-Identifier: Apache-2.0
#include "api/impl.h"
#include "estimation/objective/fitted_data.h"

namespace stiffit {
inline namespace api {

Finding public_finding(const internal::Finding& f) {
  return {f.severity == Severity::error ? "error" : "warning",
          f.message,
          f.hint,
          f.file,
          f.line,
          f.column,
          f.text,
          f.end_line,
          f.end_column};
}

std::vector<EstimatedParameter> public_unknowns(
    const std::vector<internal::EstimatedParameter>& unknowns) {
  std::vector<EstimatedParameter> list;
  for (const internal::EstimatedParameter& u : unknowns)
    list.push_back({u.id, scale_name(u.scale), u.lower, u.upper, u.start});
  return list;
}

std::vector<Datum> public_data(const ProblemObjective& objective, const std::vector<double>& theta,
                               double deviation, std::string& failure) {
  std::vector<Datum> data;
  for (const FittedDatum& d : fitted_data(objective, theta, deviation, failure))
    data.push_back(
        {d.observable, d.experiment, d.time, d.measurement, d.simulation, d.noise, d.residual});
  return data;
}

}  // namespace api
}  // namespace stiffit
