// The rows of a linear fit for one experiment: where along the data each equation is asked to hold,
// and how it depends on the coefficients sought and on every datum. (Belbas and Kim, sections 2-4.)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "estimation/direct/series_track.h"
#include "estimation/direct/term_kernel.h"

namespace stiffit::internal {

// Q(t) between two rows, by name, and R at single times. Without q: the identity (over the square
// of the standard deviation where that is known).
struct Weighting {
  std::function<double(const std::string& row, const std::string& other, double time)> q;
  std::vector<std::string> names;  // of rows that q was given for, if it was by name
  struct Point {
    double time = 0;
    std::string row, other;
    double weight = 0;
  };
  std::vector<Point> points;
};

// Times of weights are written by hand.
inline bool same_moment(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::max(1.0, std::abs(a));
}

// One row's form: how it is summed up over time, and what it needs.
struct LinearRow {
  std::string name;
  bool integrated = false;                      // the terms are integrated from the start
  std::vector<std::pair<int, double>> initial;  // integrated: column (-1: none), x at the start
  std::vector<int> series;                      // needed at its times
};

// What stays the same whatever the data are.
struct ExperimentSetup {
  const TermKernel* terms = nullptr;     // of the rows
  const TermKernel* left = nullptr;      // of integrated rows: x itself; term k belongs to its row
  const TermKernel* past = nullptr;      // delayed values, now
  std::vector<double> lags;              // beside them
  const TermKernel* driven = nullptr;    // rates of driven states; term k is state k of them
  std::vector<double> driven_start;      // beside them
  const TermKernel* memories = nullptr;  // signals
  std::vector<std::function<double(double)>> kernels;  // beside them
  std::vector<LinearRow> rows;
  std::vector<double> parameters;
  std::vector<int> leaf_of_series, slope_of_series, leaf_of_past;  // by observable; by delay
  std::vector<int> leaf_of_driven, leaf_of_memory;
  int leaf_count = 0;
  std::size_t columns = 0;
  double start = 0;
};

class ExperimentRows {
 public:
  // Tracks by observable (null: not measured). `variance` of the data of each, absolute, times the
  // relative one of a knot.
  ExperimentRows(const ExperimentSetup& setup, std::vector<const SeriesTrack*> tracks,
                 std::vector<double> variance, const Weighting& weighting, bool known_errors);

  // Weighs anew, with `c` as good as it is known: the errors of rows with derivatives or fractions
  // depend on it.
  void weigh(const Weighting& weighting, const Eigen::VectorXd& c);
  bool weights_depend() const;  // on c

  // Takes the mean effect of noise off every term (second derivatives have to be there).
  void correct_means();

  const std::vector<double>& times() const { return times_; }
  // A row at one time: 0 = constant + columns * c.
  struct Point {
    int row = 0, time = 0;  // of times()
    double weight = 0;      // of its square in the functional
  };
  const std::vector<Point>& points() const { return points_; }
  const Eigen::MatrixXd& columns() const { return columns_; }      // [point][column]
  const Eigen::VectorXd& constants() const { return constants_; }  // [point]
  // Weights between different points of one time; empty: there are none.
  struct Block {
    std::vector<int> points;
    Eigen::MatrixXd weights;
  };
  const std::vector<Block>& blocks() const { return blocks_; }

  // What noise adds to G and A on average beyond the terms' means: (columns x columns), (columns).
  void noise_in_squares(Eigen::MatrixXd& g, Eigen::VectorXd& a) const;
  // d (normal equations at c) / d datum, per column and knot.
  Eigen::MatrixXd sensitivities(const Eigen::VectorXd& c) const;
  const std::vector<double>& knot_variances() const { return knot_variance_; }
  // The residual of every point.
  Eigen::VectorXd residuals(const Eigen::VectorXd& c) const { return constants_ + columns_ * c; }
  // The observables that the left side of a point's row is made of.
  const std::vector<int>& series_of(const Point& point) const { return s_.rows[point.row].series; }

 private:
  struct Step {
    int node = 0;
    double weight = 0;
  };
  struct Share {
    int knot;
    double weight;
  };
  // How the leaves at one node hang on the data, and their covariance.
  struct NodeNoise {
    std::vector<Share> shares;
    std::vector<int> first;  // per used leaf, and the end
    std::vector<double> covariance;
    std::span<const Share> of(std::size_t leaf) const {
      return {shares.data() + first[leaf], shares.data() + first[leaf + 1]};
    }
  };
  // A datum in the left side of an integrated row at a point.
  struct LeftShare {
    int point, knot;
    double slope;
  };
  class RunningNoise;

  void place_nodes();
  void place_points();
  void place_weights(const Weighting& weighting, const Eigen::VectorXd& c);
  void divide_by_errors(const Eigen::VectorXd& c);
  double point_variance(const Point& point, const Eigen::VectorXd& c) const;
  void evaluate();
  void evaluate_terms();
  void sum_up();
  void fill_leaves(int node, double* leaves) const;
  void fill_series(double time, double* leaves) const;
  void follow_driven();
  void follow_driven_noise() const;
  // Calls `use` with time, weight and kernel value of every piece of memory k at that time.
  void over_past(std::size_t k, double time,
                 const std::function<void(double at, double weight)>& use) const;
  double past_value(std::size_t k, double time, double* partials) const;
  const NodeNoise& noise_at(int node) const;
  // A share of a curve at a time, which is to be spread over its data later.
  struct CurveShare {
    int series;
    double time;
    bool slope;
    double factor;
  };
  void add_row(int series, double time, bool slope, double factor, std::vector<Share>& to) const;
  // How a leaf hangs on the data; what hangs on smoothing splines goes to `curves` if there is one.
  void leaf_shares(int leaf, int node, std::vector<Share>& to,
                   std::vector<CurveShare>* curves) const;
  void add_memory(std::size_t k, double time, std::vector<Share>& to) const;
  void add_terms(RunningNoise& noise, int row, int node, double weight) const;
  const double* results(int node) const {
    return &results_[static_cast<std::size_t>(node) * s_.terms->result_size()];
  }

  const ExperimentSetup& s_;
  std::vector<const SeriesTrack*> tracks_;
  std::vector<int> first_knot_;  // by observable
  std::vector<double> knot_variance_;
  std::vector<double> times_;             // of all data, and the start
  std::vector<double> nodes_;             // where terms are evaluated: times_, then those between
  std::vector<std::vector<Step>> steps_;  // per interval between times_
  std::vector<int> used_leaves_;          // that terms depend on
  std::vector<int> leaf_slot_;            // leaf -> position in used_leaves_, or -1
  std::vector<std::vector<int>> row_partials_, row_seconds_;  // per row: of the terms' kernel
  std::vector<double> results_;                               // [node][term, partial, second]
  std::vector<Point> points_;
  Eigen::MatrixXd columns_;
  Eigen::VectorXd constants_;
  std::vector<LeftShare> left_;
  std::vector<Block> blocks_;
  mutable std::vector<NodeNoise> noise_;               // per node, as needed
  std::vector<int> node_order_;                        // nodes by time
  Eigen::MatrixXd driven_;                             // [driven state][node]
  mutable std::vector<Eigen::MatrixXd> driven_noise_;  // per node: [driven state][knot]
  bool corrected_ = false, known_errors_ = false;
};

}  // namespace stiffit::internal
