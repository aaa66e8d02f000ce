// How the rows of a linear fit hang on the noise of the data: on average (bias) and to first order
// (errors; Belbas and Kim, section 3, in the form G gamma = beta - eta c).
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "estimation/direct/linear_rows.h"

namespace stiffit::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The sums of a row's terms (the constant first, then the columns) as they hang on each knot, and
// the covariance of those sums, both kept up to date from time to time.
class ExperimentRows::RunningNoise {
 public:
  RunningNoise(std::size_t columns, std::size_t knots)
      : width_(columns + 1), by_knot_(knots * width_, 0), covariance_(width_ * width_, 0) {}

  void add(int knot, double factor, const std::vector<double>& change, double variance) {
    double* own = &by_knot_[knot * width_];
    touched_.push_back(knot);
    for (std::size_t i = 0; i < width_; ++i) {
      const double di = factor * change[i];
      for (std::size_t k = 0; k < width_; ++k) {
        const double dk = factor * change[k];
        covariance_[i * width_ + k] += variance * (own[i] * dk + di * own[k] + di * dk);
      }
    }
    for (std::size_t i = 0; i < width_; ++i) own[i] += factor * change[i];
  }
  double& covariance(std::size_t i, std::size_t k) { return covariance_[i * width_ + k]; }
  void forget() {
    for (int knot : touched_) std::fill_n(&by_knot_[knot * width_], width_, 0.0);
    touched_.clear();
    std::fill(covariance_.begin(), covariance_.end(), 0.0);
  }
  double at(int knot, std::size_t i) const { return by_knot_[knot * width_ + i]; }

 private:
  std::size_t width_;
  std::vector<double> by_knot_, covariance_;
  std::vector<int> touched_;
};

void ExperimentRows::add_row(int series, double time, bool slope, double factor,
                             std::vector<Share>& to) const {
  const std::size_t o = series;
  for (auto& [knot, weight] : tracks_[o]->row(time, slope))
    if (const int at = first_knot_[o] + knot; knot_variance_[at] > 0)
      to.push_back({at, factor * weight});
}

void ExperimentRows::leaf_shares(int leaf, int node, std::vector<Share>& to,
                                 std::vector<CurveShare>* curves) const {
  const double time = nodes_[node];
  auto add = [&](std::size_t o, double at, bool slope, double factor) {
    if (curves && tracks_[o]->spline())
      curves->push_back({static_cast<int>(o), at, slope, factor});
    else
      add_row(static_cast<int>(o), at, slope, factor, to);
  };
  for (std::size_t o = 0; o < tracks_.size(); ++o) {
    if (!tracks_[o]) continue;
    if (leaf == s_.leaf_of_series[o]) add(o, time, false, 1);
    if (leaf == s_.slope_of_series[o]) add(o, time, true, 1);
  }
  for (std::size_t k = 0; k < s_.leaf_of_past.size(); ++k) {
    if (leaf != s_.leaf_of_past[k]) continue;
    std::vector<double> partials(s_.past->result_size());
    past_value(k, time, partials.data());
    const double seen = std::max(time - s_.lags[k], s_.start);
    for (std::size_t p = 0; p < s_.past->partials().size(); ++p) {
      if (s_.past->partials()[p].term != static_cast<int>(k)) continue;
      for (std::size_t o = 0; o < tracks_.size(); ++o)
        if (tracks_[o] && s_.leaf_of_series[o] == s_.past->partials()[p].leaf)
          add(o, seen, false, partials[p]);
    }
  }
  for (std::size_t k = 0; k < s_.leaf_of_driven.size(); ++k) {
    if (leaf != s_.leaf_of_driven[k]) continue;
    follow_driven_noise();
    const MatrixXd& own = driven_noise_[node];
    for (Index knot = 0; knot < own.cols(); ++knot)
      if (const double weight = own(k, knot); weight != 0)
        to.push_back({static_cast<int>(knot), weight});
  }
  for (std::size_t k = 0; k < s_.leaf_of_memory.size(); ++k)
    if (leaf == s_.leaf_of_memory[k]) add_memory(k, time, to);
}

const ExperimentRows::NodeNoise& ExperimentRows::noise_at(int node) const {
  if (noise_.empty()) noise_.resize(nodes_.size());
  NodeNoise& noise = noise_[node];
  if (!noise.first.empty()) return noise;
  for (int leaf : used_leaves_) {
    noise.first.push_back(static_cast<int>(noise.shares.size()));
    leaf_shares(leaf, node, noise.shares, nullptr);
  }
  noise.first.push_back(static_cast<int>(noise.shares.size()));
  const std::size_t n = used_leaves_.size();
  for (std::size_t u = 0; u < n; ++u)
    std::sort(noise.shares.begin() + noise.first[u], noise.shares.begin() + noise.first[u + 1],
              [](const Share& x, const Share& y) { return x.knot < y.knot; });
  noise.covariance.assign(n * n, 0);
  for (std::size_t u = 0; u < n; ++u)
    for (std::size_t v = 0; v <= u; ++v) {
      double sum = 0;
      auto x = noise.of(u).begin();
      for (const Share& y : noise.of(v)) {
        while (x != noise.of(u).end() && x->knot < y.knot) ++x;
        for (auto same = x; same != noise.of(u).end() && same->knot == y.knot; ++same)
          sum += same->weight * y.weight * knot_variance_[y.knot];
      }
      noise.covariance[u * n + v] = noise.covariance[v * n + u] = sum;
    }
  return noise;
}

