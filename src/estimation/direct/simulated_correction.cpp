// SPDX-License-Identifier: Apache-2.0
#include "estimation/direct/simulated_correction.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/diagnostic.h"
#include "base/interrupt.h"
#include "base/normal_draw.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t many_data = 5000;  // from here on fewer draws have to do
constexpr int most_rounds = 10;
constexpr double near = 0.02;         // standard errors, to which simulations have to be met
constexpr double least_slope = 0.02;  // of estimates by what is estimated: below, nothing follows

double middle(std::vector<double> values) {
  const auto half = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), half, values.end());
  if (values.size() % 2) return *half;
  return (*half + *std::max_element(values.begin(), half)) / 2;
}

// The directions in which an answer is uncertain, each as long as its standard deviation.
struct Axes {
  MatrixXd along;    // columns
  MatrixXd measure;  // rows: how far along each
};
Axes axes_of(const LinearFitResult& r) {
  const Index n = r.values.size();
  constexpr double least = 1e-6;  // of the value: exact data have no noise, but a grid
  VectorXd scale(n);
  for (Index i = 0; i < n; ++i)
    scale(i) = std::max(std::sqrt(std::max(r.covariance(i, i), 0.0)),
                        least * std::max(std::abs(r.values(i)), 1e-300));
  const MatrixXd scaled =
      scale.cwiseInverse().asDiagonal() * r.covariance * scale.cwiseInverse().asDiagonal();
  const SymmetricEigen eigen(scaled);
  const Index lost = std::min<Index>(r.null_space.cols(), n);
  Axes axes{MatrixXd(n, n - lost), MatrixXd(n - lost, n)};
  for (Index k = lost; k < n; ++k) {
    const double length = std::sqrt(std::max(eigen.eigenvalues()(k), 1e-12));
    axes.along.col(k - lost) = scale.asDiagonal() * eigen.eigenvectors().col(k) * length;
    axes.measure.row(k - lost) =
        (scale.cwiseInverse().asDiagonal() * eigen.eigenvectors().col(k)).transpose() / length;
  }
  return axes;
}

class Corrector {
 public:
  Corrector(const LinearFit& fit, const LinearFitResult& result, const SimulatedSource& source,
            std::uint64_t seed)
      : fit_(fit), result_(result), source_(source), seed_(seed) {
    const bool few = source.data.size() < many_data;
    pairs_ = few ? 40 : 4;
    last_pairs_ = few ? 200 : 30;
    Axes axes = axes_of(result);
    axes_ = std::move(axes.along);
    to_axes_ = std::move(axes.measure);
  }

  SimulatedCorrection run() {
    SimulatedCorrection c;
    c.noise = result_.errors;
    noise_ = c.noise;
    if (axes_.cols() == 0) c.failed = "the data determine nothing";
    if (c.failed.empty()) find(c);
    if (c.failed.empty() && !result_.noise.empty() && !result_.noise.front().given) {
      noise_ = noise_left(c.values);
      c.noise = noise_;
      find(c);
    }
    if (c.failed.empty()) scatter(c);
    return c;
  }

 private:
  // Estimates of a simulation with noise and with its mirror image; the first order of noise
  // is not in their mean. Not finite: it could not be estimated.
  VectorXd estimate(const std::vector<double>& clean, std::uint64_t draw, double sign) const {
    if (InterruptScope::raised()) throw Interrupted();
    SplitMix random = stream(seed_, draw);
    std::vector<double> values = clean;
    for (std::size_t m = 0; m < values.size(); ++m)
      values[m] += sign * noise_(static_cast<Index>(m)) * normal_draw(random);
    try {
      return fit_.solve(values, false).values;
    } catch (const InputError&) {
      return VectorXd::Constant(result_.values.size(), std::nan(""));
    }
  }

  // What is estimated in the middle if the unknowns are these; empty: they cannot be simulated.
  VectorXd estimated(const VectorXd& values) const {
    const std::vector<double> clean = source_.simulate(values);
    const Index n = values.size();
    if (clean.empty()) return {};
    const bool noisy = noise_.maxCoeff() > 0;
    std::vector<std::vector<double>> means(n);
    for (int b = 0; b < (noisy ? pairs_ : 1); ++b) {
      const VectorXd mean = (estimate(clean, b, 1) + estimate(clean, b, -1)) / 2;
      for (Index i = 0; i < n; ++i)
        if (std::isfinite(mean(i))) means[i].push_back(mean(i));
    }
    VectorXd result(n);
    for (Index i = 0; i < n; ++i) {
      if (means[i].empty()) return {};
      result(i) = middle(std::move(means[i]));
    }
    return result;
  }

