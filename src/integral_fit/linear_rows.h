// The rows of a linear fit for one experiment: where along the data each equation is asked to hold,
// and how it depends on the coefficients sought and on every datum. (Belbas and Kim, sections 2-4.)
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Dense>
#include <functional>
#include <string>
#include <vector>

#include "integral_fit/series_track.h"
#include "integral_fit/term_kernel.h"

namespace stiffit {

// Q(t) between two rows, by name, and R at single times. Without q: the identity (over the square
// of the standard deviation where that is known).
struct Weighting {
  std::function<double(const std::string& row, const std::string& other, double time)> q;
  struct Point {
    double time = 0;
    std::string row, other;
    double weight = 0;
  };
  std::vector<Point> points;
};

// One row's form: terms in the coefficients, and how it is summed up over time.
struct LinearRow {
  std::string name;
  bool integrated = false;  // the terms are integrated from the start
  std::vector<std::pair<int, double>>
      initial;              // integrated rows: column (-1: none), x at the start
  std::vector<int> series;  // needed at its times
};

// A row at one time: 0 = constant + sum of columns. Deviations are those of the data.
struct RowPoint {
  int row = 0;
  int time = 0;  // of ExperimentRows::times
  double constant = 0;
  Eigen::VectorXd columns;
};

struct ExperimentSetup {
  const TermKernel* terms = nullptr;  // of the rows
  const TermKernel* left = nullptr;   // of integrated rows: x itself; term k belongs to its row
  const TermKernel* past = nullptr;   // delayed values, now
  std::vector<double> lags;           // beside them
  std::vector<LinearRow> rows;
  std::vector<double> parameters;
  std::vector<int> leaf_of_series, slope_of_series, leaf_of_past;  // by observable; by delay
  int leaf_count = 0;
  std::size_t columns = 0;
  double start = 0;
};

class ExperimentRows {
 public:
  // Tracks by observable (null: not measured). `variance` of the data of each, absolute, times the
  // relative one of a knot; NaN: not known.
  ExperimentRows(const ExperimentSetup& setup, std::vector<const SeriesTrack*> tracks,
                 std::vector<double> variance, const Weighting& weighting, bool known_errors);

  // Takes the mean effect of noise off every term (second derivatives have to be there).
  void correct_means();
  void evaluate();

  const std::vector<double>& times() const { return times_; }
  const std::vector<RowPoint>& points() const { return points_; }
  // Weights of all points at one time, and which.
  struct Block {
    std::vector<int> points;
    Eigen::MatrixXd weights;
  };
  const std::vector<Block>& blocks() const { return blocks_; }

  // What noise adds to G and A on average beyond the terms' means: (columns x columns), (columns).
  void noise_in_squares(Eigen::MatrixXd& g, Eigen::VectorXd& a) const;
  // d (normal equations at c) / d datum, per column and knot, and the variance of each knot.
  void sensitivities(const Eigen::VectorXd& c, Eigen::MatrixXd& by_datum,
                     Eigen::VectorXd& variances) const;
  int data_count() const { return knots_; }

 private:
  struct Step {
    int node = 0;
    double weight = 0;
  };
  struct Share {
    int knot;
    double weight;
  };
  using LeafRow = std::vector<Share>;

  void place_nodes();
  void place_points();
  void place_weights(const Weighting& weighting, bool known_errors);
  void fill_leaves(double time, double* leaves) const;
  double past_value(std::size_t k, double time, double* partials) const;
  // Per leaf that a term depends on: how it hangs on the data at that node.
  std::vector<LeafRow> leaf_rows(int node) const;
  LeafRow track_row(int series, double time, bool slope) const;
  Eigen::MatrixXd leaf_covariance(const std::vector<LeafRow>& rows) const;

  const ExperimentSetup& s_;
  std::vector<const SeriesTrack*> tracks_;
  std::vector<int> first_knot_;  // by observable
  std::vector<double> knot_variance_;
  int knots_ = 0;
  std::vector<double> times_;  // of all data, and the start
  std::vector<double> nodes_;  // where terms are evaluated: times_, then those within intervals
  std::vector<std::vector<Step>> steps_;  // per interval between times_
  std::vector<int> used_leaves_;          // that terms depend on
  std::vector<int> leaf_slot_;            // leaf -> position in used_leaves_, or -1
  std::vector<double> results_;           // [node][term, partial, second]
  std::vector<double> left_;              // [point of an integrated row][left terms and partials]
  std::vector<RowPoint> points_;
  std::vector<Block> blocks_;
  std::vector<double> point_weight_;
  bool corrected_ = false;
};

}  // namespace stiffit
