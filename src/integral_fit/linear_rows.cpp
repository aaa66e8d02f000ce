// SPDX-License-Identifier: Apache-2.0
#include "integral_fit/linear_rows.h"

#include <algorithm>
#include <cmath>

namespace stiffit {

using Eigen::MatrixXd;
using Eigen::VectorXd;

ExperimentRows::ExperimentRows(const ExperimentSetup& setup, std::vector<const SeriesTrack*> tracks,
                               std::vector<double> variance, const Weighting& weighting,
                               bool known_errors)
    : s_(setup), tracks_(std::move(tracks)) {
  for (std::size_t o = 0; o < tracks_.size(); ++o) {
    first_knot_.push_back(knots_);
    if (!tracks_[o]) continue;
    for (const SeriesTrack::Knot& k : tracks_[o]->knots())
      knot_variance_.push_back(k.data.empty() ? 0 : variance[o] * k.variance);
    knots_ += static_cast<int>(tracks_[o]->knots().size());
  }
  leaf_slot_.assign(static_cast<std::size_t>(s_.leaf_count), -1);
  for (const TermKernel::Partial& p : s_.terms->partials()) {
    int& slot = leaf_slot_[static_cast<std::size_t>(p.leaf)];
    if (slot >= 0) continue;
    slot = static_cast<int>(used_leaves_.size());
    used_leaves_.push_back(p.leaf);
  }
  place_nodes();
  place_points();
  evaluate();
  place_weights(weighting, known_errors);
}

void ExperimentRows::place_nodes() {
  times_ = {s_.start};
  bool curved = false;
  for (const SeriesTrack* track : tracks_) {
    if (!track) continue;
    for (const SeriesTrack::Knot& k : track->knots()) times_.push_back(k.time);
    curved |= track->curve() != Curve::linear;
  }
  std::sort(times_.begin(), times_.end());
  times_.erase(std::unique(times_.begin(), times_.end()), times_.end());
  nodes_ = times_;
  for (std::size_t a = 0; a + 1 < times_.size(); ++a) {
    const double h = times_[a + 1] - times_[a];
    const int left = static_cast<int>(a);
    if (!curved) {
      steps_.push_back({{left, h / 2}, {left + 1, h / 2}});
      continue;
    }
    // Gauss-Legendre, three points.
    constexpr double at[3] = {0.1127016653792583, 0.5, 0.8872983346207417};
    constexpr double share[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
    std::vector<Step> steps;
    for (int k = 0; k < 3; ++k) {
      steps.push_back({static_cast<int>(nodes_.size()), h * share[k]});
      nodes_.push_back(times_[a] + h * at[k]);
    }
    steps_.push_back(std::move(steps));
  }
}

void ExperimentRows::place_points() {
  for (std::size_t i = 0; i < s_.rows.size(); ++i)
    for (std::size_t a = 0; a < times_.size(); ++a) {
      const auto& series = s_.rows[i].series;
      const bool there = std::all_of(series.begin(), series.end(), [&](int o) {
        return tracks_[static_cast<std::size_t>(o)]->has(times_[a]);
      });
      if (there && (!series.empty() || a > 0))
        points_.push_back({static_cast<int>(i), static_cast<int>(a), 0, {}});
    }
}

double ExperimentRows::past_value(std::size_t k, double time, double* partials) const {
  const double then = time - s_.lags[k], seen = std::max(then, s_.start);
  std::vector<double> leaves(static_cast<std::size_t>(s_.leaf_count), 0);
  for (std::size_t o = 0; o < tracks_.size(); ++o)
    if (tracks_[o])
      leaves[static_cast<std::size_t>(s_.leaf_of_series[o])] = tracks_[o]->value(seen);
  std::vector<double> result(s_.past->result_size());
  s_.past->all(then, leaves.data(), s_.parameters.data(), result.data());
  if (partials)
    std::copy(result.begin() + static_cast<std::ptrdiff_t>(s_.past->terms().size()), result.end(),
              partials);
  return result[k];
}

void ExperimentRows::fill_leaves(double time, double* leaves) const {
  for (std::size_t o = 0; o < tracks_.size(); ++o) {
    if (!tracks_[o]) continue;
    const auto value = static_cast<std::size_t>(s_.leaf_of_series[o]);
    const auto slope = static_cast<std::size_t>(s_.slope_of_series[o]);
    leaves[value] = tracks_[o]->value(time);
    if (leaf_slot_[slope] >= 0) leaves[slope] = tracks_[o]->slope(time);
  }
  for (std::size_t k = 0; k < s_.leaf_of_past.size(); ++k)
    if (const auto leaf = static_cast<std::size_t>(s_.leaf_of_past[k]); leaf_slot_[leaf] >= 0)
      leaves[leaf] = past_value(k, time, nullptr);
}

void ExperimentRows::evaluate() {
  const std::size_t width = s_.terms->result_size();
  results_.resize(nodes_.size() * width);
  std::vector<double> leaves(static_cast<std::size_t>(s_.leaf_count), 0);
  for (std::size_t b = 0; b < nodes_.size(); ++b) {
    fill_leaves(nodes_[b], leaves.data());
    s_.terms->all(nodes_[b], leaves.data(), s_.parameters.data(), &results_[b * width]);
  }
  if (corrected_)
    for (std::size_t b = 0; b < nodes_.size(); ++b) {
      double* at = &results_[b * width];
      const MatrixXd cov = leaf_covariance(leaf_rows(static_cast<int>(b)));
      const double* second = at + s_.terms->terms().size() + s_.terms->partials().size();
      for (std::size_t k = 0; k < s_.terms->seconds().size(); ++k) {
        const TermKernel::Second& d = s_.terms->seconds()[k];
        const int u = leaf_slot_[static_cast<std::size_t>(d.leaf)];
        const int v = leaf_slot_[static_cast<std::size_t>(d.other)];
        if (u < 0 || v < 0) continue;
        at[d.term] -= (d.leaf == d.other ? 0.5 : 1.0) * cov(u, v) * second[k];
      }
    }

  // Sums of the terms from the start, at every time, and what stands at each point.
  const auto columns = static_cast<Eigen::Index>(s_.columns);
  const std::size_t rows = s_.rows.size(), terms = s_.terms->terms().size();
  std::vector<VectorXd> sum(rows, VectorXd::Zero(columns + 1));
  std::vector<std::vector<int>> points_at(times_.size());
  for (std::size_t k = 0; k < points_.size(); ++k)
    points_at[static_cast<std::size_t>(points_[k].time)].push_back(static_cast<int>(k));
  const std::size_t left_width = s_.left->result_size();
  left_.assign(points_.size() * left_width, 0);
  for (std::size_t a = 0; a < times_.size(); ++a) {
    if (a > 0)
      for (const Step& step : steps_[a - 1]) {
        const double* at = &results_[static_cast<std::size_t>(step.node) * width];
        for (std::size_t t = 0; t < terms; ++t) {
          const RowTerm& term = s_.terms->terms()[t];
          if (s_.rows[static_cast<std::size_t>(term.row)].integrated)
            sum[static_cast<std::size_t>(term.row)](term.column + 1) += step.weight * at[t];
        }
      }
    for (int k : points_at[a]) {
      RowPoint& point = points_[static_cast<std::size_t>(k)];
      const LinearRow& row = s_.rows[static_cast<std::size_t>(point.row)];
      VectorXd all = VectorXd::Zero(columns + 1);
      if (row.integrated) {
        all = sum[static_cast<std::size_t>(point.row)];
        for (auto& [column, value] : row.initial) all(column + 1) += value;
        // The data themselves, not the curve: their noise is then noise of the residual alone.
        for (std::size_t o = 0; o < tracks_.size(); ++o)
          if (tracks_[o])
            if (const int knot = tracks_[o]->knot_at(times_[a]); knot >= 0)
              leaves[static_cast<std::size_t>(s_.leaf_of_series[o])] =
                  tracks_[o]->knots()[static_cast<std::size_t>(knot)].value;
        double* left = &left_[static_cast<std::size_t>(k) * left_width];
        s_.left->all(times_[a], leaves.data(), s_.parameters.data(), left);
        for (std::size_t t = 0; t < s_.left->terms().size(); ++t)
          if (s_.left->terms()[t].row == point.row) all(0) -= left[t];
      } else {
        const double* at = &results_[a * width];
        for (std::size_t t = 0; t < terms; ++t)
          if (s_.terms->terms()[t].row == point.row) all(s_.terms->terms()[t].column + 1) += at[t];
      }
      point.constant = all(0);
      point.columns = all.tail(columns);
    }
  }
}

void ExperimentRows::correct_means() {
  corrected_ = true;
  evaluate();
}

void ExperimentRows::place_weights(const Weighting& weighting, bool known_errors) {
  // The outer integral: the trapezoidal rule over the times of each row.
  point_weight_.assign(points_.size(), 0);
  for (std::size_t first = 0; first < points_.size();) {
    std::size_t end = first;
    while (end < points_.size() && points_[end].row == points_[first].row) ++end;
    const LinearRow& row = s_.rows[static_cast<std::size_t>(points_[first].row)];
    auto time = [&](std::size_t k) { return times_[static_cast<std::size_t>(points_[k].time)]; };
    for (std::size_t k = first; k < end; ++k) {
      const double before = k > first ? time(k - 1) : row.integrated ? s_.start : time(k);
      const double after = k + 1 < end ? time(k + 1) : time(k);
      point_weight_[k] = after > before ? (after - before) / 2 : 0;
      if (end - first == 1 && point_weight_[k] == 0) point_weight_[k] = 1;
      if (!row.integrated || !known_errors) continue;
      double variance = 0;
      const double* left = &left_[k * s_.left->result_size()] + s_.left->terms().size();
      for (std::size_t p = 0; p < s_.left->partials().size(); ++p) {
        const TermKernel::Partial& partial = s_.left->partials()[p];
        if (s_.left->terms()[static_cast<std::size_t>(partial.term)].row != points_[k].row)
          continue;
        for (std::size_t o = 0; o < tracks_.size(); ++o)
          if (tracks_[o] && s_.leaf_of_series[o] == partial.leaf)
            if (const int knot = tracks_[o]->knot_at(time(k)); knot >= 0)
              variance += left[p] * left[p] *
                          knot_variance_[static_cast<std::size_t>(first_knot_[o] + knot)];
      }
      if (variance > 0) point_weight_[k] /= variance;
    }
    first = end;
  }
  std::vector<std::vector<int>> at(times_.size());
  for (std::size_t k = 0; k < points_.size(); ++k)
    at[static_cast<std::size_t>(points_[k].time)].push_back(static_cast<int>(k));
  for (std::size_t a = 0; a < times_.size(); ++a) {
    if (at[a].empty()) continue;
    const auto n = static_cast<Eigen::Index>(at[a].size());
    Block block{at[a], MatrixXd::Zero(n, n)};
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index k = 0; k < n; ++k) {
        const auto p = static_cast<std::size_t>(at[a][static_cast<std::size_t>(i)]);
        const auto r = static_cast<std::size_t>(at[a][static_cast<std::size_t>(k)]);
        const std::string& name = s_.rows[static_cast<std::size_t>(points_[p].row)].name;
        const std::string& other = s_.rows[static_cast<std::size_t>(points_[r].row)].name;
        const double q = weighting.q ? weighting.q(name, other, times_[a]) : i == k;
        block.weights(i, k) = q * std::sqrt(point_weight_[p] * point_weight_[r]);
        for (const Weighting::Point& w : weighting.points)
          if (std::abs(w.time - times_[a]) <= 1e-12 * std::max(1.0, std::abs(w.time)) &&
              ((w.row == name && w.other == other) || (w.row == other && w.other == name)))
            block.weights(i, k) += w.weight;
      }
    blocks_.push_back(std::move(block));
  }
}

ExperimentRows::LeafRow ExperimentRows::track_row(int series, double time, bool slope) const {
  LeafRow row;
  const auto o = static_cast<std::size_t>(series);
  for (auto& [knot, weight] : tracks_[o]->row(time, slope))
    if (const int at = first_knot_[o] + knot; knot_variance_[static_cast<std::size_t>(at)] > 0)
      row.push_back({at, weight});
  return row;
}

std::vector<ExperimentRows::LeafRow> ExperimentRows::leaf_rows(int node) const {
  const double time = nodes_[static_cast<std::size_t>(node)];
  std::vector<LeafRow> rows(used_leaves_.size());
  for (std::size_t o = 0; o < tracks_.size(); ++o) {
    if (!tracks_[o]) continue;
    for (bool slope : {false, true}) {
      const int leaf = slope ? s_.slope_of_series[o] : s_.leaf_of_series[o];
      if (const int slot = leaf_slot_[static_cast<std::size_t>(leaf)]; slot >= 0)
        rows[static_cast<std::size_t>(slot)] = track_row(static_cast<int>(o), time, slope);
    }
  }
  for (std::size_t k = 0; k < s_.leaf_of_past.size(); ++k) {
    const int slot = leaf_slot_[static_cast<std::size_t>(s_.leaf_of_past[k])];
    if (slot < 0) continue;
    std::vector<double> partials(s_.past->result_size());
    past_value(k, time, partials.data());
    const double seen = std::max(time - s_.lags[k], s_.start);
    for (std::size_t p = 0; p < s_.past->partials().size(); ++p) {
      if (s_.past->partials()[p].term != static_cast<int>(k)) continue;
      for (std::size_t o = 0; o < tracks_.size(); ++o)
        if (tracks_[o] && s_.leaf_of_series[o] == s_.past->partials()[p].leaf)
          for (Share share : track_row(static_cast<int>(o), seen, false))
            rows[static_cast<std::size_t>(slot)].push_back(
                {share.knot, share.weight * partials[p]});
    }
  }
  return rows;
}

MatrixXd ExperimentRows::leaf_covariance(const std::vector<LeafRow>& rows) const {
  const auto n = static_cast<Eigen::Index>(rows.size());
  MatrixXd cov = MatrixXd::Zero(n, n);
  std::vector<double> dense(static_cast<std::size_t>(knots_), 0);
  for (Eigen::Index u = 0; u < n; ++u) {
    const LeafRow& row = rows[static_cast<std::size_t>(u)];
    for (const Share& share : row)
      dense[static_cast<std::size_t>(share.knot)] +=
          share.weight * knot_variance_[static_cast<std::size_t>(share.knot)];
    for (Eigen::Index v = 0; v <= u; ++v) {
      double sum = 0;
      for (const Share& share : rows[static_cast<std::size_t>(v)])
        sum += share.weight * dense[static_cast<std::size_t>(share.knot)];
      cov(u, v) = cov(v, u) = sum;
    }
    for (const Share& share : row) dense[static_cast<std::size_t>(share.knot)] = 0;
  }
  return cov;
}

}  // namespace stiffit
