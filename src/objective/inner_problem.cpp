// SPDX-License-Identifier: Apache-2.0
#include "objective/inner_problem.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace stiffit {
namespace {

constexpr double slack = 1e-9;

double slope_of(const std::vector<std::pair<int, double>>& slopes, int unknown) {
  for (auto& [u, slope] : slopes)
    if (u == unknown) return slope;
  return 0;
}

bool same(double x, double y) {
  return std::fabs(x - y) <= slack * (std::fabs(x) + std::fabs(y)) + 1e-300;
}

InnerRole role_of(int u, std::span<const double> va, const std::vector<OutputTerm>& a,
                  std::span<const double> vb, const std::vector<OutputTerm>& b) {
  bool linear = true, factor = true, noise = true, in_value = false, in_noise = false;
  const auto at = static_cast<std::size_t>(u);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double ha = slope_of(a[i].by_value, u), hb = slope_of(b[i].by_value, u);
    const double sa = slope_of(a[i].by_noise, u), sb = slope_of(b[i].by_noise, u);
    if (ha != 0 || hb != 0) {
      in_value = true;
      linear &= a[i].transformation == Transformation::none &&
                a[i].noise_kind == NoiseKind::normal && same(ha, hb);
      factor &= a[i].transformation != Transformation::none &&
                a[i].noise_kind == NoiseKind::normal && same(ha * va[at], a[i].value) &&
                same(hb * vb[at], b[i].value);
    }
    if (sa != 0 || sb != 0) {
      in_noise = true;
      noise &= same(sa * va[at], a[i].noise) && same(sb * vb[at], b[i].noise);
    }
  }
  if (in_value == in_noise) return InnerRole::none;
  if (in_noise) return noise ? InnerRole::noise : InnerRole::none;
  return linear ? InnerRole::linear : factor ? InnerRole::factor : InnerRole::none;
}

double logarithm(Transformation t, double x) {
  return t == Transformation::log10 ? std::log10(x) : std::log(x);
}

// One inner solution, kept up to date while unknowns move one after another.
class Inner {
 public:
  Inner(const std::vector<InnerRole>& roles, const std::vector<int>& candidates,
        const std::vector<OutputTerm>& terms, std::span<const double> low,
        std::span<const double> high, std::span<double> values)
      : roles_(roles),
        candidates_(candidates),
        terms_(terms),
        low_(low),
        high_(high),
        values_(values) {
    for (const OutputTerm& term : terms) {
      prediction_.push_back(term.value);
      noise_.push_back(term.noise);
    }
  }

  void solve(bool unknown_noise) {
    constexpr int most_rounds = 200;
    for (int round = 0; round < most_rounds; ++round) {
      moved_ = 0;
      all_linear();
      for (std::size_t k = 0; k < candidates_.size(); ++k) {
        if (roles_[k] == InnerRole::factor) one_factor(candidates_[k]);
        if (roles_[k] == InnerRole::noise && !unknown_noise) one_noise(candidates_[k]);
      }
      if (moved_ <= 1e-13) return;
    }
  }

