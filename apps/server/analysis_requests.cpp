// SPDX-License-Identifier: Apache-2.0
#include "server/analysis_requests.h"

#include "report/pages/compare_report.h"
#include "server/http/option_fields.h"
#include "server/http/request_error.h"
#include "server/jobs/deadlines.h"

namespace stiffit::internal {
namespace {

constexpr long spectra_times = 60;
constexpr int largest_spectrum = 120;  // states of models whose eigenvalues are all found

// The method of that name; RequestError with the nearest if there is none.
api::ListedMethod listed_method(const std::string& name) {
  for (api::ListedMethod& method : api::methods())
    if (method.name == name) return std::move(method);
  api::SimulateOptions options;
  options.method = name;
  check_together(options);  // says so
  throw RequestError(422, "unknown method '" + name + "'");
}

Json rings_json(const Plot& plot) {
  Json rings = Json::array();
  for (const auto& region : plot.regions)
    for (const auto& ring : region.rings) {
      Json points = Json::array();
      for (const PlotPoint& p : ring) points.push_back({p.x, p.y});
      rings.push_back(std::move(points));
    }
  return rings;
}

}  // namespace

Json describe_methods() {
  Json integrators = Json::array();
  for (const api::ListedMethod& m : api::methods())
    integrators.push_back({{"name", m.name},
                           {"family", m.family},
                           {"order", m.order},
                           {"stability", m.stability},
                           {"for", m.use},
                           {"needs_step", m.needs_step},
                           {"fixed_steps", m.fixed_steps}});
  std::vector<std::string> fits;
  for (const api::ListedOptimizer& optimizer : api::optimizers()) fits.push_back(optimizer.name);
  return {{"integrators", std::move(integrators)}, {"fits", fits}};
}

Json AnalysisRequests::stiffness(const Json& request) {
  const ModelSource source = model_source(request);
  api::StiffnessOptions options;
  options.points = 400;
  read_options(request, options);
  require_points(options.points, limits_.points);
  check_together(options);
  Json answer = tasks_.run("stiffness", source, command_words(options));
  answer["spectra"] = spectra(source, options);
  const std::string method = text_field(request, "method");
  if (!method.empty() && listed_method(method).fixed_steps)
    answer["stability"] = stability(request);
  return answer;
}

// All eigenvalues along the solution, of models that are small enough.
Json AnalysisRequests::spectra(const ModelSource& source, api::StiffnessOptions options) {
  Json list = Json::array();
  auto stop = std::make_shared<std::atomic<bool>>(false);
  const Deadlines::Hold hold(deadlines_, stop, limits_.simulation_seconds);
  options.points = spectra_times;
  options.run.interrupt = stop.get();
  try {
    const auto model = models_.model(source, options.run);
    if (!model->model) return list;
    for (const api::Spectrum& s : model->model->spectra(options, largest_spectrum)) {
      Json values = Json::array();
      for (const std::complex<double>& v : s.eigenvalues) values.push_back({v.real(), v.imag()});
      list.push_back({{"time", s.time}, {"eigenvalues", std::move(values)}});
    }
  } catch (const api::Interrupted&) {  // while the model was read: the rest is there
  }
  return list;
}

Json AnalysisRequests::compare(const Json& request) {
  constexpr long most_steps = 10'000'000;
  const ModelSource source = model_source(request);
  api::CompareOptions options;
  options.max_steps = 200000;
  read_options(request, options);
  if (options.max_steps > most_steps)
    throw RequestError(
        400, "field 'max_steps' must be a whole number from 1 to " + std::to_string(most_steps));
  check_together(options);
  return tasks_.run("compare", source, command_words(options));
}

Json AnalysisRequests::stability(const Json& request) {
  const std::string method = text_field(request, "method");
  if (!listed_method(method).fixed_steps)
    throw RequestError(422,
                       "method '" + method + "' takes no fixed steps, so it has no one region");
  if (auto known = stable_.find(method)) return *known;
  const SlotGuard slot(drawing_);
  if (auto known = stable_.find(method)) return *known;
  const Plot plot = stability_picture(method, "", {});
  auto answer = std::make_shared<const Json>(
      Json{{"method", method},
           {"title", plot.title},
           {"rings", rings_json(plot)},
           {"window",
            {plot.x.value_at(0), plot.x.value_at(1), plot.y.value_at(0), plot.y.value_at(1)}}});
  stable_.put(method, answer);
  return *answer;
}

}  // namespace stiffit::internal
