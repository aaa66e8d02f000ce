// SPDX-License-Identifier: Apache-2.0
#include "estimation/direct/linear_statistics.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "base/number.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Only what the statistics ask: unknowns, and that the noise is a known one (its size is in the
// covariance already).
class SolvedObjective final : public Objective {
 public:
  SolvedObjective(const std::vector<EstimatedParameter>& unknowns, Index data)
      : unknowns_(unknowns), data_(static_cast<int>(data)) {}
  const std::vector<EstimatedParameter>& unknowns() const override { return unknowns_; }
  int data_count() const override { return data_; }
  bool least_squares() const override { return false; }
  Evaluation evaluate(std::span<const double>, Need) const override { return {}; }

 private:
  const std::vector<EstimatedParameter>& unknowns_;
  int data_;
};

}  // namespace

MatrixXd information_of(const LinearFitResult& r) {
  const Index n = r.covariance.rows();
  // Errors of nothing at all (exact data) would be infinite information.
  VectorXd scale(n);
  for (Index i = 0; i < n; ++i)
    scale(i) = std::max(std::sqrt(std::max(r.covariance(i, i), 0.0)),
                        1e-14 * std::max(std::abs(r.values(i)), 1e-300));
  const MatrixXd scaled =
      scale.cwiseInverse().asDiagonal() * r.covariance * scale.cwiseInverse().asDiagonal();
  const SymmetricEigen eigen(scaled);
  MatrixXd sum = MatrixXd::Zero(n, n);
  const Index lost = std::min<Index>(r.null_space.cols(), n);
  for (Index k = lost; k < n; ++k)
    sum += eigen.eigenvectors().col(k) * eigen.eigenvectors().col(k).transpose() /
           std::max(eigen.eigenvalues()(k), 1e-15);
  MatrixXd f = scale.cwiseInverse().asDiagonal() * sum * scale.cwiseInverse().asDiagonal();
  // Nothing is known along what the data do not determine.
  if (r.null_space.cols() > 0) {
    MatrixXd q = scale.cwiseInverse().asDiagonal() * r.null_space;
    const PivotedQr qr(q);
    const MatrixXd basis = qr.basis(qr.rank());
    const MatrixXd keep = MatrixXd::Identity(n, n) - basis * basis.transpose();
    f = scale.cwiseInverse().asDiagonal() * (keep * sum * keep) * scale.cwiseInverse().asDiagonal();
  }
  return f;
}