// Adds `weight` times the terms of a row at a node.
void ExperimentRows::add_terms(RunningNoise& running, int row, int node, double weight) const {
  const NodeNoise& noise = noise_at(node);
  const std::size_t terms = s_.terms->terms().size(), partials = s_.terms->partials().size();
  const std::size_t leaves = used_leaves_.size();
  const double* at = results(node);
  std::vector<double> change(s_.columns + 1);
  auto column = [&](int term) {
    return static_cast<std::size_t>(s_.terms->terms()[term].column + 1);
  };
  auto slot = [&](int leaf) { return static_cast<std::size_t>(leaf_slot_[leaf]); };
  for (std::size_t u = 0; u < leaves; ++u) {
    std::fill(change.begin(), change.end(), 0);
    bool any = false;
    for (int p : row_partials_[static_cast<std::size_t>(row)]) {
      const TermKernel::Partial& partial = s_.terms->partials()[static_cast<std::size_t>(p)];
      if (slot(partial.leaf) != u) continue;
      change[column(partial.term)] += weight * at[terms + static_cast<std::size_t>(p)];
      any = true;
    }
    if (!any) continue;
    for (const Share& share : noise.of(u))
      running.add(share.knot, share.weight, change, knot_variance_[share.knot]);
  }
  // Derivatives at noisy data are themselves too large on average: tr(H S H' S)/2 of it, for the
  // second derivatives H and the covariance S of the leaves.
  auto cov = [&](std::size_t u, std::size_t v) { return noise.covariance[u * leaves + v]; };
  const std::vector<int>& seconds = row_seconds_[row];
  for (int i : seconds)
    for (int k : seconds) {
      const TermKernel::Second& x = s_.terms->seconds()[i];
      const TermKernel::Second& y = s_.terms->seconds()[k];
      const std::size_t a = slot(x.leaf), b = slot(x.other), c = slot(y.leaf), d = slot(y.other);
      double trace = cov(b, c) * cov(d, a);
      if (a != b) trace += cov(a, c) * cov(d, b);
      if (c != d) trace += cov(b, d) * cov(c, a);
      if (a != b && c != d) trace += cov(a, d) * cov(c, b);
      running.covariance(column(x.term), column(y.term)) -=
          0.5 * weight * weight * trace * at[terms + partials + i] * at[terms + partials + k];
    }
}

// Rows share data, but what two of them have in common at one time is weighed only by entries of Q
// off the diagonal; those are left out here.
void ExperimentRows::noise_in_squares(MatrixXd& g, VectorXd& a) const {
  const std::size_t n = s_.columns;
  g = MatrixXd::Zero(n, n);
  a = VectorXd::Zero(n);
  std::vector<std::size_t> left_end(points_.size() + 1, 0);  // left_ by point
  std::vector<LeftShare> left = left_;
  std::stable_sort(left.begin(), left.end(),
                   [](const LeftShare& x, const LeftShare& y) { return x.point < y.point; });
  for (const LeftShare& share : left) ++left_end[static_cast<std::size_t>(share.point) + 1];
  for (std::size_t k = 0; k < points_.size(); ++k) left_end[k + 1] += left_end[k];
  auto take = [&](std::size_t k, RunningNoise& noise) {
    const double weight = points_[k].weight;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j)
        g(i, static_cast<Index>(j)) += weight * noise.covariance(i + 1, j + 1);
      double mixed = noise.covariance(i + 1, 0);
      for (std::size_t s = left_end[k]; s < left_end[k + 1]; ++s)
        mixed -= knot_variance_[static_cast<std::size_t>(left[s].knot)] * left[s].slope *
                 noise.at(left[s].knot, i + 1);
      a(static_cast<Index>(i)) += weight * mixed;
    }
  };
  RunningNoise noise(n, knot_variance_.size());
  for (std::size_t k = 0; k < points_.size();) {
    const int row = points_[k].row;
    noise.forget();
    if (!s_.rows[static_cast<std::size_t>(row)].integrated) {
      add_terms(noise, row, points_[k].time, 1);
      take(k++, noise);
      continue;
    }
    for (int reached = 0; k < points_.size() && points_[k].row == row; ++k) {
      for (; reached < points_[k].time; ++reached)
        for (const Step& step : steps_[static_cast<std::size_t>(reached)])
          add_terms(noise, row, step.node, step.weight);
      take(k, noise);
    }
  }
}

