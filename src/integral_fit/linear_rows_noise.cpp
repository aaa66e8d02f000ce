// How the rows of a linear fit hang on the noise of the data: on average (bias) and to first order
// (errors; Belbas and Kim, section 3, in the form G gamma = beta - eta c).
// SPDX-License-Identifier: Apache-2.0
#include "integral_fit/linear_rows.h"

namespace stiffit {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// tr(H S H' S) for two terms at one node.
double bent_product(const MatrixXd& first, const MatrixXd& second, const MatrixXd& covariance) {
  return (first * covariance * second * covariance).trace();
}

}  // namespace

// Per row: how the sums of its terms hang on each knot, and the covariance of those sums, both kept
// up to date from time to time.
class RowNoise {
 public:
  RowNoise(std::size_t columns, int knots)
      : by_knot_(MatrixXd::Zero(static_cast<Index>(columns) + 1, knots)),
        covariance_(
            MatrixXd::Zero(static_cast<Index>(columns) + 1, static_cast<Index>(columns) + 1)) {}

  void add(int knot, const VectorXd& change, double variance) {
    auto own = by_knot_.col(knot);
    covariance_ += variance * (own * change.transpose() + change * own.transpose() +
                               change * change.transpose());
    own += change;
  }
  const MatrixXd& covariance() const { return covariance_; }
  MatrixXd& covariance() { return covariance_; }
  auto at(int knot) const { return by_knot_.col(knot); }

 private:
  MatrixXd by_knot_, covariance_;
};

