// SPDX-License-Identifier: Apache-2.0
#include "estimation/direct/linear_fit.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "base/number.h"
#include "estimation/direct/column_solve.h"
#include "estimation/direct/linear_columns.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double in_practice = 1e-3;  // of a series' range: few measurements are better

using Rows = std::vector<std::unique_ptr<ExperimentRows>>;

Rows make_rows(const LinearColumns& columns, const MeasuredCurves& curves,
               const LinearFitOptions& options) {
  Rows rows;
  for (std::size_t e = 0; e < columns.experiments().size(); ++e) {
    rows.push_back(std::make_unique<ExperimentRows>(columns.experiments()[e].setup,
                                                    curves.tracks(e), curves.variance(e),
                                                    options.weighting, columns.errors_known()));
    if (options.correct_bias) rows.back()->correct_means();
  }
  return rows;
}

void require_finite(const ExperimentRows& rows) {
  if (rows.columns().allFinite() && rows.constants().allFinite()) return;
  for (std::size_t k = 0; k < rows.points().size(); ++k) {
    const Index at = k;
    if (!rows.columns().row(at).allFinite() || !std::isfinite(rows.constants()(at)))
      throw InputError("error: the equations are not finite along the data, first at time " +
                       format_number(rows.times()[rows.points()[k].time]) +
                       ": a division by zero, or a logarithm or root of a negative value");
  }
}

// The rows of one experiment, weighted, so that the functional is |x c - b|^2.
void add_weighted(const ExperimentRows& rows, Index first, MatrixXd& x, VectorXd& b) {
  const Index count = rows.points().size();
  VectorXd root(count);
  for (Index k = 0; k < count; ++k) root(k) = std::sqrt(std::max(rows.points()[k].weight, 0.0));
  x.middleRows(first, count) = root.asDiagonal() * rows.columns();
  b.segment(first, count) = -root.cwiseProduct(rows.constants());
  for (const ExperimentRows::Block& block : rows.blocks()) {
    const SymmetricFactors weights(block.weights);
    if (!weights.positive())
      throw InputError("error: the weights between rows are not positive definite");
    const MatrixXd u = weights.root();
    for (Index i = 0; i < u.rows(); ++i) {
      const Index at = first + block.points[i];
      x.row(at).setZero();
      b(at) = 0;
      for (Index k = 0; k < u.cols(); ++k) {
        const int point = block.points[k];
        x.row(at) += u(i, k) * rows.columns().row(point);
        b(at) -= u(i, k) * rows.constants()(point);
      }
    }
  }
}

// The inverse of a covariance of that rank.
MatrixXd information(const MatrixXd& covariance, Index rank) {
  const Index n = covariance.rows();
  VectorXd scale = covariance.diagonal().cwiseMax(0).cwiseSqrt();
  for (Index i = 0; i < n; ++i)
    if (!(scale(i) > 0)) scale(i) = 1;
  const MatrixXd scaled =
      scale.cwiseInverse().asDiagonal() * covariance * scale.cwiseInverse().asDiagonal();
  const SymmetricEigen eigen(scaled);
  MatrixXd result = MatrixXd::Zero(n, n);
  for (Index k = n - std::clamp<Index>(rank, 0, n); k < n; ++k)
    if (eigen.eigenvalues()(k) > 0)
      result += eigen.eigenvectors().col(k) * eigen.eigenvectors().col(k).transpose() /
                eigen.eigenvalues()(k);
  return scale.cwiseInverse().asDiagonal() * result * scale.cwiseInverse().asDiagonal();
}

// Directions of the unknowns that change none of these products: columns of unit length.
MatrixXd without_products(const std::vector<Monomial>& products, const VectorXd& values) {
  const Index n = values.size();
  MatrixXd exponents = MatrixXd::Zero(products.size(), n);  // d ln product / d ln unknown
  for (std::size_t k = 0; k < products.size(); ++k)
    for (auto& [unknown, exponent] : products[k]) exponents(k, unknown) = exponent;
  const SingularValues s = singular_values(exponents);
  std::vector<VectorXd> found;
  for (Index k = 0; k < n; ++k) {
    if (k < s.values.size() && s.values(k) > 1e-9 * s.values(0)) continue;
    const VectorXd direction = values.asDiagonal() * s.right.col(k);
    if (direction.norm() > 0) found.push_back(direction / direction.norm());
  }
  MatrixXd result(n, found.size());
  for (std::size_t k = 0; k < found.size(); ++k) result.col(k) = found[k];
  return result;
}

// d column / d knot for all experiments side by side.
MatrixXd by_datum(const Rows& rows, const ColumnSolution& solution, std::size_t data) {
  MatrixXd result(solution.c.size(), static_cast<Index>(data));
  Index first = 0;
  for (const auto& r : rows) {
    const MatrixXd own = -solution.inverse * r->sensitivities(solution.c);
    result.middleCols(first, own.cols()) = own;
    first += own.cols();
  }
  return result;
}

}  // namespace