MatrixXd ExperimentRows::sensitivities(const VectorXd& c) const {
  const auto columns = static_cast<Index>(s_.columns);
  const std::size_t terms = s_.terms->terms().size();
  MatrixXd by_datum = MatrixXd::Zero(columns, static_cast<Index>(knot_variance_.size()));

  // Per point: q, the weight of its deviation in each equation; p, that of its own column's.
  MatrixXd q(columns, static_cast<Index>(points_.size()));
  VectorXd p(static_cast<Index>(points_.size()));
  const VectorXd residual = residuals(c);
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const auto at = static_cast<Index>(k);
    q.col(at) = points_[k].weight * columns_.row(at).transpose();
    p(at) = points_[k].weight * residual(at);
  }
  for (const Block& block : blocks_)
    for (std::size_t i = 0; i < block.points.size(); ++i)
      for (std::size_t k = 0; k < block.points.size(); ++k) {
        if (i == k) continue;
        const double w = block.weights(static_cast<Index>(i), static_cast<Index>(k));
        q.col(block.points[i]) += w * columns_.row(block.points[k]).transpose();
        p(block.points[i]) += w * residual(block.points[k]);
      }
  // What stands at the data themselves.
  for (const LeftShare& share : left_) by_datum.col(share.knot) -= share.slope * q.col(share.point);

  // What stands in the terms, by node and leaf; then by datum.
  const auto leaves = static_cast<Index>(used_leaves_.size());
  std::vector<MatrixXd> at_node(nodes_.size());
  auto spread = [&](int node, int row, const VectorXd& dual, double own) {
    MatrixXd& by_leaf = at_node[static_cast<std::size_t>(node)];
    if (by_leaf.size() == 0) by_leaf = MatrixXd::Zero(columns, leaves);
    const double* at = results(node) + terms;
    for (int d : row_partials_[static_cast<std::size_t>(row)]) {
      const TermKernel::Partial& partial = s_.terms->partials()[static_cast<std::size_t>(d)];
      const RowTerm& term = s_.terms->terms()[static_cast<std::size_t>(partial.term)];
      auto leaf = by_leaf.col(leaf_slot_[static_cast<std::size_t>(partial.leaf)]);
      leaf += (term.column < 0 ? 1 : c(term.column)) * at[d] * dual;
      if (term.column >= 0) leaf(term.column) += own * at[d];
    }
  };
  for (std::size_t first = 0; first < points_.size();) {
    const int row = points_[first].row;
    std::size_t end = first;
    while (end < points_.size() && points_[end].row == row) ++end;
    if (!s_.rows[static_cast<std::size_t>(row)].integrated) {
      for (std::size_t k = first; k < end; ++k)
        spread(points_[k].time, row, q.col(static_cast<Index>(k)), p(static_cast<Index>(k)));
    } else {
      // Backwards: what a node adds stays in the sums of all later times.
      VectorXd dual = VectorXd::Zero(columns);
      double own = 0;
      std::size_t k = end;
      for (std::size_t t = times_.size() - 1; t > 0; --t) {
        while (k > first && points_[k - 1].time >= static_cast<int>(t)) {
          --k;
          dual += q.col(static_cast<Index>(k));
          own += p(static_cast<Index>(k));
        }
        for (const Step& step : steps_[t - 1])
          spread(step.node, row, step.weight * dual, step.weight * own);
      }
    }
    first = end;
  }
  // Splines hang on all data: what is asked of them is added up and spread once.
  std::vector<std::optional<SmoothingSpline::RowSum>> sums(tracks_.size());
  std::vector<Share> shares;
  std::vector<CurveShare> curves;
  VectorXd weighted(columns);
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    if (at_node[node].size() == 0) continue;
    for (std::size_t u = 0; u < used_leaves_.size(); ++u) {
      const auto own = at_node[node].col(static_cast<Index>(u));
      if (own.isZero(0)) continue;
      shares.clear();
      curves.clear();
      leaf_shares(used_leaves_[u], static_cast<int>(node), shares, &curves);
      for (const Share& share : shares) by_datum.col(share.knot) += share.weight * own;
      for (const CurveShare& share : curves) {
        const SmoothingSpline& spline = *tracks_[share.series]->spline();
        auto& sum = sums[share.series];
        if (!sum) sum = spline.row_sum(static_cast<int>(columns));
        weighted = share.factor * own;
        spline.add_row(share.time, share.slope, weighted.data(), *sum);
      }
    }
  }
  for (std::size_t o = 0; o < sums.size(); ++o) {
    if (!sums[o]) continue;
    const std::vector<double> by_knot = tracks_[o]->spline()->spread(*sums[o]);
    for (std::size_t k = 0; k < tracks_[o]->knots().size(); ++k)
      if (const Index knot = first_knot_[o] + static_cast<int>(k); knot_variance_[knot] > 0)
        by_datum.col(knot) += VectorXd::Map(&by_knot[k * s_.columns], columns);
  }
  return by_datum;
}

}  // namespace stiffit::internal