  // The answer that is estimated as the data were, by Broyden's method along the axes.
  void find(SimulatedCorrection& c) {
    const Index r = axes_.cols();
    MatrixXd inverse = MatrixXd::Identity(r, r);
    VectorXd at = c.values.size() ? c.values : result_.values;
    VectorXd found = estimated(at);
    if (found.size() == 0) {
      c.failed = "the model could not be simulated at the answer";
      return;
    }
    VectorXd left = to_axes_ * (result_.values - found);
    for (int round = 0; round < most_rounds && left.norm() > near; ++round) {
      VectorXd step = inverse * left, next_left;
      VectorXd next;
      bool better = false;
      for (int half = 0; half < 4 && !better; ++half, step /= 2) {
        next = at + axes_ * step;
        found = estimated(next);
        if (found.size() == 0) continue;
        next_left = to_axes_ * (result_.values - found);
        better = next_left.norm() < left.norm();
        if (better) break;
      }
      if (!better) break;
      const VectorXd change = left - next_left;  // of what is estimated
      const VectorXd moved = inverse * change;
      const double along = step.dot(moved);
      if (std::abs(along) > 1e-12 * step.squaredNorm())
        inverse += (step - moved) * (step.transpose() * inverse) / along;
      at = next;
      left = next_left;
    }
    c.values = at;
    c.settled = left.norm() <= 10 * near;
  }

  // The size of unknown noise, by observable: what the answer leaves over.
  VectorXd noise_left(const VectorXd& values) const {
    constexpr double far = 2;
    const std::vector<double> clean = source_.simulate(values);
    if (clean.empty()) return noise_;
    struct Sums {
      double squares = 0, count = 0;
    };
    std::map<int, Sums> of;
    double all = 0;
    for (std::size_t m = 0; m < clean.size(); ++m) {
      const double sd = result_.errors(static_cast<Index>(m));
      if (!(sd > 0)) continue;
      const double off = (source_.data[m] - clean[m]) / sd;
      of[source_.observable[m]].squares += off * off;
      of[source_.observable[m]].count += 1;
      all += 1;
    }
    VectorXd noise = result_.errors;
    const double left = 1 - static_cast<double>(axes_.cols()) / all;
    if (!(left > 0)) return noise_;
    for (std::size_t m = 0; m < clean.size(); ++m) {
      const Sums& own = of[source_.observable[m]];
      const double ratio = std::sqrt(own.squares / (own.count * left));
      if (ratio < far && ratio > 0) noise(static_cast<Index>(m)) *= ratio;
    }
    return noise;
  }

  // How estimates follow what is estimated, and how far they scatter.
  void scatter(SimulatedCorrection& c) const {
    const Index r = axes_.cols(), n = c.values.size();
    const VectorXd center = estimated(c.values);
    MatrixXd slope = MatrixXd::Identity(r, r);
    if (center.size() == 0) {
      c.failed = "the model could not be simulated at the corrected answer";
      return;
    }
    for (Index k = 0; k < r; ++k)
      for (double step : {1.0, -1.0, 0.25, -0.25}) {
        const VectorXd beside = estimated(c.values + step * axes_.col(k));
        if (beside.size() == 0) continue;
        slope.col(k) = to_axes_ * (beside - center) / step;
        break;
      }
    const SingularValues s = singular_values(slope);
    MatrixXd inverse = MatrixXd::Zero(r, r);
    for (Index k = 0; k < r; ++k)
      inverse += s.right.col(k) * s.left.col(k).transpose() / std::max(s.values(k), least_slope);
    c.by_estimate = axes_ * inverse * to_axes_;
    const std::vector<double> clean = source_.simulate(c.values);
    std::vector<VectorXd> off;
    const bool noisy = noise_.maxCoeff() > 0;
    for (int b = 0; noisy && b < last_pairs_; ++b)
      for (double sign : {1.0, -1.0}) {
        const VectorXd one = estimate(clean, b, sign);
        if (one.allFinite()) off.push_back(c.by_estimate * (one - center));
      }
    c.draws.resize(n, static_cast<Index>(off.size()));
    for (std::size_t b = 0; b < off.size(); ++b) c.draws.col(static_cast<Index>(b)) = off[b];
    c.covariance = MatrixXd::Zero(n, n);
    if (off.size() < 2) return;
    const VectorXd mean = c.draws.rowwise().mean();
    const MatrixXd apart = c.draws.colwise() - mean;
    c.covariance = apart * apart.transpose() / static_cast<double>(off.size() - 1);
  }

  const LinearFit& fit_;
  const LinearFitResult& result_;
  const SimulatedSource& source_;
  std::uint64_t seed_;
  int pairs_ = 0, last_pairs_ = 0;
  MatrixXd axes_, to_axes_;
  VectorXd noise_;
};

}  // namespace

SimulatedCorrection correct_by_simulation(const LinearFit& fit, const LinearFitResult& result,
                                          const SimulatedSource& source, std::uint64_t seed) {
  return Corrector(fit, result, source, seed).run();
}

}  // namespace stiffit::internal