void ExperimentRows::noise_in_squares(MatrixXd& g, VectorXd& a) const {
  const auto columns = static_cast<Index>(s_.columns);
  const std::size_t width = s_.terms->result_size(), terms = s_.terms->terms().size();
  const std::size_t partials = s_.terms->partials().size();
  const auto leaves = static_cast<Index>(used_leaves_.size());
  std::vector<std::vector<LeafRow>> cache(nodes_.size());
  std::vector<MatrixXd> covariance(nodes_.size());
  auto rows_of = [&](int node) -> const std::vector<LeafRow>& {
    auto& rows = cache[static_cast<std::size_t>(node)];
    if (rows.empty()) {
      rows = leaf_rows(node);
      covariance[static_cast<std::size_t>(node)] = leaf_covariance(rows);
    }
    return rows;
  };
  // Adds `weight` times the terms of a row at a node.
  auto add_node = [&](RowNoise& noise, int row, int node, double weight) {
    const std::vector<LeafRow>& rows = rows_of(node);
    const double* at = &results_[static_cast<std::size_t>(node) * width];
    for (std::size_t u = 0; u < used_leaves_.size(); ++u) {
      VectorXd change = VectorXd::Zero(columns + 1);
      bool any = false;
      for (std::size_t p = 0; p < partials; ++p) {
        const TermKernel::Partial& partial = s_.terms->partials()[p];
        const RowTerm& term = s_.terms->terms()[static_cast<std::size_t>(partial.term)];
        if (partial.leaf != used_leaves_[u] || term.row != row) continue;
        change(term.column + 1) += weight * at[terms + p];
        any = true;
      }
      if (!any) continue;
      for (const Share& share : rows[u])
        noise.add(share.knot, share.weight * change,
                  knot_variance_[static_cast<std::size_t>(share.knot)]);
    }
    // Derivatives at noisy data are themselves too large on average.
    if (s_.terms->seconds().empty()) return;
    std::vector<MatrixXd> bent(static_cast<std::size_t>(columns) + 1);
    for (std::size_t k = 0; k < s_.terms->seconds().size(); ++k) {
      const TermKernel::Second& d = s_.terms->seconds()[k];
      const RowTerm& term = s_.terms->terms()[static_cast<std::size_t>(d.term)];
      if (term.row != row) continue;
      MatrixXd& h = bent[static_cast<std::size_t>(term.column + 1)];
      if (h.size() == 0) h = MatrixXd::Zero(leaves, leaves);
      const int u = leaf_slot_[static_cast<std::size_t>(d.leaf)];
      const int v = leaf_slot_[static_cast<std::size_t>(d.other)];
      h(u, v) += at[terms + partials + k];
      if (u != v) h(v, u) += at[terms + partials + k];
    }
    const MatrixXd& cov = covariance[static_cast<std::size_t>(node)];
    for (Index i = 0; i <= columns; ++i)
      for (Index k = 0; k <= columns; ++k) {
        const MatrixXd &h = bent[static_cast<std::size_t>(i)],
                       &l = bent[static_cast<std::size_t>(k)];
        if (h.size() && l.size())
          noise.covariance()(i, k) -= 0.5 * weight * weight * bent_product(h, l, cov);
      }
  };

  g = MatrixXd::Zero(columns, columns);
  a = VectorXd::Zero(columns);
  std::vector<const Block*> block_of(points_.size());
  std::vector<Index> place(points_.size());
  for (const Block& block : blocks_)
    for (std::size_t k = 0; k < block.points.size(); ++k) {
      block_of[static_cast<std::size_t>(block.points[k])] = &block;
      place[static_cast<std::size_t>(block.points[k])] = static_cast<Index>(k);
    }
  // Rows share data, but what they share at one time is weighed only by Q's entries off the
  // diagonal; those are left out here.
  for (std::size_t first = 0; first < points_.size();) {
    const int row = points_[first].row;
    const bool integrated = s_.rows[static_cast<std::size_t>(row)].integrated;
    RowNoise noise(s_.columns, knots_);
    int reached = 0;
    std::size_t k = first;
    for (; k < points_.size() && points_[k].row == row; ++k) {
      MatrixXd cov;
      if (integrated) {
        for (; reached < points_[k].time; ++reached)
          for (const Step& step : steps_[static_cast<std::size_t>(reached)])
            add_node(noise, row, step.node, step.weight);
        cov = noise.covariance();
        const double* left = &left_[k * s_.left->result_size()] + s_.left->terms().size();
        for (std::size_t p = 0; p < s_.left->partials().size(); ++p) {
          const TermKernel::Partial& partial = s_.left->partials()[p];
          if (s_.left->terms()[static_cast<std::size_t>(partial.term)].row != row) continue;
          for (std::size_t o = 0; o < tracks_.size(); ++o) {
            if (!tracks_[o] || s_.leaf_of_series[o] != partial.leaf) continue;
            const int own = tracks_[o]->knot_at(times_[static_cast<std::size_t>(points_[k].time)]);
            if (own < 0) continue;
            const int knot = first_knot_[o] + own;
            cov.col(0) -= knot_variance_[static_cast<std::size_t>(knot)] * left[p] * noise.at(knot);
          }
        }
      } else {
        RowNoise alone(s_.columns, knots_);
        add_node(alone, row, points_[k].time, 1);
        cov = alone.covariance();
      }
      const double weight = block_of[k]->weights(place[k], place[k]);
      g += weight * cov.bottomRightCorner(columns, columns);
      a += weight * cov.col(0).tail(columns);
    }
    first = k;
  }
}

