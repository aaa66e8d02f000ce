// SPDX-License-Identifier: Apache-2.0
#include "estimation/direct/measured_curves.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/diagnostic.h"

namespace stiffit::internal {
namespace {

std::vector<SeriesTrack::Knot> knots_of(const LinearColumns::Series& series,
                                        std::span<const double> values,
                                        const std::vector<double>& sd) {
  std::vector<SeriesTrack::Knot> knots;
  const bool exact_start = !std::isnan(series.start_value);
  if (exact_start && (series.times.empty() || series.times.front().first > series.start))
    knots.push_back({series.start, series.start_value, 1, true});
  for (const auto& [time, data] : series.times) {
    SeriesTrack::Knot knot{time, series.start_value, 1, exact_start && time == series.start};
    if (!knot.exact) {
      double weights = 0, sum = 0;
      for (int m : data) {
        const double s = sd[m], w = s > 0 ? 1 / (s * s) : 1;
        weights += w;
        sum += w * values[m];
      }
      knot.value = sum / weights;
      knot.variance = 1 / weights;
    }
    knots.push_back(knot);
  }
  return knots;
}

}  // namespace

MeasuredCurves::MeasuredCurves(const FitProblem& problem, const LinearColumns& columns,
                               std::span<const double> values, Curve curve)
    : problem_(problem), experiments_(columns.experiments().size()) {
  std::map<std::size_t, std::pair<double, double>> pooled;  // by observable: squares, weight
  bool constant = true;
  for (std::size_t e = 0; e < experiments_.size(); ++e) {
    const LinearColumns::OneExperiment& experiment = columns.experiments()[e];
    experiments_[e].tracks.resize(problem.observables.size());
    experiments_[e].variance.assign(problem.observables.size(), std::nan(""));
    for (const LinearColumns::Series& series : experiment.series) {
      const std::size_t o = series.observable;
      std::vector<SeriesTrack::Knot> knots = knots_of(series, values, columns.known_errors());
      auto [low, high] = std::minmax_element(knots.begin(), knots.end(),
                                             [](auto& x, auto& y) { return x.value < y.value; });
      constant &= low->value == high->value;
      SeriesNoise noise{experiment.id, problem.observables[o].id, 0, columns.errors_known(), 0,
                        knots.size(),  high->value - low->value};
      if (noise.given) {
        experiments_[e].variance[o] = 1;
        double sum = 0;
        for (const SeriesTrack::Knot& k : knots) sum += k.exact ? 0 : k.variance;
        noise.sd = std::sqrt(sum / static_cast<double>(knots.size()));
      } else {
        noise.sd = noise_level(knots);
        if (!std::isnan(noise.sd)) {
          auto& [squares, weight] = pooled[o];
          squares += noise.sd * noise.sd * static_cast<double>(knots.size());
          weight += static_cast<double>(knots.size());
        }
      }
      experiments_[e].tracks[o] = std::make_unique<SeriesTrack>(std::move(knots), curve);
      noise.freedom = experiments_[e].tracks[o]->freedom();
      noise_.push_back(std::move(noise));
    }
  }
  if (constant)
    throw InputError("error: every measured series is constant: the data tell nothing about rates");
  for (One& one : experiments_)
    for (auto& [o, sums] : pooled) one.variance[o] = sums.first / sums.second;
}

std::vector<const SeriesTrack*> MeasuredCurves::tracks(std::size_t experiment) const {
  std::vector<const SeriesTrack*> result;
  for (const auto& track : experiments_[experiment].tracks) result.push_back(track.get());
  return result;
}

std::vector<double> MeasuredCurves::variance(std::size_t experiment) const {
  std::vector<double> result = experiments_[experiment].variance;
  for (double& v : result)
    if (std::isnan(v)) v = 0;
  return result;
}

bool MeasuredCurves::noise_missing() const {
  return std::any_of(experiments_.begin(), experiments_.end(), [](const One& one) {
    for (std::size_t o = 0; o < one.tracks.size(); ++o)
      if (one.tracks[o] && std::isnan(one.variance[o])) return true;
    return false;
  });
}

void MeasuredCurves::assume(double variance) {
  std::size_t series = 0;
  for (One& one : experiments_)
    for (std::size_t o = 0; o < one.tracks.size(); ++o) {
      if (!one.tracks[o]) continue;
      SeriesNoise& noise = noise_[series++];
      if (!std::isnan(one.variance[o])) continue;
      one.variance[o] = variance;
      noise.sd = std::sqrt(variance);
    }
}

}  // namespace stiffit::internal
