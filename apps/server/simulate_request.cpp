// SPDX-License-Identifier: Apache-2.0
#include "server/simulate_request.h"

#include "report/json.h"
#include "server/http/option_fields.h"
#include "server/http/request_error.h"

namespace stiffit::internal {
namespace {

constexpr double smallest_rtol = 1e-14;

// Column by column, as a picture wants them.
std::string text_of(const api::TimeCourse& course, const std::string& message) {
  JsonWriter json;
  std::vector<std::string> header{"time"};
  header.insert(header.end(), course.columns.begin(), course.columns.end());
  json.begin_object().member("columns", header).key("values").begin_array();
  json.begin_array();
  for (double time : course.times) json.value(time);
  json.end_array();
  const std::size_t n = course.columns.size();
  for (std::size_t k = 0; k < n; ++k) {
    json.begin_array();
    for (std::size_t i = 0; i < course.times.size(); ++i) json.value(course.values[i * n + k]);
    json.end_array();
  }
  json.end_array().member("outcome", course.status).member("message", message);
  json.member("reached", course.reached);
  json.key("stats").begin_object().member("method", course.method);
  json.member("used", course.used).member("steps", course.steps);
  json.member("rejected", course.rejected).member("f", course.f).member("j", course.j);
  json.member("lu", course.lu).member("newton", course.newton);
  json.member("compile_seconds", course.compile_seconds);
  json.member("integrate_seconds", course.integrate_seconds).end_object();
  json.member("seconds", course.compile_seconds + course.integrate_seconds);
  return json.end_object().text();
}

}  // namespace

SimulateRequests::SimulateRequests(LiveModels& models, Deadlines& deadlines,
                                   const ServeLimits& limits)
    : models_(models), deadlines_(deadlines), limits_(limits), free_(limits.simulations) {}

api::SimulateOptions SimulateRequests::read(const Json& request, const Flag& stop) const {
  api::SimulateOptions options;
  options.points = 400;
  read_options(request, options);
  require_points(options.points, limits_.points);
  if (options.rtol < smallest_rtol) throw RequestError(400, "'rtol' is at least 1e-14");
  check_together(options);
  options.most_values = limits_.values;
  options.run.interrupt = stop.get();
  options.run.threads = 1;
  return options;
}

std::string SimulateRequests::answer(const Json& request) {
  auto stop = std::make_shared<std::atomic<bool>>(false);
  const api::SimulateOptions options = read(request, stop);
  const std::string client = text_field(request, "client");
  const RequestError superseded(409, "superseded by a newer request");
  if (!client.empty() &&
      !newest_.enter(client, count_field(request, "sequence", 0, 0, 1L << 52), stop))
    throw superseded;
  const ModelSource source = model_source(request);
  const SlotGuard slot(free_);
  if (stop->load()) throw superseded;
  const Deadlines::Hold hold(deadlines_, stop, limits_.simulation_seconds);
  const std::string late = "stopped after " +
                           std::to_string(static_cast<int>(limits_.simulation_seconds)) +
                           " s, which is the limit for curves that follow the editor";
  try {
    const api::TimeCourse course = models_.simulate(*models_.model(source, options.run), options);
    const bool stopped = course.status == "interrupted";
    if (stopped && !hold.passed()) throw superseded;
    if (!stopped || !course.columns.empty())
      return text_of(course, stopped ? late : course.explanation);
  } catch (const api::Interrupted&) {
  }
  // While it was read or compiled.
  if (!hold.passed()) throw superseded;
  throw RequestError(504, late, "the command line has no such limit");
}

}  // namespace stiffit::internal
