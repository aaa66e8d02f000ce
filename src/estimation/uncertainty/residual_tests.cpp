// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/residual_tests.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {
namespace {

using Series = ResidualLayout::Series;
constexpr std::size_t shortest_series = 4;  // times, below which order along it means nothing
constexpr int fewest_replicates = 3;        // degrees of freedom of the scatter around means

bool counts(const Series& s, int observable) {
  return observable < 0 || s.observable == observable;
}

// All residuals of one time as one, of the same variance as each of them.
double at_time(std::span<const double> r, const std::vector<int>& time) {
  double sum = 0;
  for (int k : time) sum += r[k];
  return sum / std::sqrt(static_cast<double>(time.size()));
}

bool has_order(const ResidualLayout& layout, int observable) {
  return std::any_of(layout.series.begin(), layout.series.end(), [&](const Series& s) {
    return counts(s, observable) && s.times.size() >= shortest_series;
  });
}

bool has_replicates(const ResidualLayout& layout, int observable) {
  std::size_t freedom = 0, means = 0;
  for (const Series& s : layout.series)
    if (counts(s, observable))
      for (const auto& time : s.times) freedom += time.size() - 1, means += time.size() > 1;
  return freedom >= fewest_replicates && means > 1;
}

bool has_known_noise(const ResidualLayout& layout, int observable) {
  for (std::size_t k = 0; k < layout.observable.size(); ++k)
    if (layout.noise_group[k] < 0 && (observable < 0 || layout.observable[k] == observable))
      return true;
  return false;
}

}  // namespace

const char* residual_test_name(ResidualTest test) {
  switch (test) {
    case ResidualTest::spread:
      return "chi-square";
    case ResidualTest::lack_of_fit:
      return "lack of fit";
    case ResidualTest::serial:
      return "autocorrelation";
    case ResidualTest::drift:
      return "cumulative sums";
    case ResidualTest::runs:
      return "runs";
  }
  return "";
}

std::vector<AppliedTest> applicable_tests(const ResidualLayout& layout) {
  std::vector<AppliedTest> tests;
  auto add = [&](int observable) {
    if (has_known_noise(layout, observable)) tests.push_back({ResidualTest::spread, observable});
    if (has_replicates(layout, observable))
      tests.push_back({ResidualTest::lack_of_fit, observable});
    if (!has_order(layout, observable)) return;
    for (ResidualTest test : {ResidualTest::serial, ResidualTest::drift, ResidualTest::runs})
      tests.push_back({test, observable});
  };
  add(-1);
  if (layout.observables > 1)
    for (int o = 0; o < layout.observables; ++o) add(o);
  return tests;
}

ResidualTests::ResidualTests(ResidualLayout layout)
    : layout_(std::move(layout)), tests_(applicable_tests(layout_)) {}

std::vector<double> ResidualTests::statistics(std::span<const double> residuals) const {
  std::vector<double> square(layout_.noise_groups), count(layout_.noise_groups);
  for (std::size_t k = 0; k < residuals.size(); ++k)
    if (const int g = layout_.noise_group[k]; g >= 0) {
      square[g] += residuals[k] * residuals[k];
      ++count[g];
    }
  std::vector<double> scaled(residuals.begin(), residuals.end());
  for (std::size_t k = 0; k < scaled.size(); ++k)
    if (const int g = layout_.noise_group[k]; g >= 0 && square[g] > 0)
      scaled[k] /= std::sqrt(square[g] / count[g]);
  std::vector<double> values;
  for (const AppliedTest& t : tests_) switch (t.test) {
      case ResidualTest::spread:
        values.push_back(spread(scaled, t.observable));
        break;
      case ResidualTest::lack_of_fit:
        values.push_back(lack_of_fit(scaled, t.observable));
        break;
      case ResidualTest::serial:
        values.push_back(serial(scaled, t.observable));
        break;
      case ResidualTest::drift:
        values.push_back(drift(scaled, t.observable));
        break;
      case ResidualTest::runs:
        values.push_back(runs(scaled, t.observable));
        break;
    }
  return values;
}

double ResidualTests::spread(std::span<const double> r, int observable) const {
  double sum = 0;
  for (std::size_t k = 0; k < r.size(); ++k)
    if (layout_.noise_group[k] < 0 && (observable < 0 || layout_.observable[k] == observable))
      sum += r[k] * r[k];
  return sum;
}

double ResidualTests::lack_of_fit(std::span<const double> r, int observable) const {
  double means = 0, within = 0;
  for (const Series& s : layout_.series) {
    if (!counts(s, observable)) continue;
    for (const auto& time : s.times) {
      const double mean = at_time(r, time) / std::sqrt(static_cast<double>(time.size()));
      means += static_cast<double>(time.size()) * mean * mean;
      for (int k : time) within += (r[k] - mean) * (r[k] - mean);
    }
  }
  return within > 0 ? means / within : means > 0 ? INFINITY : 0;
}

double ResidualTests::serial(std::span<const double> r, int observable) const {
  double products = 0, squares = 0;
  for (const Series& s : layout_.series) {
    if (!counts(s, observable) || s.times.size() < shortest_series) continue;
    double before = 0;
    for (std::size_t i = 0; i < s.times.size(); ++i) {
      const double now = at_time(r, s.times[i]);
      products += i > 0 ? before * now : 0;
      squares += now * now;
      before = now;
    }
  }
  return squares > 0 ? products / squares : 0;
}

double ResidualTests::drift(std::span<const double> r, int observable) const {
  double sums = 0, squares = 0;
  for (const Series& s : layout_.series) {
    if (!counts(s, observable) || s.times.size() < shortest_series) continue;
    const auto n = static_cast<double>(s.times.size());
    double sum = 0, mean_square = 0;
    for (const auto& time : s.times) {
      const double now = at_time(r, time);
      sum += now;
      mean_square += sum * sum / (n * n);
      squares += now * now;
    }
    sums += n * mean_square;  // a long series counts by its length
  }
  return squares > 0 ? sums / squares : 0;
}

double ResidualTests::runs(std::span<const double> r, int observable) const {
  double changes = 0;
  for (const Series& s : layout_.series) {
    if (!counts(s, observable) || s.times.size() < shortest_series) continue;
    for (std::size_t i = 1; i < s.times.size(); ++i)
      changes += (at_time(r, s.times[i]) > 0) != (at_time(r, s.times[i - 1]) > 0);
  }
  return -changes;
}

}  // namespace stiffit::internal
