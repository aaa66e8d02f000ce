// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/adequacy.h"

#include <Eigen/Core>
#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>

#include "base/listed.h"
#include "base/number.h"
#include "estimation/objective/likelihood.h"
#include "estimation/uncertainty/difference_derivatives.h"
#include "estimation/uncertainty/noise_ranks.h"
#include "estimation/uncertainty/residual_layout.h"
#include "estimation/uncertainty/statistics.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double exact_data = 1e-6;  // residuals beside the range of the data, below which they
                                     // are of rounding and of the integrations, not of noise
constexpr double rank_tolerance = 1e-9;

// The directions in which a fit can follow noise: columns, orthonormal over data and priors.
MatrixXd fitted_directions(const ResidualDerivatives& d, const LocalFit& fit,
                           const FitStatistics& s, Eigen::Index n) {
  const Eigen::Index all = static_cast<Eigen::Index>(fit.x.size()), m = s.free.size();
  const bool least_squares = fit.at.fisher.size() == fit.x.size() * fit.x.size();
  MatrixXd a = MatrixXd::Zero(n + m, m);
  for (Eigen::Index c = 0; c < m; ++c) {
    const Eigen::Index u = s.free[c];
    double information = 0;
    for (Eigen::Index k = 0; k < n; ++k) {
      a(k, c) = d.jacobian[k * all + u];
      information += a(k, c) * a(k, c);
    }
    // What the data do not say a prior does.
    const double prior = least_squares ? fit.at.fisher[u * all + u] - information : 0;
    if (prior > 1e-9 * information && information > 0) a(n + c, c) = std::sqrt(prior);
    const double size = a.col(c).norm();
    if (size > 0) a.col(c) /= size;
  }
  if (m == 0) return MatrixXd::Zero(n + m, 0);
  const SingularValues v = thin_left_singular_values(a);
  Eigen::Index rank = 0;
  while (rank < v.values.size() && v.values(rank) > rank_tolerance * v.values(0)) ++rank;
  return v.left.leftCols(rank);
}

std::string p_words(double p) { return p < 1e-3 ? "p < 0.001" : "p = " + format_short(p, 2); }

// What a test has seen, as a clause.
std::string seen(const AdequacyTest& t, double freedom, bool all_known) {
  const std::string of = t.observable.empty() ? "" : " of " + t.observable;
  if (t.test == residual_test_name(ResidualTest::spread)) {
    std::string text = "chi-square" + of + " is " + format_short(t.statistic, 4);
    if (all_known && t.observable.empty())
      text += " where about " + format_short(freedom, 3) + " is expected";
    return text;
  }
  if (t.test == residual_test_name(ResidualTest::lack_of_fit))
    return "replicates" + of + " agree with each other far better than with the model";
  if (t.test == residual_test_name(ResidualTest::serial))
    return "neighbouring residuals" + of + " deviate to the same side (autocorrelation " +
           format_short(t.statistic, 2) + ")";
  if (t.test == residual_test_name(ResidualTest::drift))
    return "residuals" + of + " deviate to one side over long stretches";
  return "residuals" + of + " change their sign only " + format_short(-t.statistic, 6) + " times";
}

struct Sums {
  double residual = 0, total = 0;
  int data = 0;
};

Sums sums_of(const MeasuredLayout& data, const std::vector<double>& residuals, int observable) {
  Sums s;
  double mean = 0, weight = 0;
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    if (observable >= 0 && data.layout.observable[k] != observable) continue;
    const double w = 1 / (data.noise[k] * data.noise[k]);
    mean += w * data.measured[k];
    weight += w;
  }
  mean /= weight;
  for (std::size_t k = 0; k < residuals.size(); ++k) {
    if (observable >= 0 && data.layout.observable[k] != observable) continue;
    s.residual += residuals[k] * residuals[k];
    const double apart = (data.measured[k] - mean) / data.noise[k];
    s.total += apart * apart;
    ++s.data;
  }
  return s;
}

double r_squared(const Sums& s) { return s.total > 0 ? 1 - s.residual / s.total : nan_value; }

void add_criteria(Adequacy& a, const LocalFit& fit, const FitStatistics& s) {
  const double n = s.data;
  const double k = static_cast<double>(fit.x.size()) + (s.unknown_noise ? 1 : 0);
  a.aic = -2 * fit.at.llh + 2 * k;
  a.aicc = n - k - 1 > 0 ? a.aic + 2 * k * (k + 1) / (n - k - 1) : nan_value;
  a.bic = -2 * fit.at.llh + k * std::log(n);
}

// The same of answers along the data, whose curves are no more accurate, and of models that are
// differentiated by differences.
constexpr double exact_answer = 1e-4;

