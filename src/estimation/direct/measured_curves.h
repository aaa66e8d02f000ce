// The data of every experiment as curves, and how large their noise is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "estimation/direct/linear_columns.h"
#include "estimation/direct/series_track.h"

namespace stiffit::internal {

struct SeriesNoise {
  std::string experiment, series;
  double sd = 0;
  bool given = false;  // else estimated from the data
  double freedom = 0;  // parameters that the curve uses
  std::size_t points = 0;
  double range = 0;  // largest minus smallest value
};

class MeasuredCurves {
 public:
  // `values`: of all measurements. Throws InputError if every series is constant.
  MeasuredCurves(const FitProblem& problem, const LinearColumns& columns,
                 std::span<const double> values, Curve curve);

  // By observable; null where it was not measured.
  std::vector<const SeriesTrack*> tracks(std::size_t experiment) const;
  // Of a datum with relative variance one, by observable; 0 where it is not known.
  std::vector<double> variance(std::size_t experiment) const;
  // True if some series has too few points to tell its noise; `assume` then says it.
  bool noise_missing() const;
  void assume(double variance);

  // Series by series, experiment by experiment.
  const std::vector<SeriesNoise>& noise() const { return noise_; }

 private:
  struct One {
    std::vector<std::unique_ptr<SeriesTrack>> tracks;
    std::vector<double> variance;  // NaN: not known
  };
  const FitProblem& problem_;
  std::vector<One> experiments_;
  std::vector<SeriesNoise> noise_;
};

}  // namespace stiffit::internal
