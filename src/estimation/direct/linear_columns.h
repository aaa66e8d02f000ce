// The coefficients that a linear fit solves for, and the rows of every experiment in terms of them:
// all that can be known before the data are looked at.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "estimation/direct/fit_equations.h"
#include "estimation/direct/linear_rows.h"
#include "estimation/direct/unknown_monomials.h"

namespace stiffit::internal {

struct LinearFitOptions;

class LinearColumns {
 public:
  // Throws InputError with every reason why the method does not apply.
  LinearColumns(const FitProblem& problem, const LinearFitOptions& options);

  struct Series {
    int observable = -1;
    double start = 0, start_value = not_set;                 // not_set: the start is unknown too
    std::vector<std::pair<double, std::vector<int>>> times;  // ascending: measurements at each
  };
  struct OneExperiment {
    std::string id;
    ExperimentSetup setup;
    std::vector<Series> series;
  };

  const std::vector<int>& unknowns() const { return unknowns_; }
  const std::vector<int>& left_out() const { return left_out_; }
  const std::vector<OneExperiment>& experiments() const { return experiments_; }
  const std::vector<Monomial>& columns() const { return columns_; }
  // Every column is one unknown.
  bool plain() const { return plain_; }
  std::string column_name(const Monomial& monomial) const { return name_of(monomial, names_); }
  // The problem's own values of the unknowns, 1 where there is none.
  const Eigen::VectorXd& starts() const { return starts_; }
  // Standard deviations of the measurements; 0: not known.
  const std::vector<double>& known_errors() const { return errors_; }
  bool errors_known() const { return errors_known_; }

 private:
  // What experiments with the same equations share.
  struct Shared {
    TermKernel terms, left, past, driven, memories;
    std::vector<LinearRow> rows;                               // without start values
    std::vector<std::vector<std::pair<int, NodeId>>> initial;  // beside them
  };

  void find_unknowns();
  void split_rows();
  void split_row(const EquationRow& row, int index, Shared& shared, std::vector<RowTerm>& terms);
  bool split_products(NodeId rate, int index, std::vector<RowTerm>& terms);
  void split_fraction(const EquationRow& row, int index, std::vector<RowTerm>& terms);
  void place_data();
  ExperimentSetup setup_of(int experiment) const;
  Series series_of(int experiment, int observable, NodeId start, const ExperimentSetup& setup);
  double value_at_start(NodeId node, const ExperimentSetup& setup) const;
  void check_told();
  void check_weights();
  int column_of(const Monomial& monomial);
  double error_of(const Measurement& m, const std::vector<double>& parameters);
  const std::string& name(int unknown) const { return names_[unknown]; }

  const FitProblem& problem_;
  const LinearFitOptions& options_;
  std::vector<int> unknowns_, left_out_;
  std::vector<std::string> names_;
  std::unique_ptr<FitEquations> equations_;
  std::map<const ExperimentEquations*, std::unique_ptr<Shared>> shared_;
  std::vector<int> used_;  // experiments with data
  std::vector<OneExperiment> experiments_;
  std::vector<Monomial> columns_;
  std::map<Monomial, int> column_;
  bool plain_ = true;
  Eigen::VectorXd starts_;
  std::vector<double> errors_;
  bool errors_known_ = false;
  std::vector<std::string> troubles_;
  bool not_linear_ = false;
};

}  // namespace stiffit::internal