bool only_rounding(const MeasuredLayout& data, const std::vector<double>& residuals,
                   double beside) {
  for (int o = 0; o < data.layout.observables; ++o) {
    double low = INFINITY, high = -INFINITY, largest = 0;
    for (std::size_t k = 0; k < residuals.size(); ++k) {
      if (data.layout.observable[k] != o) continue;
      low = std::min(low, data.measured[k]);
      high = std::max(high, data.measured[k]);
      largest = std::max(largest, std::abs(residuals[k]) * data.noise[k]);
    }
    const double range = high > low ? high - low : std::abs(high);
    if (largest > beside * range) return false;
  }
  return true;
}

std::string scatter_words(const MeasuredLayout& data, double s) {
  const double near = neighbour_scatter(data, -1);
  if (!(near > 0) || !(s > 2 * near)) return "";
  return "; neighbouring points scatter by about " + format_short(near, 2) + ", the residuals by " +
         format_short(s, 2);
}

// Values that are known to lie beyond a limit, by the probability that noise brings the prediction
// there. One of several by chance is allowed for.
struct LimitTest {
  int count = 0;
  double p_value = 1;
  std::string words;
};

LimitTest test_limits(const FitProblem& problem, const ResidualDerivatives& derivatives) {
  LimitTest test;
  double least = 1;
  auto add = [&](const FitProblem& part) {
    for (std::size_t i = 0; i < part.measurements.size(); ++i) {
      const Measurement& m = part.measurements[i];
      if (m.censoring == Censoring::none) continue;
      ++test.count;
      const ProblemObservable& o = part.observables[m.observable];
      const Prediction& p = derivatives.predictions[m.row >= 0 ? m.row : i];
      const bool below = m.censoring == Censoring::below;
      const double z = (below ? m.value - p.value : p.value - m.value) / p.noise;
      const double chance = noise_cdf(o.noise_kind, z, p.freedom);
      if (chance >= least) continue;
      least = chance;
      test.words = o.id + " at time " + format_short(m.time, 6) + " is " +
                   (below ? "below " : "above ") + format_short(m.value, 4) +
                   ", and the model says " + format_short(p.value, 4);
    }
  };
  if (problem.model) add(problem);
  for (const FitProblem& part : problem.parts) add(part);
  test.p_value = std::min(1.0, test.count * least);
  return test;
}

// The problem and its residuals without them, its rows counted anew.
FitProblem without_limits(const FitProblem& problem, ResidualDerivatives& d) {
  const std::size_t n = d.predictions.size(), columns = n > 0 ? d.jacobian.size() / n : 0;
  std::vector<char> kept(n, 1);
  FitProblem result = problem;
  auto take_out = [&](FitProblem& part) {
    for (std::size_t i = 0; i < part.measurements.size(); ++i) {
      Measurement& m = part.measurements[i];
      if (m.row < 0) m.row = static_cast<int>(i);
      if (m.censoring != Censoring::none) kept[m.row] = 0;
    }
    std::erase_if(part.measurements,
                  [](const Measurement& m) { return m.censoring != Censoring::none; });
  };
  take_out(result);
  for (FitProblem& part : result.parts) take_out(part);
  std::vector<int> now(n, -1);
  int rows = 0;
  for (std::size_t row = 0; row < n; ++row) {
    if (!kept[row]) continue;
    const std::size_t to = rows;
    now[row] = rows++;
    d.predictions[to] = d.predictions[row];
    d.residual[to] = d.residual[row];
    d.noise_unknowns[to] = d.noise_unknowns[row];
    std::copy_n(d.jacobian.begin() + static_cast<std::ptrdiff_t>(row * columns), columns,
                d.jacobian.begin() + static_cast<std::ptrdiff_t>(to * columns));
  }
  d.predictions.resize(rows);
  d.residual.resize(rows);
  d.noise_unknowns.resize(rows);
  d.jacobian.resize(rows * columns);
  for (Measurement& m : result.measurements) m.row = now[m.row];
  for (FitProblem& part : result.parts)
    for (Measurement& m : part.measurements) m.row = now[m.row];
  return result;
}

void add_limit_test(Adequacy& a, const LimitTest& limits) {
  a.tests.push_back({"limits", "", static_cast<double>(limits.count), limits.p_value});
  a.p_value = std::min(1.0, 2 * std::min(a.p_value, limits.p_value));
  a.accepted = a.p_value >= adequacy_level;
}

class Judgement {
 public:
  Judgement(Adequacy& a, const MeasuredLayout& data, const ResidualTests& tests, NoiseRanks ranks,
            std::vector<double> values, double freedom, bool least_squares)
      : a_(a),
        data_(data),
        tests_(tests),
        ranks_(std::move(ranks)),
        values_(std::move(values)),
        freedom_(freedom),
        least_squares_(least_squares) {}