const char* method_name(LinearMethod method) {
  return method == LinearMethod::integral     ? "integral"
         : method == LinearMethod::derivative ? "derivative"
                                              : "rational";
}

struct LinearFit::Impl {
  Impl(const FitProblem& p, LinearFitOptions o)
      : problem(p), options(std::move(o)), columns(p, options) {}

  ColumnSolution solve(const Rows& rows, LinearFitResult& result) const;
  ColumnSolution solve_weighted(const Rows& rows, LinearFitResult& result) const;
  MatrixXd by_measurement(const MatrixXd& by_knot) const;
  VectorXd errors(const MeasuredCurves& curves) const;
  void add_errors(const Rows& rows, const MeasuredCurves& curves, const ColumnSolution& solution,
                  LinearFitResult& result) const;

  const FitProblem& problem;
  LinearFitOptions options;
  LinearColumns columns;
};

LinearFit::LinearFit(const FitProblem& problem, LinearFitOptions options)
    : impl_(std::make_unique<Impl>(problem, std::move(options))) {}
LinearFit::~LinearFit() = default;

const std::vector<int>& LinearFit::unknowns() const { return impl_->columns.unknowns(); }
const std::vector<int>& LinearFit::left_out() const { return impl_->columns.left_out(); }

// The columns, by QR; or by the normal equations, where those are corrected or constrained.
ColumnSolution LinearFit::Impl::solve(const Rows& rows, LinearFitResult& result) const {
  const Index n = columns.columns().size();
  Index height = 0;
  result.data = 0;
  for (const auto& r : rows) {
    require_finite(*r);
    height += static_cast<Index>(r->points().size());
    result.data += r->knot_variances().size();
  }
  result.points = height;
  if (height < n)
    throw InputError("error: too few data: " + std::to_string(height) + " equations for " +
                     std::to_string(n) + " coefficients");
  MatrixXd x(height, n);
  VectorXd b(height);
  Index first = 0;
  for (const auto& r : rows) {
    add_weighted(*r, first, x, b);
    first += static_cast<Index>(r->points().size());
  }
  result.g = x.transpose() * x;
  result.a = x.transpose() * b;
  ColumnSolution solution;
  result.corrected = false;
  if (options.correct_bias) {
    MatrixXd g = result.g, more;
    VectorXd a = result.a, side;
    for (const auto& r : rows) {
      r->noise_in_squares(more, side);
      g -= more;
      a += side;
    }
    solution = solve_normal(g, a);
    if (solution.rank >= 0) {
      result.corrected = true;
      result.g = g;
      result.a = a;
    } else {
      result.notes.push_back(
          "the noise is too large for the correction of G: only the means of the terms are "
          "corrected");
    }
  }
  if (options.not_negative)
    solution = solve_not_negative(result.g, result.a);
  else if (!result.corrected)
    solution = solve_columns(x, b);
  result.coefficients = solution.c;
  result.singular = solution.singular;
  result.condition = solution.condition;
  result.rank = solution.rank;
  result.squares = (x * solution.c - b).squaredNorm();
  return solution;
}

// Rows whose errors depend on the coefficients are weighed by those found, twice.
ColumnSolution LinearFit::Impl::solve_weighted(const Rows& rows, LinearFitResult& result) const {
  ColumnSolution solution = solve(rows, result);
  for (int round = 0; round < 2; ++round) {
    bool again = false;
    for (const auto& r : rows) {
      if (!r->weights_depend()) continue;
      r->weigh(options.weighting, solution.c);
      again = true;
    }
    if (!again) break;
    result.notes.clear();
    solution = solve(rows, result);
  }
  return solution;
}

// Knots come experiment by experiment and observable by observable; each is the weighted mean of
// what was measured at its time, or exact.
MatrixXd LinearFit::Impl::by_measurement(const MatrixXd& by_knot) const {
  MatrixXd result = MatrixXd::Zero(by_knot.rows(), problem.measurements.size());
  Index knot = 0;
  for (const LinearColumns::OneExperiment& experiment : columns.experiments()) {
    std::vector<const LinearColumns::Series*> order;
    for (const LinearColumns::Series& series : experiment.series) order.push_back(&series);
    std::sort(order.begin(), order.end(),
              [](auto* a, auto* b) { return a->observable < b->observable; });
    for (const LinearColumns::Series* series : order) {
      const bool exact = !std::isnan(series->start_value);
      if (exact && (series->times.empty() || series->times.front().first > series->start)) ++knot;
      for (const auto& [time, data] : series->times) {
        const Index own = knot++;
        if (exact && time == series->start) continue;
        double weights = 0;
        auto weight = [&](int m) {
          const double s = columns.known_errors()[m];
          return s > 0 ? 1 / (s * s) : 1;
        };
        for (int m : data) weights += weight(m);
        for (int m : data) result.col(m) = by_knot.col(own) * (weight(m) / weights);
      }
    }
  }
  return result;
}

