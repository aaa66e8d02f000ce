// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/gradient_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace stiffit::internal {
namespace {

// What an entry is measured by.
double scale_of(std::span<const double> gradient, std::size_t u) {
  double size = 0;
  for (double g : gradient) size += g * g;
  return std::max(std::fabs(gradient[u]), 1e-3 * std::sqrt(size));
}

double first_step(const EstimatedParameter& unknown, double theta) {
  if (unknown.scale == Scale::log10) return 0.08;
  if (unknown.scale == Scale::log) return 0.2;
  const double range = unknown.upper - unknown.lower;
  const double least = std::isfinite(range) && range > 0 ? 1e-4 * std::min(range, 100.0) : 1e-2;
  return 0.2 * std::max(std::fabs(theta), least);
}

// How much the objective scatters from one point to the next: what is left of a row of near points
// after third and higher differences (Hamming's table; More and Wild, SIAM J. Sci. Comput. 33). The
// least of them, for what is smooth may still be in the lower ones.
double noise_of(const Objective& objective, std::span<const double> theta) {
  constexpr int points = 9, lowest = 3, highest = 6;
  std::vector<std::vector<double>> row(points, {theta.begin(), theta.end()});
  for (int i = 0; i < points; ++i)
    for (std::size_t u = 0; u < theta.size(); ++u)
      if (std::isfinite(theta[u]))
        row[i][u] += 1e-5 * (i - points / 2) * first_step(objective.unknowns()[u], theta[u]);
  std::vector<double> f;
  for (const Evaluation& e : objective.values(row, 1)) f.push_back(e.value);
  double least = INFINITY, factor = 1;  // (k!)^2 / (2k)!
  for (int k = 1; k <= highest; ++k) {
    for (std::size_t i = 0; i + 1 < f.size(); ++i) f[i] = f[i + 1] - f[i];
    f.pop_back();
    factor *= k / (2.0 * (2 * k - 1));
    double sum = 0;
    for (double x : f) sum += x * x;
    if (k >= lowest)
      least = std::min(least, std::sqrt(factor * sum / static_cast<double>(f.size())));
  }
  return std::isfinite(least) ? least : 0;
}

// Romberg's table of one unknown: a row for each step, each column free of one more even power of
// it.
class RombergTable {
 public:
  RombergTable(std::size_t u, double step, double noise, double enough)
      : best_{u, NAN, INFINITY}, h_(step), noise_(noise), enough_(enough) {}

  double step() const { return h_; }  // of the next row
  const Difference& best() const { return best_; }
  bool finished() const { return rows_ == most_rows || best_.error <= enough_; }

  // What the objective is a step up and a step down.
  void add(double up, double down) {
    add_row(up, down);
    h_ /= 2;
    ++rows_;
  }

 private:
  static constexpr int most_rows = 13;

  void add_row(double up, double down) {
    if (!std::isfinite(up) || !std::isfinite(down)) {
      before_.clear();  // too far out
      return;
    }
    const double scatter =
        (2 * noise_ + std::numeric_limits<double>::epsilon() * (std::fabs(up) + std::fabs(down))) /
        h_;
    row_.assign(1, (up - down) / (2 * h_));
    double power = 1;
    for (std::size_t j = 0; j < before_.size(); ++j) {
      power *= 4;
      row_.push_back(row_[j] + (row_[j] - before_[j]) / (power - 1));
      const double error = std::max(
          {std::fabs(row_[j + 1] - row_[j]), std::fabs(row_[j + 1] - before_[j]), scatter});
      // Two rows may agree by chance.
      if (before_.size() >= 2 && error < best_.error) best_ = {best_.unknown, row_[j + 1], error};
    }
    before_ = row_;
  }

  Difference best_;
  double h_, noise_, enough_;
  int rows_ = 0;
  std::vector<double> before_, row_;
};

}  // namespace

std::vector<Difference> central_differences(const Objective& objective,
                                            std::span<const double> theta,
                                            std::span<const double> gradient, double tolerance,
                                            std::span<const std::size_t> which) {
  std::vector<std::size_t> all(theta.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (which.empty()) which = all;
  const double noise = noise_of(objective, theta);
  std::vector<RombergTable> tables;
  for (std::size_t u : which)
    tables.emplace_back(u, first_step(objective.unknowns()[u], theta[u]), noise,
                        0.1 * tolerance * scale_of(gradient, u));
  // A row of all tables at a time: their points are evaluated side by side.
  for (;;) {
    std::vector<RombergTable*> open;
    std::vector<std::vector<double>> points;
    for (RombergTable& table : tables) {
      const std::size_t u = table.best().unknown;
      if (table.finished() || !std::isfinite(theta[u])) continue;
      open.push_back(&table);
      for (double shift : {table.step(), -table.step()})
        points.emplace_back(theta.begin(), theta.end())[u] += shift;
    }
    if (open.empty()) break;
    const std::vector<Evaluation> values = objective.values(points, 1);
    for (std::size_t k = 0; k < open.size(); ++k)
      open[k]->add(values[2 * k].value, values[2 * k + 1].value);
  }
  std::vector<Difference> result;
  for (const RombergTable& table : tables) {
    const std::size_t u = table.best().unknown;
    // The logarithm of zero: nothing to step from.
    result.push_back(std::isfinite(theta[u]) ? table.best() : Difference{u, 0, 0});
  }
  return result;
}

std::vector<GradientCheck> compare_gradient(std::span<const double> gradient,
                                            std::span<const Difference> differences,
                                            double tolerance) {
  std::vector<GradientCheck> result;
  for (const Difference& d : differences) {
    const std::size_t u = d.unknown;
    GradientCheck c;
    c.unknown = u;
    c.gradient = gradient[u];
    c.difference = d.value;
    const double off = std::fabs(gradient[u] - d.value), scale = scale_of(gradient, u);
    c.error = off == 0 ? 0 : off / scale;
    c.uncertainty = d.error == 0 ? 0 : d.error / scale;
    c.passed = c.error <= tolerance;
    // The estimate of the difference's error is one itself.
    const bool told = off > 5 * d.error || !std::isfinite(gradient[u]);
    c.verdict = c.passed ? GradientVerdict::right
                : told   ? GradientVerdict::wrong
                         : GradientVerdict::unsure;
    result.push_back(c);
  }
  return result;
}

std::vector<GradientCheck> check_gradient(const Objective& objective, std::span<const double> theta,
                                          std::span<const double> gradient, double tolerance) {
  return compare_gradient(gradient, central_differences(objective, theta, gradient, tolerance),
                          tolerance);
}

}  // namespace stiffit::internal