  void judge() {
    for (std::size_t j = 0; j < values_.size(); ++j) add_test(j);
    std::vector<Eigen::Index> all(values_.size());
    for (std::size_t j = 0; j < all.size(); ++j) all[j] = j;
    a_.p_value = joint(all);
    a_.accepted = a_.p_value >= adequacy_level;
    for (std::size_t o = 0; o < a_.observables.size(); ++o) judge_observable(o);
  }

 private:
  bool all_known() const {
    return data_.layout.noise_groups == 0 &&
           std::all_of(data_.kinds.begin(), data_.kinds.end(),
                       [](NoiseKind kind) { return kind == NoiseKind::normal; });
  }

  void add_test(std::size_t j) {
    const AppliedTest& t = tests_.tests()[j];
    AdequacyTest test;
    test.test = residual_test_name(t.test);
    if (t.observable >= 0) test.observable = data_.observables[t.observable];
    test.statistic = values_[j];
    test.p_value = ranks_.p_value(j, values_[j]);
    // Ranks end where there are no more draws; the distribution goes on.
    if (t.test == ResidualTest::spread && t.observable < 0 && all_known() && freedom_ > 0 &&
        least_squares_)
      test.p_value = boost::math::cdf(
          boost::math::complement(boost::math::chi_squared(freedom_), std::max(0.0, values_[j])));
    a_.tests.push_back(std::move(test));
  }

  double joint(const std::vector<Eigen::Index>& tests) const {
    if (tests.empty()) return nan_value;
    double p = ranks_.joint(tests, values_);
    for (Eigen::Index j : tests)
      p = std::min(p, static_cast<double>(tests.size()) * a_.tests[j].p_value);
    return p;
  }

  void judge_observable(std::size_t o) {
    ObservableAdequacy& one = a_.observables[o];
    std::vector<Eigen::Index> own;
    for (std::size_t j = 0; j < a_.tests.size(); ++j)
      if (a_.observables.size() == 1 || a_.tests[j].observable == one.observable) own.push_back(j);
    one.p_value = joint(own);
    // Several observables: each alone would be doubted by chance now and then.
    one.accepted = !(one.p_value < adequacy_level / static_cast<double>(a_.observables.size()));
    if (!one.accepted) one.words = reason(own);
  }

 public:
  // What the tests with the smallest p-values have seen.
  std::string reason(const std::vector<Eigen::Index>& among) const {
    std::vector<Eigen::Index> order = among;
    std::stable_sort(order.begin(), order.end(), [&](Eigen::Index x, Eigen::Index y) {
      return a_.tests[x].p_value < a_.tests[y].p_value;
    });
    std::vector<std::string> clauses;
    for (Eigen::Index j : order)
      if (clauses.size() < 2 && a_.tests[j].p_value < adequacy_level)
        clauses.push_back(seen(a_.tests[j], freedom_, all_known()));
    return clauses.empty() ? "its residuals are not like noise" : listed(clauses);
  }

 private:
  Adequacy& a_;
  const MeasuredLayout& data_;
  const ResidualTests& tests_;
  NoiseRanks ranks_;
  std::vector<double> values_;
  double freedom_;
  bool least_squares_;
};

// Where noise goes that a fit follows: theta times `share` of it, which moves the residuals along
// `directions`.
struct FollowedNoise {
  MatrixXd directions, share;
  double freedom = 0;  // the mean sum of squares of what is left
};

FollowedNoise of_least_squares(const ResidualDerivatives& d, const LocalFit& fit,
                               const FitStatistics& s, Eigen::Index n) {
  FollowedNoise f;
  f.directions = fitted_directions(d, fit, s, n);
  f.share = f.directions.transpose();
  f.freedom = static_cast<double>(n) - f.directions.topRows(n).squaredNorm();
  return f;
}

FollowedNoise of_answer(const ResidualDerivatives& d, const MatrixXd& by_measurement,
                        const MeasuredLayout& data, Eigen::Index n) {
  const Eigen::Index all = by_measurement.rows();
  FollowedNoise f;
  f.directions.resize(n, all);
  f.share = by_measurement;
  for (Eigen::Index k = 0; k < n; ++k) {
    for (Eigen::Index u = 0; u < all; ++u) f.directions(k, u) = d.jacobian[k * all + u];
    f.share.col(k) *= data.noise[k];
  }
  const MatrixXd inner = f.directions.transpose() * f.directions;
  f.freedom = static_cast<double>(n) - 2 * (f.share * f.directions).trace() +
              (inner * f.share * f.share.transpose()).trace();
  return f;
}