namespace {

// How a combination of two unknowns is written: "k2 + 0.03 k_2".
std::string pair_words(const std::string& one, double factor, const std::string& other) {
  const std::string size = format_short(std::abs(factor), 3);
  return one + (factor < 0 ? " - " : " + ") + (size == "1" ? "" : size + " ") + other;
}

// "k2 + 0.03 k_2 = 0.2 is determined within +- 0.001", if an unknown that is not determined moves
// with one other. What changes along a direction without effect is not determined.
std::string combination(const FitStatistics& s, const LinearFitResult& r,
                        const std::vector<int>& at, Index own, double quantile,
                        std::string& partner) {
  auto said = [&](Index best, double factor) -> std::string {
    VectorXd form = VectorXd::Zero(r.values.size());
    const Index first = std::min(best, own), second = std::max(best, own);
    form(first) = 1;
    form(second) = first == best ? factor : 1 / factor;
    if (r.null_space.cols() > 0) {
      const VectorXd felt = r.null_space.transpose() * form;
      if (felt.cwiseAbs().maxCoeff() > 1e-6 * form.norm()) return "";
    }
    const double value = form.dot(r.values);
    const double half = quantile * std::sqrt(std::max(form.dot(r.covariance * form), 0.0));
    if (!(half < std::abs(value)) || !(half > 0)) return "";
    partner = s.each[at[best]].id;
    return pair_words(s.each[at[first]].id, form(second), s.each[at[second]].id) + " = " +
           format_short(value, 4) + " is determined, within +- " + format_short(half, 2);
  };
  // A direction of no effect that moves two unknowns: what it leaves as it is.
  for (Index k = 0; k < r.null_space.cols(); ++k) {
    const VectorXd v = r.null_space.col(k);
    for (Index j = 0; j < v.size(); ++j)
      if (j != own && std::abs(v(j)) > 1e-6 && std::abs(v(own)) > 1e-6)
        if (std::string words = said(j, -v(j) / v(own)); !words.empty()) return words;
  }
  const double variance = r.covariance(own, own);
  if (r.null_space.cols() > 0 || !(variance > 0) || !std::isfinite(variance)) return "";
  Index best = -1;
  double most = 0.9;
  for (Index j = 0; j < r.values.size(); ++j) {
    if (j == own || !(r.covariance(j, j) > 0)) continue;
    const double c = std::abs(r.covariance(own, j)) / std::sqrt(variance * r.covariance(j, j));
    if (c > most) {
      most = c;
      best = j;
    }
  }
  return best < 0 ? "" : said(best, -r.covariance(own, best) / variance);
}

double draw_at(std::vector<double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

constexpr Index enough_draws = 100;  // for their quantiles

// Limits of one unknown: from the drawn answers where there are enough.
Limits limits_of(const ParameterStatistics& u, const LinearFitResult& r, const LinearAnswer& answer,
                 Index own, double level, double quantile, double widened) {
  const double least = 1e-6 * std::abs(u.value);  // what simulations are accurate to
  const double half = std::max(widened * u.free_single, least);
  const SimulatedCorrection* c = answer.simulated;
  if (!c || c->draws.cols() < enough_draws || !std::isfinite(half) || !r.at_zero.empty())
    return {u.value - half, u.value + half};
  std::vector<double> off(c->draws.row(own).begin(), c->draws.row(own).end());
  std::sort(off.begin(), off.end());
  const double tail = (1 - level) / 2;
  // The last few draws alone would tell the tails: no nearer than those of a normal scatter like
  // the middle of them.
  const double middle = (draw_at(off, 0.8413) - draw_at(off, 0.1587)) / 2;
  const double normal = std::max(widened * quantile * middle, least);
  return {u.value - std::max(widened * draw_at(off, 1 - tail), normal),
          u.value - std::min(widened * draw_at(off, tail), -normal)};
}

// What the limits say of one unknown.
void judge_linear(ParameterStatistics& u, bool not_negative) {
  if (u.limits.low <= 0 && u.limits.high >= 0 && not_negative) {
    u.identifiability = Identifiability::one_sided;
    u.verdict = "one-sided: at most " + format_short(u.limits.high, 4);
    u.limits.low = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  if (u.limits.low <= 0 && u.limits.high >= 0) {
    u.identifiability = Identifiability::poorly_determined;
    u.verdict = range_words(u.identifiability, u.value, u.limits);
    return;
  }
  EstimatedParameter open;
  open.scale = Scale::lin;
  open.lower = -std::numeric_limits<double>::infinity();
  open.upper = std::numeric_limits<double>::infinity();
  u.identifiability = grade_of(u.value, u.limits, open);
  u.verdict = grade_words(u.identifiability, u.value, u.limits, u.scale);
  if (not_negative && u.limits.high < 0) u.verdict += "; it is below zero, where no rate can be";
}

}  // namespace

FitStatistics linear_statistics(const std::vector<EstimatedParameter>& unknowns,
                                const LocalFit& fit, const LinearFitResult& r,
                                const LinearAnswer& answer) {
  const std::vector<int>& at = answer.at;
  const std::size_t n = unknowns.size();
  LocalFit solved = fit;
  solved.at.gradient.assign(n, 0);
  solved.at.fisher.assign(n * n, 0);
  // What is held at zero is as uncertain as if it were not.
  std::vector<EstimatedParameter> open = unknowns;
  for (EstimatedParameter& u : open) u.lower = -std::numeric_limits<double>::infinity();
  const MatrixXd f = information_of(r);
  for (std::size_t i = 0; i < at.size(); ++i)
    for (std::size_t j = 0; j < at.size(); ++j) solved.at.fisher[at[i] * n + at[j]] = f(i, j);
  FitStatistics s = fit_statistics(SolvedObjective(open, r.by_measurement.cols()), solved);
  s.combinations.clear();  // products; what the rows tell are sums
  const double quantile = std::sqrt(s.single_quantile);
  const bool given = std::any_of(r.noise.begin(), r.noise.end(), [](auto& x) { return x.given; });
  // Noise that was estimated is not known exactly.
  const int freedom = s.data - static_cast<int>(at.size());
  double widened = 1;
  if (!given && freedom > 0)
    widened = boost::math::quantile(boost::math::students_t(freedom), 0.5 + s.level / 2) / quantile;
  for (std::size_t i = 0; i < at.size(); ++i) {
    ParameterStatistics& u = s.each[at[i]];
    const Index own = i;
    const double practical = quantile * r.in_practice(own);
    const bool lost = !std::isfinite(u.free_single);
    u.limits = limits_of(u, r, answer, own, s.level, quantile, widened);
    if (answer.simulated) u.limits_by = "bootstrap";
    const bool open_sign = lost || (u.limits.low <= 0 && u.limits.high >= 0);
    const bool hopeless = !given && practical >= std::abs(u.value) && !open_sign;
    u.with.clear();
    if (!lost && !hopeless) {
      u.free_single_limits = u.limits;
      judge_linear(u, answer.not_negative[i] != 0);
      if (answer.discretisation(own) > u.free_single && has_both_limits(u.identifiability))
        s.notes.push_back("the trapezoidal rule alone makes " + u.id + " wrong by about " +
                          format_short(answer.discretisation(own), 2) +
                          "; --quadrature cubic does not");
      if (!open_sign) continue;
    } else {
      u.identifiability = Identifiability::not_determined;
      u.limits = {std::numeric_limits<double>::quiet_NaN(),
                  std::numeric_limits<double>::quiet_NaN()};
      u.verdict = "not determined by these data";
      if (hopeless)
        u.verdict +=
            " in practice: errors of 0.1 % of their range make it +- " + format_short(practical, 3);
    }
    std::string partner;
    const std::string words = combination(s, r, at, own, quantile, partner);
    if (words.empty()) continue;
    u.with = {partner};
    if (std::find(s.undetermined.begin(), s.undetermined.end(), words) == s.undetermined.end())
      s.undetermined.push_back(words);
  }
  return s;
}

void withhold_verdicts(FitStatistics& s) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (ParameterStatistics& u : s.each) {
    u.identifiability = Identifiability::not_judged;
    u.with.clear();
    u.limits = {none, none};
    u.verdict = "not judged: the answer does not describe these data";
  }
  s.combinations.clear();
  s.undetermined.clear();
}

}  // namespace stiffit::internal
