// What rows need beside the measured curves: states that follow from them by equations without
// unknowns, and integrals over their past.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "estimation/direct/linear_rows.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The trapezoidal rule with Newton's method, in small steps between nodes: it stays stable where a
// chain is faster than the sampling.
void ExperimentRows::follow_driven() {
  const std::size_t n = s_.leaf_of_driven.size();
  if (n == 0) return;
  constexpr int steps = 8;
  node_order_.resize(nodes_.size());
  std::iota(node_order_.begin(), node_order_.end(), 0);
  std::sort(node_order_.begin(), node_order_.end(),
            [this](int a, int b) { return nodes_[a] < nodes_[b]; });
  driven_ = MatrixXd::Zero(n, nodes_.size());
  std::vector<double> leaves(s_.leaf_count, 0);
  std::vector<double> result(s_.driven->result_size());
  VectorXd x = VectorXd::Map(s_.driven_start.data(), n);
  MatrixXd slopes(x.size(), x.size());
  auto rates = [&](double time, const VectorXd& at, bool with_slopes) {
    for (std::size_t k = 0; k < n; ++k) leaves[s_.leaf_of_driven[k]] = at(k);
    if (with_slopes)
      s_.driven->all(time, leaves.data(), s_.parameters.data(), result.data());
    else
      s_.driven->values(time, leaves.data(), s_.parameters.data(), result.data());
    if (with_slopes) {
      slopes.setZero();
      for (std::size_t p = 0; p < s_.driven->partials().size(); ++p)
        for (std::size_t k = 0; k < n; ++k)
          if (s_.driven->partials()[p].leaf == s_.leaf_of_driven[k])
            slopes(s_.driven->partials()[p].term, k) += result[n + p];
    }
    return VectorXd(VectorXd::Map(result.data(), x.size()));
  };
  double time = s_.start;
  fill_series(time, leaves.data());
  VectorXd f = rates(time, x, false);
  for (int node : node_order_) {
    const double end = nodes_[node];
    const double h = (end - time) / steps;
    for (int step = 0; step < steps && h > 0; ++step) {
      const double next = step + 1 == steps ? end : time + h;
      fill_series(next, leaves.data());
      const VectorXd known = x + h / 2 * f;
      VectorXd y = x + h * f;
      for (int round = 0; round < 10; ++round) {
        const VectorXd g = rates(next, y, true);
        const VectorXd change =
            GeneralFactors(MatrixXd::Identity(x.size(), x.size()) - h / 2 * slopes)
                .solve(known + h / 2 * g - y);
        y += change;
        if (change.norm() <= 1e-14 * (1 + y.norm())) break;
      }
      x = y;
      f = rates(next, x, false);
      time = next;
    }
    driven_.col(node) = x;
  }
}

// How driven states hang on the data: the equations linearised, one step from node to node.
void ExperimentRows::follow_driven_noise() const {
  if (!driven_noise_.empty()) return;
  const Index n = s_.leaf_of_driven.size();
  const Index knots = knot_variance_.size();
  driven_noise_.resize(nodes_.size());
  std::vector<double> leaves(s_.leaf_count, 0);
  std::vector<double> result(s_.driven->result_size());
  MatrixXd at = MatrixXd::Zero(n, knots), slopes = MatrixXd::Zero(n, n), push = at;
  double before = s_.start;
  bool first = true;
  std::vector<Share> shares;
  for (int node : node_order_) {
    const double time = nodes_[node];
    fill_series(time, leaves.data());
    for (Index k = 0; k < n; ++k) leaves[s_.leaf_of_driven[k]] = driven_(k, node);
    s_.driven->all(time, leaves.data(), s_.parameters.data(), result.data());
    MatrixXd own_slopes = MatrixXd::Zero(n, n), own_push = MatrixXd::Zero(n, knots);
    for (std::size_t p = 0; p < s_.driven->partials().size(); ++p) {
      const TermKernel::Partial& partial = s_.driven->partials()[p];
      const double slope = result[n + p];
      for (Index k = 0; k < n; ++k)
        if (partial.leaf == s_.leaf_of_driven[k]) own_slopes(partial.term, k) += slope;
      for (std::size_t o = 0; o < tracks_.size(); ++o) {
        if (!tracks_[o] || partial.leaf != s_.leaf_of_series[o]) continue;
        shares.clear();
        add_row(static_cast<int>(o), time, false, slope, shares);
        for (const Share& share : shares) own_push(partial.term, share.knot) += share.weight;
      }
    }
    if (!first) {
      const double h = time - before;
      at = GeneralFactors(MatrixXd::Identity(n, n) - h / 2 * own_slopes)
               .solve_columns(at + h / 2 * (slopes * at + push + own_push));
    }
    first = false;
    slopes = own_slopes;
    push = own_push;
    before = time;
    driven_noise_[node] = at;
  }
}

// Gauss-Legendre on each interval of the data, so that a kernel may be infinite at age zero.
void ExperimentRows::over_past(std::size_t k, double time,
                               const std::function<void(double, double)>& use) const {
  constexpr double at[3] = {0.1127016653792583, 0.5, 0.8872983346207417};
  constexpr double share[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  for (std::size_t a = 0; a + 1 < times_.size() && times_[a] < time; ++a) {
    const double h = std::min(times_[a + 1], time) - times_[a];
    for (int g = 0; g < 3; ++g) {
      const double then = times_[a] + h * at[g];
      use(then, h * share[g] * s_.kernels[k](time - then));
    }
  }
}

void ExperimentRows::add_memory(std::size_t k, double time, std::vector<Share>& to) const {
  std::vector<double> leaves(s_.leaf_count, 0);
  std::vector<double> result(s_.memories->result_size());
  std::vector<double> sum(knot_variance_.size(), 0);
  std::vector<Share> shares;
  over_past(k, time, [&](double then, double weight) {
    fill_series(then, leaves.data());
    s_.memories->all(then, leaves.data(), s_.parameters.data(), result.data());
    for (std::size_t p = 0; p < s_.memories->partials().size(); ++p) {
      const TermKernel::Partial& partial = s_.memories->partials()[p];
      if (partial.term != static_cast<int>(k)) continue;
      for (std::size_t o = 0; o < tracks_.size(); ++o) {
        if (!tracks_[o] || partial.leaf != s_.leaf_of_series[o]) continue;
        shares.clear();
        add_row(static_cast<int>(o), then, false, weight * result[s_.memories->terms().size() + p],
                shares);
        for (const Share& share : shares) sum[share.knot] += share.weight;
      }
    }
  });
  for (std::size_t knot = 0; knot < sum.size(); ++knot)
    if (sum[knot] != 0) to.push_back({static_cast<int>(knot), sum[knot]});
}

}  // namespace stiffit::internal
