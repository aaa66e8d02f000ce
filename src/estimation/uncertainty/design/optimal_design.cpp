// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/design/optimal_design.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t most_exchanged = 2000;  // candidates among which partners are looked for
constexpr int most_sweeps = 10;
constexpr std::size_t other_beginnings = 20;
constexpr double most_for_others = 1e5;  // operations of one look at all candidates
constexpr double worthwhile = 1e-6;      // gain of an exchange, beside what rounding may feign

// Functions that are not functions of each other: of some that are, as many as tell something new.
MatrixXd independent_rows(const MatrixXd& interest, const MatrixXd& covariance) {
  constexpr double dependent = 1e-9;
  MatrixXd rows = interest;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double variance = rows.row(i) * covariance * rows.row(i).transpose();
    if (variance > 0) rows.row(i) /= std::sqrt(variance);
  }
  const SymmetricEigen eigen(rows * covariance * rows.transpose());
  const VectorXd& values = eigen.eigenvalues();
  std::vector<Eigen::Index> kept;
  for (Eigen::Index k = 0; k < values.size(); ++k)
    if (values(k) > dependent * values(values.size() - 1)) kept.push_back(k);
  MatrixXd basis(kept.size(), interest.cols());
  for (std::size_t k = 0; k < kept.size(); ++k)
    basis.row(k) =
        eigen.eigenvectors().col(kept[k]).transpose() * rows / std::sqrt(values(kept[k]));
  return basis;
}

class DesignSearch {
 public:
  explicit DesignSearch(const DesignTask& task)
      : task_(task), interest_(independent_rows(task.interest, task.covariance)) {
    candidates_.resize(task.slopes.cols());
    std::iota(candidates_.begin(), candidates_.end(), std::size_t{0});
  }

  std::vector<std::size_t> find(std::size_t count) {
    const auto [first, gained] = best_beside({});
    if (!(gained > 0)) return {};
    keep_promising();
    std::vector<std::size_t> best = beginning_with(first, count);
    if (count == 1) return best;
    // Exchanges of one at a time end where no single one helps: from other beginnings elsewhere.
    const auto n = static_cast<double>(task_.covariance.rows());
    const std::vector<std::size_t> firsts = candidates_;
    const std::size_t stride = firsts.size() / other_beginnings + 1;
    if (static_cast<double>(firsts.size()) * n * n > most_for_others) return best;
    for (std::size_t k = 0; k < firsts.size(); k += stride) {
      std::vector<std::size_t> other = beginning_with(firsts[k], count);
      if (other.size() == best.size() && gain(other) > gain(best) + worthwhile) best = other;
    }
    return best;
  }

  double gain(const std::vector<std::size_t>& chosen) const {
    double sum = 0;
    std::vector<std::size_t> before;
    for (std::size_t one : chosen) {
      sum += gain_of(one, before);
      before.push_back(one);
    }
    return sum;
  }

 private:
  std::vector<std::size_t> beginning_with(std::size_t first, std::size_t count) {
    std::vector<std::size_t> chosen{first};
    while (chosen.size() < count) {
      const auto [best, gained] = best_beside(chosen);
      if (!(gained > 0)) break;
      chosen.push_back(best);
    }
    bool changed = chosen.size() > 1;
    for (int sweep = 0; sweep < most_sweeps && changed; ++sweep) {
      changed = false;
      for (std::size_t k = 0; k < chosen.size(); ++k) {
        std::vector<std::size_t> others = chosen;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
        const auto [best, gained] = best_beside(others);
        if (best == chosen[k] || !(gained > gain_of(chosen[k], others) + worthwhile)) continue;
        chosen[k] = best;
        changed = true;
      }
    }
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  struct Known {
    MatrixXd covariance, told;  // told: what of the covariance the functions of interest see
  };

  Known with(const std::vector<std::size_t>& chosen) const {
    Known known{task_.covariance, {}};
    for (std::size_t one : chosen) {
      const VectorXd moved = known.covariance * task_.slopes.col(one);
      known.covariance -= moved * (moved / (1 + task_.slopes.col(one).dot(moved))).transpose();
    }
    const MatrixXd seen = known.covariance * interest_.transpose();
    const SymmetricEigen own(interest_ * seen);
    const double least = 1e-15 * own.eigenvalues().maxCoeff();
    const VectorXd inverse = own.eigenvalues().cwiseMax(least).cwiseInverse();
    const MatrixXd turned = seen * own.eigenvectors();
    known.told = turned * inverse.asDiagonal() * turned.transpose();
    return known;
  }

  // Half the logarithm of what the determinant of the functions' covariance is divided by.
  double gain_in(const Known& known, std::size_t one) const {
    const VectorXd slopes = task_.slopes.col(one);
    const double seen = slopes.dot(known.told * slopes);
    const double share = seen / (1 + slopes.dot(known.covariance * slopes));
    return std::isfinite(share) ? -0.5 * std::log1p(-std::clamp(share, 0.0, 1 - 1e-15)) : 0;
  }

  double gain_of(std::size_t one, const std::vector<std::size_t>& beside) const {
    return gain_in(with(beside), one);
  }

  std::pair<std::size_t, double> best_beside(const std::vector<std::size_t>& chosen) {
    const Known known = with(chosen);
    std::pair<std::size_t, double> best{0, 0};
    gains_.assign(candidates_.size(), 0);
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      const std::size_t one = candidates_[k];
      const bool taken = std::find(chosen.begin(), chosen.end(), one) != chosen.end();
      if (taken && !task_.repeatable[one]) continue;
      gains_[k] = gain_in(known, one);
      if (gains_[k] > best.second) best = {one, gains_[k]};
    }
    return best;
  }

  // After the first search: of very many candidates those that told most by themselves.
  void keep_promising() {
    if (candidates_.size() <= most_exchanged) return;
    std::vector<double> sorted = gains_;
    const auto least = sorted.begin() + static_cast<std::ptrdiff_t>(most_exchanged);
    std::nth_element(sorted.begin(), least, sorted.end(), std::greater<>());
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < candidates_.size(); ++k)
      if (gains_[k] > *least) kept.push_back(candidates_[k]);
    if (!kept.empty()) candidates_ = kept;
  }

  const DesignTask& task_;
  MatrixXd interest_;
  std::vector<std::size_t> candidates_;
  std::vector<double> gains_;
};

}  // namespace

std::vector<std::size_t> optimal_design(const DesignTask& task, std::size_t count) {
  if (task.slopes.cols() == 0 || task.interest.rows() == 0) return {};
  return DesignSearch(task).find(count);
}

double design_gain(const DesignTask& task, const std::vector<std::size_t>& chosen) {
  return DesignSearch(task).gain(chosen);
}

}  // namespace stiffit::internal
