// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/next_measurement.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>

#include "base/number.h"
#include "estimation/objective/course_problem.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

constexpr int intervals = 24;
constexpr std::size_t most_proposals = 3;
constexpr double most_work = 2e6;  // numbers in the table of derivatives

// Noise beside the largest value of what was measured: the middle one over all measurements.
double relative_noise(const FitProblem& problem, const std::vector<Prediction>& predictions,
                      double variance) {
  std::vector<const FitProblem*> parts;
  for (const FitProblem& part : problem.parts) parts.push_back(&part);
  if (parts.empty()) parts.push_back(&problem);
  std::vector<double> shares;
  for (const FitProblem* part : parts) {
    std::map<int, double> largest;
    for (const Measurement& m : part->measurements)
      largest[m.observable] = std::max(largest[m.observable], std::fabs(predictions[m.row].value));
    for (const Measurement& m : part->measurements) {
      const double noise = predictions[m.row].noise * std::sqrt(variance);
      const Transformation t = part->observables[m.observable].transformation;
      if (t != Transformation::none)
        shares.push_back(noise * (t == Transformation::log10 ? std::log(10.0) : 1));
      else if (largest[m.observable] > 0)
        shares.push_back(noise / largest[m.observable]);
    }
  }
  if (shares.empty()) return std::nan("");
  std::nth_element(shares.begin(), shares.begin() + (shares.size() / 2), shares.end());
  return shares[shares.size() / 2];
}

// The linear theory at the best fit, on the logarithms of the values.
struct Theory {
  Eigen::MatrixXd covariance;  // of the thetas
  Eigen::VectorXd weight;      // 1/slope^2: to variances of logarithms; 0: left out
};

Theory theory_of(const std::vector<EstimatedParameter>& unknowns, const LocalFit& best,
                 const FitStatistics& statistics) {
  const Eigen::Index n = unknowns.size();
  Theory t;
  Eigen::MatrixXd information =
      Eigen::Map<const Eigen::MatrixXd>(best.at.fisher.data(), n, n) / statistics.variance;
  t.weight = Eigen::VectorXd::Zero(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const EstimatedParameter& u = unknowns[i];
    const ParameterStatistics& own = statistics.each[i];
    double slope = 1;  // d theta / d ln value
    if (own.value > 0) slope = own.value / theta_slope(own.value, u.scale);
    const double width = (u.upper - u.lower) / slope;
    const double prior = u.scale != Scale::lin && std::isfinite(width) ? width : 100;
    information(i, i) += 12 / (prior * prior * slope * slope);
    if (own.at_bound != 0)
      information(i, i) *= 1e12;  // held there
    else if (own.value > 0)
      t.weight(i) = 1 / (slope * slope);
  }
  t.covariance = SymmetricFactors(information).solve_columns(Eigen::MatrixXd::Identity(n, n));
  return t;
}

}  // namespace

std::vector<NextMeasurement> next_measurements(const ProblemObjective& objective,
                                               const LocalFit& best, const FitStatistics& s,
                                               const ObjectiveOptions& options) {
  const std::vector<EstimatedParameter>& unknowns = objective.unknowns();
  if (!(s.variance > 0) || !std::isfinite(s.variance)) return {};
  CourseProblem course = course_problem(objective.problem(), intervals);
  const Eigen::Index n = unknowns.size();
  if (static_cast<double>(course.points.size()) * static_cast<double>(n) > most_work) return {};
  std::string failure;
  const double share =
      relative_noise(objective.problem(), objective.predict(best.x, failure), s.variance);
  if (!failure.empty() || !(share > 0)) return {};
  const std::vector<CoursePoint> points = std::move(course.points);
  ObjectiveOptions forward = options;
  forward.gradient = GradientMethod::forward;
  const ProblemObjective sensitivities(std::move(course.problem), forward);
  const Evaluation e = sensitivities.evaluate(best.x, Need::fisher);
  if (!e.ok() || e.residuals.size() < points.size()) return {};
  const Theory theory = theory_of(unknowns, best, s);
  const double total = theory.covariance.diagonal().cwiseProduct(theory.weight).sum();
  if (!(total > 0)) return {};

  std::map<std::pair<std::string, std::string>, double> largest;
  for (std::size_t r = 0; r < points.size(); ++r) {
    double& most = largest[{points[r].experiment, points[r].quantity}];
    most = std::max(most, std::fabs(e.residuals[r]));
  }
  std::map<std::string, NextMeasurement> by_quantity;
  for (std::size_t r = 0; r < points.size(); ++r) {
    const CoursePoint& point = points[r];
    const double noise = share * largest[{point.experiment, point.quantity}];
    if (!(noise > 0)) continue;
    const Eigen::VectorXd slope = Eigen::Map<const Eigen::VectorXd>(e.jacobian.data() + r * n, n);
    const Eigen::VectorXd moved = theory.covariance * slope;
    const double spread = noise * noise + slope.dot(moved);
    const Eigen::VectorXd less = moved.cwiseAbs2().cwiseProduct(theory.weight) / spread;
    NextMeasurement& known = by_quantity[point.quantity];
    const double reduction = less.sum() / total;
    if (!(reduction > known.reduction)) continue;
    known = {point.experiment,
             point.quantity,
             point.time,
             point.measured,
             noise,
             reduction,
             "",
             0,
             0,
             ""};
    double most = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double before = theory.covariance(i, i) * theory.weight(i);
      if (!(before > 0) || less(i) <= most) continue;
      most = less(i);
      known.unknown = unknowns[i].id;
      known.before = std::sqrt(before);
      known.after = std::sqrt(std::max(0.0, before - less(i)));
    }
  }
  std::vector<NextMeasurement> found;
  for (auto& [name, next] : by_quantity)
    if (next.reduction > 0.01) found.push_back(next);
  std::stable_sort(found.begin(), found.end(),
                   [](auto& a, auto& b) { return a.reduction > b.reduction; });
  if (found.size() > most_proposals) found.resize(most_proposals);
  for (NextMeasurement& next : found)
    next.words = next.quantity + (next.measured ? "" : " (not measured so far)") + " at time " +
                 format_short(next.time, 4) +
                 (objective.experiment_count() > 1 ? " of experiment " + next.experiment : "") +
                 ", with an error of " + format_short(next.noise, 3) + ": the standard error of " +
                 next.unknown + " would fall to " +
                 format_short(100 * next.after / next.before, 2) +
                 " % of what it is, and all variances together by " +
                 format_short(100 * next.reduction, 2) + " %";
  return found;
}

}  // namespace stiffit::internal