void ExperimentRows::sensitivities(const VectorXd& c, MatrixXd& by_datum,
                                   VectorXd& variances) const {
  const auto columns = static_cast<Index>(s_.columns);
  const std::size_t width = s_.terms->result_size(), terms = s_.terms->terms().size();
  const std::size_t rows = s_.rows.size();
  by_datum = MatrixXd::Zero(columns, knots_);
  variances = VectorXd::Map(knot_variance_.data(), knots_);

  // q: weight of each row's deviation in equation m, p: of the deviation of its column m.
  std::vector<MatrixXd> q(rows, MatrixXd::Zero(columns, static_cast<Index>(times_.size())));
  MatrixXd p = MatrixXd::Zero(static_cast<Index>(rows), static_cast<Index>(times_.size()));
  for (const Block& block : blocks_) {
    const auto n = static_cast<Index>(block.points.size());
    for (Index i = 0; i < n; ++i) {
      const RowPoint& point =
          points_[static_cast<std::size_t>(block.points[static_cast<std::size_t>(i)])];
      for (Index k = 0; k < n; ++k) {
        const RowPoint& other =
            points_[static_cast<std::size_t>(block.points[static_cast<std::size_t>(k)])];
        const double w = block.weights(i, k);
        q[static_cast<std::size_t>(point.row)].col(point.time) += w * other.columns;
        p(point.row, point.time) += w * (other.constant + other.columns.dot(c));
      }
    }
  }
  // What stands at the data themselves.
  const std::size_t left_width = s_.left->result_size();
  for (std::size_t k = 0; k < points_.size(); ++k) {
    const RowPoint& point = points_[k];
    if (!s_.rows[static_cast<std::size_t>(point.row)].integrated) continue;
    const double* left = &left_[k * left_width] + s_.left->terms().size();
    for (std::size_t d = 0; d < s_.left->partials().size(); ++d) {
      const TermKernel::Partial& partial = s_.left->partials()[d];
      if (s_.left->terms()[static_cast<std::size_t>(partial.term)].row != point.row) continue;
      for (std::size_t o = 0; o < tracks_.size(); ++o) {
        if (!tracks_[o] || s_.leaf_of_series[o] != partial.leaf) continue;
        if (int own = tracks_[o]->knot_at(times_[static_cast<std::size_t>(point.time)]); own >= 0)
          by_datum.col(first_knot_[o] + own) -=
              left[d] * q[static_cast<std::size_t>(point.row)].col(point.time);
      }
    }
  }
  // What stands in the terms, node by node. `dual` and `own`: weights of a row's terms there.
  auto spread = [&](int node, int row, const VectorXd& dual, double own, MatrixXd& by_leaf) {
    const double* at = &results_[static_cast<std::size_t>(node) * width] + terms;
    for (std::size_t d = 0; d < s_.terms->partials().size(); ++d) {
      const TermKernel::Partial& partial = s_.terms->partials()[d];
      const RowTerm& term = s_.terms->terms()[static_cast<std::size_t>(partial.term)];
      if (term.row != row) continue;
      auto leaf = by_leaf.col(leaf_slot_[static_cast<std::size_t>(partial.leaf)]);
      leaf += (term.column < 0 ? 1 : c(term.column)) * at[d] * dual;
      if (term.column >= 0) leaf(term.column) += own * at[d];
    }
  };
  auto flush = [&](int node, const MatrixXd& by_leaf) {
    const std::vector<LeafRow> leaf = leaf_rows(node);
    for (std::size_t u = 0; u < leaf.size(); ++u)
      for (const Share& share : leaf[u])
        by_datum.col(share.knot) += share.weight * by_leaf.col(static_cast<Index>(u));
  };
  const auto leaves = static_cast<Index>(used_leaves_.size());
  std::vector<MatrixXd> at_node(nodes_.size());
  auto node_sum = [&](int node) -> MatrixXd& {
    MatrixXd& m = at_node[static_cast<std::size_t>(node)];
    if (m.size() == 0) m = MatrixXd::Zero(columns, leaves);
    return m;
  };
  for (std::size_t row = 0; row < rows; ++row) {
    const int i = static_cast<int>(row);
    if (!s_.rows[row].integrated) {
      for (std::size_t t = 0; t < times_.size(); ++t)
        if (const auto at = static_cast<Index>(t); !q[row].col(at).isZero(0) || p(i, at) != 0)
          spread(static_cast<int>(t), i, q[row].col(at), p(i, at), node_sum(static_cast<int>(t)));
      continue;
    }
    VectorXd dual = VectorXd::Zero(columns);
    double own = 0;
    for (std::size_t t = times_.size() - 1; t > 0; --t) {
      dual += q[row].col(static_cast<Index>(t));
      own += p(i, static_cast<Index>(t));
      for (const Step& step : steps_[t - 1])
        spread(step.node, i, step.weight * dual, step.weight * own, node_sum(step.node));
    }
  }
  for (std::size_t node = 0; node < nodes_.size(); ++node)
    if (at_node[node].size() > 0) flush(static_cast<int>(node), at_node[node]);
}

}  // namespace stiffit