// However few the data: an answer that explains less than their mean does, or leaves far more than
// neighbours differ by, describes nothing.
std::string far_off(const Adequacy& a, const MeasuredLayout& data, bool unknown_noise) {
  if (a.r2 < 0)
    return "the mean of the data alone would be nearer to them (R2 = " + format_short(a.r2, 2) +
           ")";
  constexpr double far = 3;
  const double near = neighbour_scatter(data, -1);
  return unknown_noise && near > 0 && a.s > far * near
             ? "it misses them by " + format_short(a.s, 2) + ", neighbouring points scatter by " +
                   format_short(near, 2)
             : "";
}

const std::string does_not = "does not describe these data: ";

// Says of an answer that is far off that it is, tested or not.
Adequacy held_far_off(Adequacy a, const MeasuredLayout& data, bool unknown_noise) {
  if (!a.accepted) return a;
  const std::string words = far_off(a, data, unknown_noise);
  if (words.empty()) return a;
  a.untested.clear();
  a.accepted = false;
  a.p_value = 0;
  a.words = "with these values the model " + does_not + words;
  return a;
}

}  // namespace

Adequacy assess_adequacy(const ProblemObjective& objective, const LocalFit& fit,
                         const FitStatistics& statistics, std::uint64_t seed,
                         const MatrixXd* followed) {
  Adequacy a;
  add_criteria(a, fit, statistics);
  std::string failure;
  ResidualDerivatives derivatives = objective.residual_derivatives(fit.x, failure);
  if (!failure.empty()) derivatives = difference_derivatives(objective, fit.x, failure);
  if (!failure.empty()) {
    a.untested = "the residuals could not be computed: " + failure;
    return a;
  }
  const LimitTest limits = test_limits(objective.problem(), derivatives);
  a.limits = limits.count;
  const FitProblem tested =
      a.limits > 0 ? without_limits(objective.problem(), derivatives) : objective.problem();
  const MeasuredLayout data = measured_layout(tested, objective.unknown_noise(), derivatives);
  const std::vector<double>& residuals = derivatives.residual;
  const Sums sums = sums_of(data, residuals, -1);
  a.r2 = r_squared(sums);
  double freedom = statistics.data - a.limits - statistics.unknowns;
  for (int i : statistics.free) freedom += statistics.each[i].noise ? 1 : 0;
  a.s = freedom > 0 ? std::sqrt(sums.residual / freedom) : nan_value;
  for (std::size_t o = 0; o < data.observables.size(); ++o) {
    const Sums own = sums_of(data, residuals, static_cast<int>(o));
    ObservableAdequacy one;
    one.observable = data.observables[o];
    one.data = own.data;
    one.s = std::sqrt(own.residual / own.data);
    one.r2 = r_squared(own);
    a.observables.push_back(std::move(one));
  }
  const bool rough = followed || !objective.no_derivatives().empty();
  auto as_it_is = [&](const std::string& why) {
    a.untested = why;
    return followed ? held_far_off(a, data, objective.unknown_noise()) : a;
  };
  if (statistics.data - a.limits <= statistics.unknowns)
    return as_it_is("there are no more data than estimated parameters");
  if ((objective.unknown_noise() || statistics.estimated_noise) &&
      only_rounding(data, residuals, rough ? exact_answer : exact_data))
    return as_it_is("the residuals are no larger than what rounding and the integrations leave");
  const ResidualTests tests(data.layout);
  if (tests.tests().empty())
    return as_it_is("the noise is not known, and there are no replicates and no series");
  const Eigen::Index n = residuals.size();
  const FollowedNoise noise = followed ? of_answer(derivatives, *followed, data, n)
                                       : of_least_squares(derivatives, fit, statistics, n);
  NoiseRanks ranks(
      tests_of_noise(tests, noise.directions, noise.share, data.kinds, data.freedom, seed));
  std::vector<double> counted = residuals;
  for (std::size_t k = 0; k < counted.size(); ++k)
    counted[k] = tested_residual(counted[k], data.kinds[k], data.freedom[k]);
  Judgement judgement(a, data, tests, std::move(ranks), tests.statistics(counted), noise.freedom,
                      !followed);
  judgement.judge();
  if (a.limits > 0) add_limit_test(a, limits);
  if (a.accepted) {
    a.words = "the data give no reason to doubt the model (" + p_words(a.p_value) + ")";
    return followed ? held_far_off(a, data, objective.unknown_noise()) : a;
  }
  std::vector<Eigen::Index> all(a.tests.size());
  for (std::size_t j = 0; j < all.size(); ++j) all[j] = j;
  const bool by_limits = a.limits > 0 && limits.p_value < adequacy_level;
  a.words = (followed ? "with these values the model " : "the model ") + does_not +
            (by_limits ? limits.words : judgement.reason(all)) + " (" + p_words(a.p_value) + ")" +
            (objective.unknown_noise() ? scatter_words(data, a.s) : "");
  return a;
}

}  // namespace stiffit::internal
