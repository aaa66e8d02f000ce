// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/residual_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace stiffit::internal {
namespace {

constexpr std::size_t dense_series = 8;  // times

double compared(double value, Transformation transformation) {
  switch (transformation) {
    case Transformation::none:
      return value;
    case Transformation::log:
      return std::log(value);
    case Transformation::log10:
      return std::log10(value);
  }
  return value;
}

// Where a measurement stands: what was measured of what, with which scales and offsets.
using CurveKey = std::tuple<int, int, std::vector<std::pair<int, double>>>;

CurveKey curve_of(int observable, int experiment, const ProblemObservable& o,
                  const Measurement& m) {
  std::vector<std::pair<int, double>> values;
  const std::size_t count = m.placeholders.size() - o.noise_placeholders;
  for (std::size_t i = 0; i < count; ++i)
    values.emplace_back(m.placeholders[i].parameter,
                        m.placeholders[i].parameter < 0 ? m.placeholders[i].number : 0);
  return {observable, experiment, std::move(values)};
}

class LayoutBuilder {
 public:
  LayoutBuilder(MeasuredLayout& result, bool unknown_noise, const ResidualDerivatives& derivatives)
      : result_(result), unknown_noise_(unknown_noise), derivatives_(derivatives) {
    const std::size_t n = derivatives.predictions.size();
    for (std::vector<double>* v : {&result.measured, &result.predicted, &result.noise})
      v->assign(n, 0.0);
    result.kinds.assign(n, NoiseKind::normal);
    result.freedom.assign(n, not_set);
    result.layout.observable.assign(n, 0);
    result.layout.noise_group.assign(n, -1);
  }

  void add(const FitProblem& part) {
    std::map<CurveKey, std::map<double, std::vector<int>>> curves;
    const int first_experiment = experiments_;
    for (std::size_t i = 0; i < part.measurements.size(); ++i) {
      const Measurement& m = part.measurements[i];
      const ProblemObservable& o = part.observables[m.observable];
      const int row = m.row >= 0 ? m.row : static_cast<int>(i);
      const int observable = observable_of(o.id);
      place(row, observable, o, m);
      curves[curve_of(observable, first_experiment + m.experiment, o, m)][m.time].push_back(row);
    }
    experiments_ += static_cast<int>(part.experiments.size());
    for (auto& [key, times] : curves) {
      ResidualLayout::Series series;
      series.observable = std::get<0>(key);
      for (auto& [time, rows] : times) series.times.push_back(rows);
      join(std::move(series));
    }
  }

  void finish() {
    result_.layout.observables = static_cast<int>(result_.observables.size());
    result_.layout.noise_groups = unknown_noise_ ? 1 : static_cast<int>(noise_groups_.size());
  }

 private:
  int observable_of(const std::string& id) {
    const auto [found, fresh] =
        observable_.emplace(id, static_cast<int>(result_.observables.size()));
    if (fresh) result_.observables.push_back(id);
    return found->second;
  }

  void place(int row, int observable, const ProblemObservable& o, const Measurement& m) {
    result_.measured[row] = compared(m.value, o.transformation);
    result_.predicted[row] = compared(derivatives_.predictions[row].value, o.transformation);
    result_.noise[row] = derivatives_.predictions[row].noise;
    result_.kinds[row] = o.noise_kind;
    result_.freedom[row] = derivatives_.predictions[row].freedom;
    result_.layout.observable[row] = observable;
    const std::vector<int>& by = derivatives_.noise_unknowns[row];
    if (unknown_noise_)
      result_.layout.noise_group[row] = 0;
    else if (!by.empty())
      result_.layout.noise_group[row] =
          noise_groups_.emplace(by, static_cast<int>(noise_groups_.size())).first->second;
  }

  // To a series that the model says the same of, if there is one.
  void join(ResidualLayout::Series series) {
    for (ResidualLayout::Series& other : result_.layout.series) {
      if (other.observable != series.observable || other.times.size() != series.times.size())
        continue;
      bool same = true;
      for (std::size_t i = 0; i < series.times.size() && same; ++i) {
        const int a = series.times[i].front(), b = other.times[i].front();
        const double x = result_.predicted[a], y = result_.predicted[b];
        same = std::abs(x - y) <= 1e-12 * std::max(std::abs(x), std::abs(y));
      }
      if (!same) continue;
      for (std::size_t i = 0; i < series.times.size(); ++i)
        other.times[i].insert(other.times[i].end(), series.times[i].begin(), series.times[i].end());
      return;
    }
    result_.layout.series.push_back(std::move(series));
  }

  MeasuredLayout& result_;
  const bool unknown_noise_;
  const ResidualDerivatives& derivatives_;
  std::map<std::string, int> observable_;
  std::map<std::vector<int>, int> noise_groups_;
  int experiments_ = 0;
};

}  // namespace

MeasuredLayout measured_layout(const FitProblem& problem, bool unknown_noise,
                               const ResidualDerivatives& derivatives) {
  MeasuredLayout result;
  LayoutBuilder builder(result, unknown_noise, derivatives);
  if (problem.model) builder.add(problem);
  for (const FitProblem& part : problem.parts) builder.add(part);
  builder.finish();
  return result;
}

double neighbour_scatter(const MeasuredLayout& data, int observable) {
  double sum = 0, count = 0;
  for (const ResidualLayout::Series& s : data.layout.series) {
    if (observable >= 0 && s.observable != observable) continue;
    if (s.times.size() < dense_series) continue;
    for (std::size_t i = 1; i + 1 < s.times.size(); ++i) {
      const int a = s.times[i - 1].front(), k = s.times[i].front(), b = s.times[i + 1].front();
      // Weights by the number of the point: a series with gaps is no dense one.
      const double e =
          (0.5 * (data.measured[a] + data.measured[b]) - data.measured[k]) / data.noise[k];
      sum += e * e / 1.5;
      ++count;
    }
  }
  return count > 0 ? std::sqrt(sum / count) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace stiffit::internal
