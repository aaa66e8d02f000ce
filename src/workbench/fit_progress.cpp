// SPDX-License-Identifier: Apache-2.0
#include "workbench/fit_progress.h"

#include <cstdio>
#include <fstream>
#include <map>

#include "report/json.h"

namespace stiffit {
namespace {

// Measurements of one quantity in one experiment, in order of the file.
struct Series {
  std::string experiment, observable;
  std::vector<double> times, measured, simulated, noise;
};

void add_series(const FitProblem& part, const std::vector<Prediction>& predictions,
                std::vector<Series>& all, std::size_t& next) {
  std::map<std::pair<int, int>, std::size_t> places;
  for (const Measurement& m : part.measurements) {
    auto [place, added] = places.try_emplace({m.experiment, m.observable}, all.size());
    if (added)
      all.push_back({part.experiments[static_cast<std::size_t>(m.experiment)].id,
                     part.observables[static_cast<std::size_t>(m.observable)].id,
                     {},
                     {},
                     {},
                     {}});
    const std::size_t row = m.row >= 0 ? static_cast<std::size_t>(m.row) : next;
    ++next;
    Series& series = all[place->second];
    series.times.push_back(m.time);
    series.measured.push_back(m.value);
    series.simulated.push_back(row < predictions.size() ? predictions[row].value : not_set);
    series.noise.push_back(row < predictions.size() ? predictions[row].noise : not_set);
  }
}

void write_numbers(JsonWriter& json, const char* name, const std::vector<double>& values) {
  json.key(name).begin_array();
  for (double v : values) json.value(v);
  json.end_array();
}

}  // namespace

FitProgress::FitProgress(std::string file, const ProblemObjective& objective, std::size_t starts)
    : file_(std::move(file)), objective_(objective), starts_(starts) {
  write();
}

void FitProgress::finished(const StartResult& start) {
  ++done_;
  if (start.fit.usable() && start.fit.at.value < best_) {
    best_ = start.fit.at.value;
    predict(start.fit.x);
  }
  if (best_ < std::numeric_limits<double>::infinity()) trace_.emplace_back(done_, best_);
  write();
}

void FitProgress::predict(const std::vector<double>& theta) {
  theta_ = theta;
  std::string failure;
  predictions_ = objective_.predict(theta, failure);
}

// To a file of another name first, so that a reader never sees half of it.
void FitProgress::write() {
  JsonWriter json;
  json.begin_object().member("done", done_).member("total", starts_);
  json.member("seconds",
              std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count());
  json.key("trace").begin_array();
  for (auto [done, value] : trace_) json.begin_array().value(done).value(value).end_array();
  json.end_array();
  if (!theta_.empty()) {
    json.key("best").begin_object().member("objective", best_).key("parameters").begin_object();
    const std::vector<Unknown>& unknowns = objective_.unknowns();
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      json.member(unknowns[i].id, from_theta(theta_[i], unknowns[i].scale));
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
    write_numbers(json, "simulated", s.simulated);
    write_numbers(json, "noise", s.noise);
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

}  // namespace stiffit
