// SPDX-License-Identifier: Apache-2.0
#include "estimation/direct/linear_rows.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stiffit::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

ExperimentRows::ExperimentRows(const ExperimentSetup& setup, std::vector<const SeriesTrack*> tracks,
                               std::vector<double> variance, const Weighting& weighting,
                               bool known_errors)
    : s_(setup), tracks_(std::move(tracks)), known_errors_(known_errors) {
  for (std::size_t o = 0; o < tracks_.size(); ++o) {
    first_knot_.push_back(static_cast<int>(knot_variance_.size()));
    if (!tracks_[o]) continue;
    for (const SeriesTrack::Knot& k : tracks_[o]->knots())
      knot_variance_.push_back(k.exact ? 0 : variance[o] * k.variance);
  }
  leaf_slot_.assign(s_.leaf_count, -1);
  row_partials_.resize(s_.rows.size());
  row_seconds_.resize(s_.rows.size());
  const std::vector<RowTerm>& terms = s_.terms->terms();
  for (std::size_t k = 0; k < s_.terms->partials().size(); ++k) {
    const TermKernel::Partial& p = s_.terms->partials()[k];
    row_partials_[terms[p.term].row].push_back(static_cast<int>(k));
    int& slot = leaf_slot_[p.leaf];
    if (slot >= 0) continue;
    slot = static_cast<int>(used_leaves_.size());
    used_leaves_.push_back(p.leaf);
  }
  for (std::size_t k = 0; k < s_.terms->seconds().size(); ++k)
    row_seconds_[terms[s_.terms->seconds()[k].term].row].push_back(static_cast<int>(k));
  place_nodes();
  place_points();
  follow_driven();
  evaluate();
  place_weights(weighting, {});
}

void ExperimentRows::weigh(const Weighting& weighting, const VectorXd& c) {
  place_weights(weighting, c);
}

bool ExperimentRows::weights_depend() const {
  return known_errors_ && std::any_of(points_.begin(), points_.end(), [this](const Point& point) {
           return !s_.rows[point.row].integrated;
         });
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
      const bool there = std::all_of(series.begin(), series.end(),
                                     [&](int o) { return tracks_[o]->has(times_[a]); });
      if (there && (!series.empty() || a > 0))
        points_.push_back({static_cast<int>(i), static_cast<int>(a), 0});
    }
}

double ExperimentRows::past_value(std::size_t k, double time, double* partials) const {
  const double then = time - s_.lags[k], seen = std::max(then, s_.start);
  std::vector<double> leaves(s_.leaf_count, 0);
  for (std::size_t o = 0; o < tracks_.size(); ++o)
    if (tracks_[o]) leaves[s_.leaf_of_series[o]] = tracks_[o]->value(seen);
  std::vector<double> result(s_.past->result_size());
  s_.past->all(then, leaves.data(), s_.parameters.data(), result.data());
  if (partials) std::copy(result.begin() + s_.past->terms().size(), result.end(), partials);
  return result[k];
}

void ExperimentRows::fill_series(double time, double* leaves) const {
  for (std::size_t o = 0; o < tracks_.size(); ++o)
    if (tracks_[o]) leaves[s_.leaf_of_series[o]] = tracks_[o]->value(time);
}

void ExperimentRows::fill_leaves(int node, double* leaves) const {
  const double time = nodes_[node];
  for (std::size_t o = 0; o < tracks_.size(); ++o) {
    if (!tracks_[o]) continue;
    const std::size_t value = s_.leaf_of_series[o];
    const std::size_t slope = s_.slope_of_series[o];
    if (leaf_slot_[value] >= 0) leaves[value] = tracks_[o]->value(time);
    if (leaf_slot_[slope] >= 0) leaves[slope] = tracks_[o]->slope(time);
  }
  for (std::size_t k = 0; k < s_.leaf_of_past.size(); ++k)
    if (const std::size_t leaf = s_.leaf_of_past[k]; leaf_slot_[leaf] >= 0)
      leaves[leaf] = past_value(k, time, nullptr);
  for (std::size_t k = 0; k < s_.leaf_of_driven.size(); ++k)
    leaves[s_.leaf_of_driven[k]] = driven_(k, node);
  std::vector<double> at(s_.leaf_count, 0), signal;
  for (std::size_t k = 0; k < s_.leaf_of_memory.size(); ++k) {
    const std::size_t leaf = s_.leaf_of_memory[k];
    if (leaf_slot_[leaf] < 0) continue;
    signal.resize(s_.memories->result_size());
    leaves[leaf] = 0;
    over_past(k, time, [&](double then, double weight) {
      fill_series(then, at.data());
      s_.memories->values(then, at.data(), s_.parameters.data(), signal.data());
      leaves[leaf] += weight * signal[k];
    });
  }
}

