// SPDX-License-Identifier: Apache-2.0
#include "server/analysis_requests.h"

#include <cmath>

#include "analysis/pipeline/method_choice.h"
#include "analysis/stiffness/spectrum.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "estimation/optimizers/optimizer.h"
#include "model/model_settings.h"
#include "report/pages/compare_report.h"
#include "server/http/request_error.h"
#include "server/jobs/deadlines.h"

namespace stiffit {
namespace {

constexpr long spectra_times = 60;
constexpr int largest_spectrum = 120;  // states of models whose eigenvalues are all found

void add_number(std::vector<std::string>& words, const Json& request, const char* name) {
  const double value = number_field(request, name, not_set);
  if (!std::isnan(value)) words.push_back("--" + std::string(name) + "=" + format_number(value));
}

ModelSettings settings_of(const Json& request) {
  ModelSettings settings;
  const Json set = object_field(request, "set");
  for (const auto& [name, value] : set.items()) {
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      throw RequestError(400, "the value of '" + name + "' in 'set' must be a finite number");
    settings.values.emplace_back(name, value.get<double>());
  }
  return settings;
}

void add_settings(std::vector<std::string>& words, const Json& request) {
  for (const auto& [name, value] : settings_of(request).values)
    words.push_back("--set=" + name + "=" + format_number(value));
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
  for (const MethodInfo& m : methods()) {
    const MethodEntry& entry = named_method(std::string(m.name));
    integrators.push_back({{"name", m.name},
                           {"family", m.family},
                           {"order", m.order},
                           {"stability", m.stability},
                           {"for", m.use},
                           {"needs_step", entry.fixed_step_only},
                           {"fixed_steps", entry.fixed_steps}});
  }
  std::vector<std::string> fits;
  for (const OptimizerEntry& entry : optimizers()) fits.emplace_back(entry.traits.name);
  return {{"integrators", std::move(integrators)}, {"fits", fits}};
}

Json AnalysisRequests::stiffness(const Json& request) {
  const ModelSource source = model_source(request);
  std::vector<std::string> words;
  for (const char* name : {"start", "end", "span"}) add_number(words, request, name);
  words.push_back("--points=" +
                  std::to_string(count_field(request, "points", 400, 1, limits_.points)));
  add_settings(words, request);
  Json answer = tasks_.run("stiffness", source, words);
  try {
    answer["spectra"] = spectra(source, request);
  } catch (const Interrupted&) {  // while the model was read or compiled: the rest is there
    answer["spectra"] = Json::array();
  }
  const std::string method = text_field(request, "method");
  if (!method.empty() && named_method(method).fixed_steps) answer["stability"] = stability(request);
  return answer;
}

// All eigenvalues along the solution, of models that are small enough.
Json AnalysisRequests::spectra(const ModelSource& source, const Json& request) {
  Json list = Json::array();
  auto stop = std::make_shared<std::atomic<bool>>(false);
  const Deadlines::Hold hold(deadlines_, stop, limits_.simulation_seconds);
  const InterruptScope scope(stop.get());
  const auto model = models_.model(source);
  if (!model->model) return list;
  TimeCourseOptions options;
  options.start = number_field(request, "start", not_set);
  options.end = number_field(request, "end", not_set);
  options.points = spectra_times;
  options.set = settings_of(request);
  options.integration.interrupt = stop.get();
  PreparedCourse course = prepare_course(model->model, options);
  const int n = course.problem.program->states;
  if (n == 0 || n > largest_spectrum || course.problem.program->inputs > 0) return list;
  const Trajectory run = simulate(course.problem, course.request, options.integration);
  SpectrumFinder finder(course.problem);
  for (std::size_t row = 0; row < run.rows_reached && !stop->load(); ++row) {
    const Spectrum s =
        finder.at(course.request.times[row], run.states.data() + row * static_cast<std::size_t>(n),
                  course.problem.program->parameter_values, {false, true});
    Json values = Json::array();
    for (const std::complex<double>& v : s.all) values.push_back({v.real(), v.imag()});
    list.push_back({{"time", course.request.times[row]}, {"eigenvalues", std::move(values)}});
  }
  return list;
}

Json AnalysisRequests::compare(const Json& request) {
  const ModelSource source = model_source(request);
  std::vector<std::string> words;
  std::string list;
  for (const std::string& name : texts_field(request, "methods"))
    list += (list.empty() ? "" : ",") + std::string(named_method(name).info.name);
  if (!list.empty()) words.push_back("--methods=" + list);
  list.clear();
  for (const Json& error : array_field(request, "errors")) {
    if (!error.is_number() || !(error.get<double>() > 0))
      throw RequestError(400, "field 'errors' must be a list of numbers above zero");
    list += (list.empty() ? "" : ",") + format_number(error.get<double>());
  }
  if (!list.empty()) words.push_back("--errors=" + list);
  for (const char* name : {"start", "end"}) add_number(words, request, name);
  add_settings(words, request);
  if (const double h = positive_field(request, "max_step", 0); h > 0)
    words.push_back("--max-step=" + format_number(h));
  words.push_back("--max-steps=" +
                  std::to_string(count_field(request, "max_steps", 200000, 1, 10'000'000)));
  return tasks_.run("compare", source, words);
}

Json AnalysisRequests::stability(const Json& request) {
  const std::string method = text_field(request, "method");
  if (!named_method(method).fixed_steps)
    throw RequestError(422,
                       "method '" + method + "' takes no fixed steps, so it has no one region");
  if (auto known = stable_.find(method)) return *known;
  const Turn turn(drawing_);
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

}  // namespace stiffit