VectorXd LinearFit::Impl::errors(const MeasuredCurves& curves) const {
  VectorXd result = VectorXd::Zero(problem.measurements.size());
  for (std::size_t e = 0; e < columns.experiments().size(); ++e)
    for (const LinearColumns::Series& series : columns.experiments()[e].series) {
      const double sd = std::sqrt(curves.variance(e)[series.observable]);
      for (const auto& [time, data] : series.times)
        for (int m : data) result(m) = columns.errors_known() ? columns.known_errors()[m] : sd;
    }
  return result;
}

// From columns to unknowns, with errors to first order.
void LinearFit::Impl::add_errors(const Rows& rows, const MeasuredCurves& curves,
                                 const ColumnSolution& solution, LinearFitResult& result) const {
  const MatrixXd slopes_of_columns = by_datum(rows, solution, result.data);
  result.sd.resize(static_cast<Index>(result.data));
  VectorXd practical(result.sd.size());
  Index knot = 0;
  std::size_t series = 0;
  for (std::size_t e = 0; e < rows.size(); ++e) {
    Index own = knot;
    for (double variance : rows[e]->knot_variances()) result.sd(own++) = std::sqrt(variance);
    for (const SeriesTrack* track : curves.tracks(e)) {
      if (!track) continue;
      const double floor = in_practice * curves.noise()[series++].range;
      for (const SeriesTrack::Knot& k : track->knots()) practical(knot++) = k.exact ? 0 : floor;
    }
  }
  const MatrixXd scatter = slopes_of_columns * result.sd.asDiagonal();
  const MatrixXd covariance = scatter * scatter.transpose();
  const auto unknowns = static_cast<Index>(columns.unknowns().size());
  MatrixXd to_unknowns = MatrixXd::Zero(unknowns, solution.c.size());
  if (columns.plain()) {
    for (Index j = 0; j < solution.c.size(); ++j)
      to_unknowns(columns.columns()[static_cast<std::size_t>(j)].front().first, j) = 1;
    result.values = to_unknowns * solution.c;
  } else {
    MatrixXd weights = information(covariance, solution.rank);
    if (!(weights.diagonal().maxCoeff() > 0)) weights = result.g;
    MatrixXd slopes;
    result.values =
        unknowns_behind(columns.columns(), solution.c, weights, columns.starts(), slopes);
    const MatrixXd h = slopes.transpose() * weights * slopes;
    to_unknowns = shortest_solutions(h, slopes.transpose() * weights);
  }
  result.by_datum = to_unknowns * slopes_of_columns;
  result.by_measurement = by_measurement(result.by_datum);
  result.covariance = to_unknowns * covariance * to_unknowns.transpose();
  result.null_space = to_unknowns * solution.null_space;
  if (!columns.plain()) {
    const MatrixXd lost = without_products(columns.columns(), result.values);
    MatrixXd both(unknowns, result.null_space.cols() + lost.cols());
    both << result.null_space, lost;
    result.null_space = both;
  }
  result.bound = result.by_datum.cwiseAbs() * result.sd;
  result.in_practice = (result.by_datum * practical.asDiagonal()).rowwise().norm();
}

LinearFitResult LinearFit::solve(std::span<const double> values, bool errors) const {
  const Impl& in = *impl_;
  std::vector<double> own;
  if (values.empty()) {
    for (const Measurement& m : in.problem.measurements) own.push_back(m.value);
    values = own;
  }
  LinearFitResult result;
  MeasuredCurves curves(in.problem, in.columns, values, in.options.curve);
  Rows rows = make_rows(in.columns, curves, in.options);
  ColumnSolution solution = in.solve_weighted(rows, result);
  if (curves.noise_missing()) {
    // Too few points to tell noise from shape: what the fit leaves over is taken for it.
    double squares = 0, count = -static_cast<double>(solution.c.size());
    for (const auto& r : rows) {
      squares += r->residuals(solution.c).squaredNorm();
      for (const ExperimentRows::Point& point : r->points())
        count += r->times()[static_cast<std::size_t>(point.time)] > r->times().front();
    }
    if (count <= 0)
      throw InputError(
          "error: too few data: no more equations along them than parameters to estimate (" +
          std::to_string(solution.c.size()) + "), so nothing is left to estimate errors from");
    curves.assume(squares / count);
    rows = make_rows(in.columns, curves, in.options);
    solution = in.solve_weighted(rows, result);
  }
  for (const Monomial& m : in.columns.columns())
    result.columns.push_back(in.columns.column_name(m));
  result.noise = curves.noise();
  if (errors) result.errors = in.errors(curves);
  if (errors || !in.columns.plain()) {
    in.add_errors(rows, curves, solution, result);
  } else {
    result.values = VectorXd::Zero(static_cast<Index>(in.columns.unknowns().size()));
    for (Index j = 0; j < solution.c.size(); ++j)
      result.values(in.columns.columns()[static_cast<std::size_t>(j)].front().first) =
          solution.c(j);
  }
  if (in.columns.plain())
    for (int j : solution.at_zero)
      result.at_zero.push_back(in.columns.columns()[static_cast<std::size_t>(j)].front().first);
  return result;
}

}  // namespace stiffit::internal