void ExperimentRows::evaluate_terms() {
  const std::size_t width = s_.terms->result_size();
  results_.resize(nodes_.size() * width);
  std::vector<double> leaves(s_.leaf_count, 0);
  for (std::size_t b = 0; b < nodes_.size(); ++b) {
    fill_leaves(static_cast<int>(b), leaves.data());
    double* at = &results_[b * width];
    s_.terms->all(nodes_[b], leaves.data(), s_.parameters.data(), at);
    if (!corrected_) continue;
    const std::vector<double>& cov = noise_at(static_cast<int>(b)).covariance;
    const double* second = at + s_.terms->terms().size() + s_.terms->partials().size();
    for (std::size_t k = 0; k < s_.terms->seconds().size(); ++k) {
      const TermKernel::Second& d = s_.terms->seconds()[k];
      const std::size_t u = leaf_slot_[d.leaf];
      const std::size_t v = leaf_slot_[d.other];
      at[d.term] -= (u == v ? 0.5 : 1.0) * cov[u * used_leaves_.size() + v] * second[k];
    }
  }
}

// Sums of the terms from the start up to every time, and what stands at each point.
void ExperimentRows::sum_up() {
  const Index columns = s_.columns;
  const std::vector<RowTerm>& terms = s_.terms->terms();
  std::vector<std::vector<int>> points_at(times_.size());
  for (std::size_t k = 0; k < points_.size(); ++k)
    points_at[points_[k].time].push_back(static_cast<int>(k));
  columns_ = MatrixXd::Zero(points_.size(), columns);
  constants_ = VectorXd::Zero(points_.size());
  left_.clear();
  std::vector<double> sum(terms.size(), 0), leaves(s_.leaf_count, 0), left(s_.left->result_size());
  auto cell = [&](int point, int column) -> double& {
    return column < 0 ? constants_(point) : columns_(point, column);
  };
  for (std::size_t a = 0; a < times_.size(); ++a) {
    if (a > 0)
      for (const Step& step : steps_[a - 1]) {
        const double* at = results(step.node);
        for (std::size_t t = 0; t < terms.size(); ++t) sum[t] += step.weight * at[t];
      }
    bool filled = false;
    const double* now = results(static_cast<int>(a));
    for (int k : points_at[a]) {
      const int row_index = points_[k].row;
      const LinearRow& row = s_.rows[row_index];
      for (std::size_t t = 0; t < terms.size(); ++t)
        if (terms[t].row == row_index) cell(k, terms[t].column) += row.integrated ? sum[t] : now[t];
      if (!row.integrated) continue;
      for (auto& [column, value] : row.initial) cell(k, column) += value;
      if (!filled) {
        // The data themselves, not the curve: their noise is then noise of the residual alone.
        for (std::size_t o = 0; o < tracks_.size(); ++o)
          if (tracks_[o])
            if (const int knot = tracks_[o]->knot_at(times_[a]); knot >= 0)
              leaves[s_.leaf_of_series[o]] = tracks_[o]->knots()[knot].value;
        s_.left->all(times_[a], leaves.data(), s_.parameters.data(), left.data());
        filled = true;
      }
      const std::vector<RowTerm>& sides = s_.left->terms();
      for (std::size_t t = 0; t < sides.size(); ++t)
        if (sides[t].row == row_index) constants_(k) -= left[t];
      for (std::size_t p = 0; p < s_.left->partials().size(); ++p) {
        const TermKernel::Partial& partial = s_.left->partials()[p];
        if (sides[partial.term].row != row_index) continue;
        for (int o : row.series)
          if (s_.leaf_of_series[o] == partial.leaf)
            left_.push_back(
                {k, first_knot_[o] + tracks_[o]->knot_at(times_[a]), left[sides.size() + p]});
      }
    }
  }
}

void ExperimentRows::evaluate() {
  evaluate_terms();
  sum_up();
}

void ExperimentRows::correct_means() {
  corrected_ = true;
  evaluate();
}