 private:
  void set(int u, double value) {
    const auto at = static_cast<std::size_t>(u);
    value = std::clamp(value, low_[at], high_[at]);
    const double old = values_[at];
    if (!std::isfinite(value) || value == old) return;
    moved_ = std::max(moved_, std::fabs(value - old) / std::max(std::fabs(value), std::fabs(old)));
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const double h = slope_of(terms_[i].by_value, u), s = slope_of(terms_[i].by_noise, u);
      if (h != 0 && terms_[i].transformation == Transformation::none)
        prediction_[i] += h * (value - old);
      else if (h != 0)
        prediction_[i] *= value / old;
      if (s != 0) noise_[i] *= value / old;
    }
    values_[at] = value;
  }

  // All at once; if a bound is in the way, one after another, which ends at the best within them.
  void all_linear() {
    std::vector<int> unknowns;
    for (std::size_t k = 0; k < candidates_.size(); ++k)
      if (roles_[k] == InnerRole::linear) unknowns.push_back(candidates_[k]);
    if (unknowns.empty()) return;
    const auto n = static_cast<Eigen::Index>(unknowns.size());
    Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(n, n);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(n);
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      const double weight = 1 / (noise_[i] * noise_[i]);
      const double gap = terms_[i].measurement - prediction_[i];
      for (Eigen::Index j = 0; j < n; ++j) {
        const double hj = slope_of(terms_[i].by_value, unknowns[static_cast<std::size_t>(j)]);
        if (hj == 0) continue;
        right[j] += weight * hj * gap;
        for (Eigen::Index k = 0; k < n; ++k)
          normal(j, k) +=
              weight * hj * slope_of(terms_[i].by_value, unknowns[static_cast<std::size_t>(k)]);
      }
    }
    Eigen::VectorXd size(n);
    for (Eigen::Index j = 0; j < n; ++j) size[j] = normal(j, j) > 0 ? std::sqrt(normal(j, j)) : 1;
    normal = size.cwiseInverse().asDiagonal() * normal * size.cwiseInverse().asDiagonal();
    right = right.cwiseQuotient(size);
    Eigen::VectorXd step = normal.completeOrthogonalDecomposition().solve(right);
    auto value = [&](Eigen::Index j) {
      return values_[static_cast<std::size_t>(unknowns[static_cast<std::size_t>(j)])];
    };
    auto inside = [&](Eigen::Index j) {
      const auto at = static_cast<std::size_t>(unknowns[static_cast<std::size_t>(j)]);
      const double v = values_[at] + step[j] / size[j];
      return v >= low_[at] && v <= high_[at];
    };
    bool all = true;
    for (Eigen::Index j = 0; j < n; ++j) all &= inside(j);
    if (!all) {
      step.setZero();
      for (int sweep = 0; sweep < 500; ++sweep) {
        double change = 0;
        for (Eigen::Index j = 0; j < n; ++j) {
          if (!(normal(j, j) > 0)) continue;
          const auto at = static_cast<std::size_t>(unknowns[static_cast<std::size_t>(j)]);
          const double free = step[j] + (right[j] - normal.row(j).dot(step)) / normal(j, j);
          const double held =
              (std::clamp(values_[at] + free / size[j], low_[at], high_[at]) - values_[at]) *
              size[j];
          change = std::max(change, std::fabs(held - step[j]));
          step[j] = held;
        }
        if (change <= 1e-14 * step.lpNorm<Eigen::Infinity>()) break;
      }
    }
    for (Eigen::Index j = 0; j < n; ++j)
      set(unknowns[static_cast<std::size_t>(j)], value(j) + step[j] / size[j]);
  }

  // The weighted mean of the gaps between logarithms.
  void one_factor(int u) {
    double sum = 0, weights = 0;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      if (slope_of(terms_[i].by_value, u) == 0) continue;
      const Transformation t = terms_[i].transformation;
      const double ln = t == Transformation::log10 ? std::log(10.0) : 1.0;
      const double weight = 1 / (noise_[i] * noise_[i] * ln * ln);
      weights += weight;
      sum += weight * ln * (logarithm(t, terms_[i].measurement) - logarithm(t, prediction_[i]));
    }
    if (weights > 0) set(u, values_[static_cast<std::size_t>(u)] * std::exp(sum / weights));
  }

  // The level that makes the residuals as large as they should be.
  void one_noise(int u) {
    double squares = 0, absolute = 0, normal_count = 0, laplace_count = 0;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      if (slope_of(terms_[i].by_noise, u) == 0) continue;
      const Transformation t = terms_[i].transformation;
      const double gap = t == Transformation::none
                             ? terms_[i].measurement - prediction_[i]
                             : logarithm(t, terms_[i].measurement) - logarithm(t, prediction_[i]);
      const double relative = gap / (noise_[i] / values_[static_cast<std::size_t>(u)]);
      if (terms_[i].noise_kind == NoiseKind::normal) {
        squares += relative * relative;
        ++normal_count;
      } else {
        absolute += std::fabs(relative);
        ++laplace_count;
      }
    }
    // N ln s + S/(2 s^2) + M ln s + A/s is least where (N + M) s^2 = S + A s.
    const double count = normal_count + laplace_count;
    if (count == 0) return;
    const double half = 0.5 * absolute / count;
    set(u, half + std::sqrt(half * half + squares / count));
  }

  const std::vector<InnerRole>& roles_;
  const std::vector<int>& candidates_;
  const std::vector<OutputTerm>& terms_;
  std::span<const double> low_, high_;
  std::span<double> values_;
  std::vector<double> prediction_, noise_;
  double moved_ = 0;
};

}  // namespace

std::vector<InnerRole> inner_roles(const std::vector<int>& candidates,
                                   std::span<const double> values_a,
                                   const std::vector<OutputTerm>& a,
                                   std::span<const double> values_b,
                                   const std::vector<OutputTerm>& b) {
  std::vector<InnerRole> roles;
  for (int u : candidates) roles.push_back(role_of(u, values_a, a, values_b, b));
  // Noise that depends on a prediction moves with its scales: those stay outside.
  for (std::size_t i = 0; i < a.size(); ++i) {
    bool several = false;  // a product of two factors or noise levels is none of either alone
    int noises = 0, factors = 0;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      noises += roles[k] == InnerRole::noise && slope_of(a[i].by_noise, candidates[k]) != 0;
      factors += roles[k] == InnerRole::factor && slope_of(a[i].by_value, candidates[k]) != 0;
    }
    several = noises > 1 || factors > 1;
    if (!several) continue;
    for (std::size_t k = 0; k < candidates.size(); ++k)
      if ((roles[k] == InnerRole::noise && noises > 1 &&
           slope_of(a[i].by_noise, candidates[k]) != 0) ||
          (roles[k] == InnerRole::factor && factors > 1 &&
           slope_of(a[i].by_value, candidates[k]) != 0))
        roles[k] = InnerRole::none;
  }
  return roles;
}

void solve_inner(const std::vector<InnerRole>& roles, const std::vector<int>& candidates,
                 const std::vector<OutputTerm>& terms, std::span<const double> low,
                 std::span<const double> high, bool unknown_noise, std::span<double> values) {
  Inner(roles, candidates, terms, low, high, values).solve(unknown_noise);
}

}  // namespace stiffit
