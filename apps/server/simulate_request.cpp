// SPDX-License-Identifier: Apache-2.0
#include "server/simulate_request.h"

#include <cmath>

#include "analysis/pipeline/method_choice.h"
#include "base/interrupt.h"
#include "report/json.h"
#include "server/http/request_error.h"

namespace stiffit {
namespace {

constexpr double smallest_rtol = 1e-14;

// Column by column, as a picture wants them.
std::string text_of(const TimeCourse& course, const std::string& message) {
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
  json.end_array().member("outcome", word_for(course.outcome.status)).member("message", message);
  json.member("reached", course.outcome.time);
  const Counters& c = course.outcome.counters;
  json.key("stats").begin_object().member("method", course.method);
  json.member("used", course.outcome.used).member("steps", c.steps);
  json.member("rejected", c.rejected).member("f", c.f).member("j", c.j).member("lu", c.lu);
  json.member("newton", c.newton).member("compile_seconds", course.seconds.compile);
  json.member("integrate_seconds", course.seconds.integrate).end_object();
  json.member("seconds", course.seconds.compile + course.seconds.integrate);
  return json.end_object().text();
}

}  // namespace

SimulateRequests::SimulateRequests(LiveModels& models, Deadlines& deadlines,
                                   const ServeLimits& limits)
    : models_(models), deadlines_(deadlines), limits_(limits), free_(limits.simulations) {}

LiveRequest SimulateRequests::read(const Json& request, const Flag& stop) const {
  LiveRequest live;
  live.most_values = limits_.values;
  TimeCourseOptions& o = live.options;
  o.start = number_field(request, "start", not_set);
  o.end = number_field(request, "end", not_set);
  o.points = count_field(request, "points", 400, 1, limits_.points);
  o.show = texts_field(request, "show");
  o.amounts = flag_field(request, "amounts");
  const Json set = object_field(request, "set");
  for (const auto& [name, value] : set.items()) {
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      throw RequestError(400, "the value of '" + name + "' in 'set' must be a finite number");
    live.set[name] = value.get<double>();
  }
  const MethodEntry& method = named_method(text_field(request, "method", "automatic"));
  o.integration.method = method.info.name;
  o.integration.fixed_step = positive_field(request, "step", 0);
  if (method.needs_step && !(o.integration.fixed_step > 0))
    throw RequestError(
        400, "method '" + o.integration.method + "' has no error control, it needs a fixed step");
  o.integration.rtol = positive_field(request, "rtol", o.integration.rtol);
  if (o.integration.rtol < smallest_rtol) throw RequestError(400, "'rtol' is at least 1e-14");
  o.integration.atol = positive_field(request, "atol", o.integration.atol);
  o.integration.max_step = positive_field(request, "max_step", o.integration.max_step);
  o.integration.interrupt = stop.get();
  return live;
}

std::string SimulateRequests::answer(const Json& request) {
  auto stop = std::make_shared<std::atomic<bool>>(false);
  const LiveRequest live = read(request, stop);
  const std::string client = text_field(request, "client");
  const RequestError superseded(409, "superseded by a newer request");
  if (!client.empty() &&
      !newest_.enter(client, count_field(request, "sequence", 0, 0, 1L << 52), stop))
    throw superseded;
  const ModelSource source = model_source(request);
  const Turn turn(free_);
  if (stop->load()) throw superseded;
  const Deadlines::Hold hold(deadlines_, stop, limits_.simulation_seconds);
  const InterruptScope scope(stop.get());
  const std::string late = "stopped after " +
                           std::to_string(static_cast<int>(limits_.simulation_seconds)) +
                           " s, which is the limit for curves that follow the editor";
  try {
    TimeCourse course = models_.simulate(*models_.model(source), live);
    const bool stopped = course.outcome.status == Status::interrupted;
    if (stopped && !hold.passed()) throw superseded;
    return text_of(course, stopped ? late : course.explanation);
  } catch (const Interrupted&) {  // while it was read or compiled
    if (!hold.passed()) throw superseded;
    throw RequestError(504, late, "the command line has no such limit");
  }
}

}  // namespace stiffit
