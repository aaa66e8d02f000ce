// SPDX-License-Identifier: Apache-2.0
#include "report/fit_progress.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>

#include "base/diagnostic.h"
#include "report/json.h"

namespace stiffit::internal {
namespace {

// Measurements of one quantity in one experiment, in order of the file.
struct Series {
  std::string experiment, observable;
  std::vector<double> times, measured, simulated, noise;
  std::vector<Censoring> censoring;
};

void add_series(const FitProblem& part, const std::vector<Prediction>& predictions,
                std::vector<Series>& all, std::size_t& next) {
  std::map<std::pair<int, int>, std::size_t> places;
  for (const Measurement& m : part.measurements) {
    auto [place, added] = places.try_emplace({m.experiment, m.observable}, all.size());
    if (added)
      all.push_back({part.experiments[m.experiment].id,
                     part.observables[m.observable].id,
                     {},
                     {},
                     {},
                     {},
                     {}});
    const std::size_t row = m.row >= 0 ? m.row : next;
    ++next;
    Series& series = all[place->second];
    series.times.push_back(m.time);
    series.measured.push_back(m.value);
    series.censoring.push_back(m.censoring);
    series.simulated.push_back(row < predictions.size() ? predictions[row].value : not_set);
    const bool known = row < predictions.size() && !part.unknown_noise;
    series.noise.push_back(known ? predictions[row].noise : not_set);
  }
}

void write_numbers(JsonWriter& json, const char* name, const std::vector<double>& values) {
  json.key(name).begin_array();
  for (double v : values) json.value(v);
  json.end_array();
}

// Of which values only a limit is known; nothing where there are none.
void write_limits(JsonWriter& json, const std::vector<Censoring>& sides) {
  if (std::count(sides.begin(), sides.end(), Censoring::none) == std::ssize(sides)) return;
  json.key("limit").begin_array();
  for (Censoring side : sides) {
    if (side == Censoring::none)
      json.null();
    else
      json.value(side == Censoring::below ? "below" : "above");
  }
  json.end_array();
}

}  // namespace

FitProgress::FitProgress(std::string file, const ProblemObjective& objective,
                         ObjectiveOptions options, std::size_t starts)
    : file_(std::move(file)), objective_(objective), options_(std::move(options)), starts_(starts) {
  write();
}

void FitProgress::finished(const StartResult& start) {
  std::lock_guard lock(mutex_);
  ++done_;
  ++steps_;
  if (start.fit.usable() && start.fit.at.value < best_.value)
    best_ = {start.fit.at.value, start.fit.x};
  note(shown().value);
  write();
}

void FitProgress::step(std::span<const double> theta, double value) {
  constexpr auto pause = std::chrono::milliseconds(250);
  std::lock_guard lock(mutex_);
  ++steps_;
  if (theta.size() != objective_.unknowns().size() || !(value < live_.value)) return;
  live_ = {value, {theta.begin(), theta.end()}};
  note(shown().value);
  const auto now = std::chrono::steady_clock::now();
  if (now < next_write_) return;
  write();
  next_write_ = std::chrono::steady_clock::now() + pause;
}

// At the end only what starts have ended with counts.
const FitProgress::Point& FitProgress::shown() const {
  return live_.value < best_.value && done_ < starts_ ? live_ : best_;
}

void FitProgress::note(double value) {
  constexpr std::size_t longest = 2000;
  if (!(value < std::numeric_limits<double>::infinity())) return;
  trace_.emplace_back(steps_, value);
  if (trace_.size() <= longest) return;
  for (std::size_t i = 0; 2 * i < trace_.size(); ++i) trace_[i] = trace_[2 * i];
  trace_.resize(trace_.size() / 2);
}

void FitProgress::predict(const std::vector<double>& theta) {
  if (theta == predicted_at_) return;
  predicted_at_ = theta;
  std::string failure;
  predictions_ = objective_.predict(theta, failure);
  if (!course_) prepare_course();
  if (course_) course_values_ = course_->predict(theta, failure);
}

void FitProgress::prepare_course() {
  constexpr int intervals = 120;
  constexpr std::size_t most_points = 200000;  // beyond it the curves would hold the fit up
  if (objective_.problem().parts.empty() && objective_.problem().model->species.size() *
                                                    objective_.problem().experiments.size() *
                                                    intervals >
                                                most_points)
    return;
  try {
    CourseProblem course = course_problem(objective_.problem(), intervals);
    if (course.points.empty() || course.points.size() > most_points) return;
    ObjectiveOptions values = options_;
    values.derivatives = false;
    course_ = std::make_unique<const ProblemObjective>(std::move(course.problem), values);
    course_points_ = std::move(course.points);
  } catch (const InputError&) {
    // The fit goes on without them.
  }
}

std::vector<std::pair<double, double>> FitProgress::curve(const std::string& experiment,
                                                          const std::string& observable) const {
  std::vector<std::pair<double, double>> points;
  if (course_values_.size() != course_points_.size()) return points;
  // What measures a species as it is has no course of its own.
  for (const bool formula : {true, false}) {
    if (!points.empty()) break;
    for (std::size_t i = 0; i < course_points_.size(); ++i) {
      const CoursePoint& p = course_points_[i];
      if (p.observable == formula && p.experiment == experiment && p.quantity == observable)
        points.emplace_back(p.time, course_values_[i].value);
    }
  }
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return points;
}

// To a file of another name first, so that a reader never sees half of it.
void FitProgress::write() {
  const Point& point = shown();
  if (!point.theta.empty()) predict(point.theta);
  JsonWriter json;
  json.begin_object().member("done", done_).member("total", starts_);
  json.member("seconds",
              std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count());
  json.key("trace").begin_array();
  for (auto [steps, value] : trace_) json.begin_array().value(steps).value(value).end_array();
  json.end_array();
  if (!point.theta.empty()) {
    json.key("best")
        .begin_object()
        .member("objective", point.value)
        .key("parameters")
        .begin_object();
    const std::vector<EstimatedParameter>& unknowns = objective_.unknowns();
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      json.member(unknowns[i].id, from_theta(point.theta[i], unknowns[i].scale));
    json.end_object().end_object();
  }
  std::vector<Series> all;
  std::size_t next = 0;
  add_series(objective_.problem(), predictions_, all, next);
  for (const FitProblem& part : objective_.problem().parts)
    add_series(part, predictions_, all, next);
  json.key("simulations").begin_array();
  for (const Series& s : all) {
    json.begin_object().member("experiment", s.experiment).member("observable", s.observable);
    write_numbers(json, "time", s.times);
    write_numbers(json, "measured", s.measured);
    write_limits(json, s.censoring);
    write_numbers(json, "simulated", s.simulated);
    write_numbers(json, "noise", s.noise);
    std::vector<double> times, values;
    for (auto [time, value] : curve(s.experiment, s.observable)) {
      times.push_back(time);
      values.push_back(value);
    }
    write_numbers(json, "curve_time", times);
    write_numbers(json, "curve_value", values);
    json.end_object();
  }
  const std::string text = json.end_array().end_object().text();
  const std::string draft = file_ + ".part";
  {
    std::ofstream out(draft, std::ios::binary | std::ios::trunc);
    out << text;
    if (!out) return;  // a fit is worth more than its progress
  }
  std::rename(draft.c_str(), file_.c_str());
}

}  // namespace stiffit::internal
