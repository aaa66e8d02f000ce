// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "api/impl.h"
#include "base/files/read_file.h"
#include "estimation/objective/fitted_data.h"

namespace stiffit {
inline namespace api {

std::string InputError::spelled(const std::string& before) const {
  return marked_.empty() ? what() : internal::spelled(marked_, before);
}

RunContext library_context(const RunOptions& run, std::vector<std::string>& said) {
  RunContext context;
  context.message = [&said, told = run.message](const std::string& text) {
    said.push_back(text.substr(0, text.find_last_not_of('\n') + 1));
    if (told) told(text);
  };
  if (run.progress || run.stage)
    context.progress = [told = run.progress, stage = run.stage](const RunProgress& p) {
      if (told && !p.ended) told(p.total > 0 ? std::min(1.0, p.done / p.total) : 1);
      if (stage) stage({0, p.total, p.done, p.things, p.ended});
    };
  context.interrupt = run.interrupt;
  if (run.processes) context.workers = &run.processes->impl().workers;
  context.read_file = [](const std::string& path) { return read_file(path); };
  return context;
}

Finding public_finding(const internal::Finding& f) {
  return {f.severity == Severity::error ? "error" : "warning",
          f.message,
          f.hint,
          f.file,
          f.line,
          f.column,
          f.text,
          f.end_line,
          f.end_column,
          f.rendered_only};
}

std::vector<ColumnDifference> public_differences(const CurveDifference& difference) {
  std::vector<ColumnDifference> list;
  for (const internal::ColumnDifference& d : difference.columns)
    list.push_back({d.name, d.largest, d.share, d.time, d.later});
  return list;
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
    data.push_back({d.observable, d.experiment, d.time, d.measurement, d.simulation, d.noise,
                    d.residual,
                    d.censoring == Censoring::none    ? ""
                    : d.censoring == Censoring::below ? "below"
                                                      : "above"});
  return data;
}

}  // namespace api
}  // namespace stiffit