// Of what a row without integrals leaves over, as the errors of the data near its time make it.
double ExperimentRows::point_variance(const Point& point, const VectorXd& c) const {
  const double time = times_[point.time];
  const double* at = results(point.time) + s_.terms->terms().size();
  std::map<int, double> by_knot;
  for (int p : row_partials_[point.row]) {
    const TermKernel::Partial& partial = s_.terms->partials()[p];
    const int column = s_.terms->terms()[partial.term].column;
    const double factor = column < 0 ? at[p] : c.size() > 0 ? c(column) * at[p] : 0;
    if (factor == 0) continue;
    for (std::size_t o = 0; o < tracks_.size(); ++o) {
      if (!tracks_[o]) continue;
      const bool slope = partial.leaf == s_.slope_of_series[o];
      if (!slope && partial.leaf != s_.leaf_of_series[o]) continue;
      for (auto& [knot, weight] : tracks_[o]->nearby(time, slope))
        by_knot[first_knot_[o] + knot] += factor * weight;
    }
  }
  double sum = 0;
  for (auto& [knot, weight] : by_knot) sum += weight * weight * knot_variance_[knot];
  return sum;
}

void ExperimentRows::divide_by_errors(const VectorXd& c) {
  std::vector<double> variance(points_.size(), 0);
  for (const LeftShare& share : left_)
    variance[share.point] += share.slope * share.slope * knot_variance_[share.knot];
  for (std::size_t k = 0; k < points_.size(); ++k)
    if (!s_.rows[points_[k].row].integrated) variance[k] = point_variance(points_[k], c);
  for (std::size_t first = 0; first < points_.size();) {
    std::size_t end = first;
    double least = 0;  // for what is exact
    for (; end < points_.size() && points_[end].row == points_[first].row; ++end)
      if (variance[end] > 0 && (least == 0 || variance[end] < least)) least = variance[end];
    for (std::size_t k = first; k < end; ++k)
      if (least > 0) points_[k].weight /= std::max(variance[k], least);
    first = end;
  }
}

void ExperimentRows::place_weights(const Weighting& weighting, const VectorXd& c) {
  auto time = [&](std::size_t k) { return times_[points_[k].time]; };
  auto name = [&](std::size_t k) -> const std::string& { return s_.rows[points_[k].row].name; };
  blocks_.clear();
  // The outer integral: the trapezoidal rule over the times of each row.
  for (std::size_t first = 0; first < points_.size();) {
    std::size_t end = first;
    while (end < points_.size() && points_[end].row == points_[first].row) ++end;
    const LinearRow& row = s_.rows[points_[first].row];
    for (std::size_t k = first; k < end; ++k) {
      const double before = k > first ? time(k - 1) : row.integrated ? s_.start : time(k);
      const double after = k + 1 < end ? time(k + 1) : time(k);
      points_[k].weight = after > before ? (after - before) / 2 : 0;
      if (end - first == 1 && points_[k].weight == 0) points_[k].weight = 1;
    }
    first = end;
  }
  if (known_errors_) divide_by_errors(c);
  if (!weighting.q && weighting.points.empty()) return;
  std::vector<std::vector<int>> at(times_.size());
  for (std::size_t k = 0; k < points_.size(); ++k)
    at[points_[k].time].push_back(static_cast<int>(k));
  for (const std::vector<int>& together : at) {
    if (together.empty()) continue;
    const Index n = together.size();
    Block block{together, MatrixXd::Zero(n, n)};
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < n; ++k) {
        const std::size_t p = together[i];
        const std::size_t r = together[k];
        const double q = weighting.q ? weighting.q(name(p), name(r), time(p)) : i == k;
        block.weights(i, k) = q * std::sqrt(points_[p].weight * points_[r].weight);
        for (const Weighting::Point& w : weighting.points)
          if (same_moment(w.time, time(p)) && ((w.row == name(p) && w.other == name(r)) ||
                                               (w.row == name(r) && w.other == name(p))))
            block.weights(i, k) += w.weight;
      }
    for (Index i = 0; i < n; ++i) points_[together[i]].weight = block.weights(i, i);
    blocks_.push_back(std::move(block));
  }
  const bool mixed = std::any_of(blocks_.begin(), blocks_.end(),
                                 [](const Block& block) { return !block.weights.isDiagonal(0); });
  if (!mixed) blocks_.clear();
}

}  // namespace stiffit::internal
