// SPDX-License-Identifier: Apache-2.0
#include "integral_fit/linear_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/diagnostic.h"
#include "integral_fit/column_solve.h"
#include "integral_fit/linear_columns.h"

namespace stiffit {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

const char* method_name(LinearMethod method) {
  return method == LinearMethod::integral     ? "integral"
         : method == LinearMethod::derivative ? "derivative"
                                              : "rational";
}

struct LinearFit::Inside {
  Inside(const FitProblem& p, LinearFitOptions o)
      : problem(p), options(std::move(o)), columns(p, options) {}

  const FitProblem& problem;
  LinearFitOptions options;
  LinearColumns columns;
};

LinearFit::LinearFit(const FitProblem& problem, LinearFitOptions options)
    : inside_(std::make_unique<Inside>(problem, std::move(options))) {}
LinearFit::~LinearFit() = default;

const std::vector<int>& LinearFit::unknowns() const { return inside_->columns.unknowns(); }
const std::vector<int>& LinearFit::left_out() const { return inside_->columns.left_out(); }

namespace {

constexpr double in_practice = 1e-3;  // of a series' range: few measurements are better

// The data of one experiment as curves, by observable.
struct Curves {
  std::vector<std::unique_ptr<SeriesTrack>> tracks;
  std::vector<double> variance;  // of a datum with relative variance one
};

std::vector<SeriesTrack::Knot> knots_of(const LinearColumns::Series& series,
                                        std::span<const double> values,
                                        const std::vector<double>& sd) {
  std::vector<SeriesTrack::Knot> knots;
  for (const auto& [time, data] : series.times) {
    SeriesTrack::Knot knot;
    knot.time = time;
    if (time == series.start && !std::isnan(series.start_value)) {
      knot.value = series.start_value;
    } else {
      double weights = 0, sum = 0;
      for (int m : data) {
        const double s = sd[static_cast<std::size_t>(m)], w = s > 0 ? 1 / (s * s) : 1;
        weights += w;
        sum += w * values[static_cast<std::size_t>(m)];
      }
      knot.value = sum / weights;
      knot.variance = 1 / weights;
      knot.data = data;
    }
    knots.push_back(std::move(knot));
  }
  if (!std::isnan(series.start_value) && (knots.empty() || knots.front().time > series.start))
    knots.insert(knots.begin(), {series.start, series.start_value, 1, {}});
  return knots;
}

// Standard deviations of the columns' errors into those of the unknowns, and everything else that
// follows from the columns.
MatrixXd information(const MatrixXd& covariance, Index rank) {
  const Index n = covariance.rows();
  VectorXd scale = covariance.diagonal().cwiseMax(0).cwiseSqrt();
  for (Index i = 0; i < n; ++i)
    if (!(scale(i) > 0)) scale(i) = 1;
  const MatrixXd scaled =
      scale.cwiseInverse().asDiagonal() * covariance * scale.cwiseInverse().asDiagonal();
  Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(scaled);
  MatrixXd result = MatrixXd::Zero(n, n);
  for (Index k = n - std::max<Index>(rank, 0); k < n; ++k)
    if (eigen.eigenvalues()(k) > 0)
      result += eigen.eigenvectors().col(k) * eigen.eigenvectors().col(k).transpose() /
                eigen.eigenvalues()(k);
  return scale.cwiseInverse().asDiagonal() * result * scale.cwiseInverse().asDiagonal();
}

}  // namespace

LinearFitResult LinearFit::solve(std::span<const double> given, bool errors) const {
  const Inside& in = *inside_;
  const LinearColumns& columns = in.columns;
  const FitProblem& problem = in.problem;
  std::vector<double> own;
  if (given.empty()) {
    for (const Measurement& m : problem.measurements) own.push_back(m.value);
    given = own;
  }
  LinearFitResult result;
  const auto n = static_cast<Index>(columns.columns().size());

  // Curves through the data, and how large their noise is.
  std::vector<Curves> curves(columns.experiments().size());
  std::map<int, std::pair<double, double>> pooled;  // by observable: sum of squares, weight
  const std::vector<double>& sd = columns.known_errors();
  bool all_constant = true;
  for (std::size_t e = 0; e < curves.size(); ++e) {
    const auto& experiment = columns.experiments()[e];
    curves[e].tracks.resize(problem.observables.size());
    curves[e].variance.assign(problem.observables.size(), std::nan(""));
    for (const LinearColumns::Series& series : experiment.series) {
      const auto o = static_cast<std::size_t>(series.observable);
      std::vector<SeriesTrack::Knot> knots = knots_of(series, given, sd);
      auto [low, high] = std::minmax_element(knots.begin(), knots.end(),
                                             [](auto& x, auto& y) { return x.value < y.value; });
      all_constant &= low->value == high->value;
      SeriesNoise noise{experiment.id, problem.observables[o].id, 1, columns.errors_known(), 0,
                        knots.size(),  high->value - low->value};
      if (columns.errors_known()) {
        curves[e].variance[o] = 1;
        noise.sd = 0;
        for (const auto& k : knots) noise.sd += k.data.empty() ? 0 : std::sqrt(k.variance);
        noise.sd /= static_cast<double>(knots.size());
      } else {
        noise.sd = noise_level(knots);
        if (!std::isnan(noise.sd)) {
          auto& [squares, weight] = pooled[series.observable];
          squares += noise.sd * noise.sd * static_cast<double>(knots.size());
          weight += static_cast<double>(knots.size());
        }
      }
      curves[e].tracks[o] = std::make_unique<SeriesTrack>(std::move(knots), in.options.curve);
      noise.freedom = curves[e].tracks[o]->freedom();
      result.noise.push_back(std::move(noise));
    }
  }
  if (all_constant)
    throw InputError("error: every measured series is constant: the data tell nothing about rates");
  for (std::size_t e = 0; e < curves.size(); ++e)
    for (std::size_t o = 0; o < problem.observables.size(); ++o)
      if (auto found = pooled.find(static_cast<int>(o)); found != pooled.end())
        curves[e].variance[o] = found->second.first / found->second.second;

  // The rows of all experiments.
  std::vector<std::unique_ptr<ExperimentRows>> rows;
  auto build = [&](bool correct) {
    rows.clear();
    for (std::size_t e = 0; e < curves.size(); ++e) {
      std::vector<const SeriesTrack*> tracks;
      for (const auto& track : curves[e].tracks) tracks.push_back(track.get());
      std::vector<double> variance = curves[e].variance;
      for (double& v : variance)
        if (std::isnan(v)) v = 0;
      rows.push_back(std::make_unique<ExperimentRows>(
          columns.experiments()[e].setup, std::move(tracks), std::move(variance),
          in.options.weighting, columns.errors_known()));
      if (correct) rows.back()->correct_means();
    }
  };
  build(in.options.correct_bias);

  Index height = 0;
  for (const auto& r : rows) {
    height += static_cast<Index>(r->points().size());
    result.data += static_cast<std::size_t>(r->data_count());
  }
  result.points = static_cast<std::size_t>(height);
  MatrixXd x = MatrixXd::Zero(height, n);
  VectorXd b = VectorXd::Zero(height);
  Index at = 0;
  for (const auto& r : rows)
    for (const ExperimentRows::Block& block : r->blocks()) {
      const auto size = static_cast<Index>(block.points.size());
      MatrixXd part(size, n);
      VectorXd side(size);
      for (Index i = 0; i < size; ++i) {
        const RowPoint& p =
            r->points()[static_cast<std::size_t>(block.points[static_cast<std::size_t>(i)])];
        part.row(i) = p.columns.transpose();
        side(i) = -p.constant;
      }
      if (!part.allFinite() || !side.allFinite())
        throw InputError(
            "error: the equations are not finite along the data (a division by zero or "
            "the logarithm of a negative value?) at time " +
            std::to_string(r->times()[static_cast<std::size_t>(
                r->points()[static_cast<std::size_t>(block.points.front())].time)]));
      if (size == 1) {
        const double w = std::sqrt(std::max(block.weights(0, 0), 0.0));
        x.row(at) = w * part.row(0);
        b(at) = w * side(0);
      } else {
        Eigen::LDLT<MatrixXd> ldlt(block.weights);
        if (!ldlt.isPositive())
          throw InputError("error: the weights between rows are not positive definite");
        const VectorXd d = ldlt.vectorD().cwiseMax(0).cwiseSqrt();
        const MatrixXd permuted = ldlt.transpositionsP() * part;
        const VectorXd turned = ldlt.transpositionsP() * side;
        x.middleRows(at, size) = d.asDiagonal() * (ldlt.matrixU() * permuted);
        b.segment(at, size) = d.asDiagonal() * (ldlt.matrixU() * turned);
      }
      at += size;
    }
  if (height < n)
    throw InputError("error: too few data: " + std::to_string(height) + " equations for " +
                     std::to_string(n) + " coefficients");

  result.g = x.transpose() * x;
  result.a = x.transpose() * b;
  ColumnSolution solution;
  result.corrected = in.options.correct_bias;
  if (in.options.correct_bias) {
    MatrixXd g = result.g;
    VectorXd a = result.a;
    for (const auto& r : rows) {
      MatrixXd more;
      VectorXd side;
      r->noise_in_squares(more, side);
      g -= more;
      a += side;
    }
    solution = in.options.not_negative ? solve_not_negative(g, a) : solve_normal(g, a);
    if (solution.rank < 0) {
      result.corrected = false;
      result.notes.push_back(
          "the noise is too large for the correction of G: only the terms' means are corrected");
    } else {
      result.g = g;
      result.a = a;
    }
  }
  if (!result.corrected)
    solution =
        in.options.not_negative ? solve_not_negative(result.g, result.a) : solve_columns(x, b);
  result.coefficients = solution.c;
  result.singular = solution.singular;
  result.condition = solution.condition;
  result.rank = solution.rank;
  result.squares = (x * solution.c - b).squaredNorm();
  for (const Monomial& m : columns.columns()) result.columns.push_back(columns.column_name(m));

  // From columns to unknowns, with errors to first order.
  const auto unknowns = static_cast<Index>(columns.unknowns().size());
  MatrixXd column_by_datum = MatrixXd::Zero(n, static_cast<Index>(result.data));
  result.sd = VectorXd::Zero(static_cast<Index>(result.data));
  VectorXd practical = result.sd;
  MatrixXd to_unknowns = MatrixXd::Zero(unknowns, n);
  if (columns.plain())
    for (Index j = 0; j < n; ++j)
      to_unknowns(columns.columns()[static_cast<std::size_t>(j)].front().first, j) = 1;
  if (errors || !columns.plain()) {
    Index first = 0;
    std::size_t series = 0;
    for (std::size_t e = 0; e < rows.size(); ++e) {
      MatrixXd by_datum;
      VectorXd variances;
      rows[e]->sensitivities(solution.c, by_datum, variances);
      column_by_datum.middleCols(first, by_datum.cols()) = -solution.inverse * by_datum;
      result.sd.segment(first, by_datum.cols()) = variances.cwiseMax(0).cwiseSqrt();
      Index knot = first;
      for (std::size_t o = 0; o < curves[e].tracks.size(); ++o) {
        if (!curves[e].tracks[o]) continue;
        const double floor = in_practice * result.noise[series++].range;
        for (const auto& k : curves[e].tracks[o]->knots())
          practical(knot++) = k.data.empty() ? 0 : floor;
      }
      first += by_datum.cols();
    }
  }
  const MatrixXd weighted = column_by_datum * result.sd.asDiagonal();
  const MatrixXd covariance = weighted * weighted.transpose();
  if (columns.plain()) {
    result.values = to_unknowns * solution.c;
  } else {
    MatrixXd weights = information(covariance, solution.rank);
    if (!(weights.diagonal().maxCoeff() > 0)) weights = result.g;
    MatrixXd slopes;
    result.values =
        unknowns_behind(columns.columns(), solution.c, weights, columns.starts(), slopes);
    const MatrixXd h = slopes.transpose() * weights * slopes;
    to_unknowns = h.completeOrthogonalDecomposition().solve(slopes.transpose() * weights);
  }
  result.by_datum = to_unknowns * column_by_datum;
  result.covariance = to_unknowns * covariance * to_unknowns.transpose();
  result.null_space = to_unknowns * solution.null_space;
  result.bound = result.by_datum.cwiseAbs() * result.sd;
  result.in_practice = (result.by_datum * practical.asDiagonal()).rowwise().norm();
  for (int j : solution.at_zero)
    if (columns.plain())
      result.at_zero.push_back(columns.columns()[static_cast<std::size_t>(j)].front().first);
  return result;
}

}  // namespace stiffit
