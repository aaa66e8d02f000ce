// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/next_measurement.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/listed.h"
#include "base/number.h"
#include "estimation/uncertainty/combinations/quantity_profile.h"
#include "estimation/uncertainty/design/design_words.h"
#include "estimation/uncertainty/design/optimal_design.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double worth_it = 1.1;     // narrower limits than this are worth a measurement
constexpr double known_factor = 10;  // what was open is known then if its limits are within it
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// Standard errors of functions of the thetas; infinite where a direction without information takes
// part.
std::vector<double> errors_from(const MatrixXd& fisher, const VectorXd& least_felt, double variance,
                                const std::vector<Interest>& interest) {
  constexpr double no_information = 1e-12, takes_part = 1e-6;
  const Eigen::Index n = fisher.rows();
  VectorXd size(n);
  for (Eigen::Index i = 0; i < n; ++i)
    size(i) = fisher(i, i) > least_felt(i) ? 1 / std::sqrt(fisher(i, i)) : 0;
  const SymmetricEigen eigen(size.asDiagonal() * fisher * size.asDiagonal());
  const double least = no_information * std::max(1.0, eigen.eigenvalues()(n - 1));
  std::vector<double> errors;
  for (const Interest& one : interest) {
    const VectorXd scaled = size.cwiseProduct(one.slopes);
    const VectorXd along = eigen.eigenvectors().transpose() * scaled;
    double sum = 0;
    bool lost = false;
    for (Eigen::Index i = 0; i < n; ++i) lost |= size(i) == 0 && one.slopes(i) != 0;
    for (Eigen::Index k = 0; k < n; ++k)
      if (eigen.eigenvalues()(k) > least)
        sum += along(k) * along(k) / eigen.eigenvalues()(k);
      else
        lost |= along(k) * along(k) > takes_part * scaled.squaredNorm();
    errors.push_back(lost ? std::numeric_limits<double>::infinity() : std::sqrt(variance * sum));
  }
  return errors;
}

VectorXd least_information(const std::vector<EstimatedParameter>& unknowns, double unit) {
  VectorXd least(unknowns.size());
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const double width = unknowns[i].upper - unknowns[i].lower;
    least(static_cast<Eigen::Index>(i)) =
        1e-6 * unit / (std::isfinite(width) ? width * width : 100);
  }
  return least;
}

class Adviser {
 public:
  Adviser(const ProblemObjective& objective, const LocalFit& best, const FitStatistics& s,
          const ObjectiveOptions& options, std::vector<Interest> interest, Candidates candidates)
      : objective_(objective),
        best_(best),
        s_(s),
        options_(options),
        interest_(std::move(interest)),
        candidates_(std::move(candidates)),
        least_felt_(least_information(objective.unknowns(), value_unit(objective, best.at))),
        fisher_(fisher_in(best.at)) {
    before_ = errors_from(fisher_, least_felt_, s_.variance, interest_);
    const Eigen::Index n = fisher_.rows();
    task_.covariance = bounded_covariance(objective.unknowns(), best.at.fisher, s.variance);
    task_.slopes.resize(n, static_cast<Eigen::Index>(candidates_.list.size()));
    for (std::size_t k = 0; k < candidates_.list.size(); ++k) {
      const Candidate& c = candidates_.list[k];
      task_.slopes.col(static_cast<Eigen::Index>(k)) = c.slopes / (c.error * std::sqrt(s.variance));
      task_.repeatable.push_back(std::isinf(c.measurement.time));
    }
    task_.interest.resize(static_cast<Eigen::Index>(interest_.size()), n);
    for (std::size_t i = 0; i < interest_.size(); ++i)
      task_.interest.row(static_cast<Eigen::Index>(i)) = interest_[i].slopes.transpose();
  }

  MeasurementAdvice advise() {
    MeasurementAdvice advice;
    const std::vector<std::string> hopeless = never_determined();
    if (!hopeless.empty())
      advice.nothing = "more measurements of " + listed(quantities()) + " would not determine " +
                       listed(hopeless);
    if (hopeless.size() == interest_.size()) return advice;
    // What nothing determines would only lead the choice astray.
    MatrixXd rows(task_.interest.rows() - static_cast<Eigen::Index>(hopeless.size()),
                  task_.interest.cols());
    Eigen::Index kept = 0;
    for (std::size_t i = 0; i < interest_.size(); ++i)
      if (std::find(hopeless.begin(), hopeless.end(), interest_[i].name) == hopeless.end()) {
        rows.row(kept++) = interest_[i].slopes.transpose();
        advice.interest.push_back(interest_[i].name);
      }
    task_.interest = rows;
    std::vector<std::size_t> last;
    for (std::size_t count : {1, 3, 5}) {
      const std::vector<std::size_t> chosen = optimal_design(task_, count);
      if (chosen.size() < count || chosen == last) break;
      last = chosen;
      MeasurementDesign design;
      if (!check(chosen, design)) continue;
      if (std::any_of(design.gains.begin(), design.gains.end(),
                      [](const DesignGain& g) { return g.matters; }))
        advice.designs.push_back(std::move(design));
    }
    for (MeasurementDesign& d : advice.designs)
      d.words = design_words(d, objective_.experiment_count() > 1);
    return advice;
  }

 private:
  MatrixXd fisher_in(const Evaluation& at) const {
    const auto n = static_cast<Eigen::Index>(objective_.unknowns().size());
    return Eigen::Map<const MatrixXd>(at.fisher.data(), n, n);
  }

  std::vector<std::string> quantities() const {
    std::vector<std::string> names;
    for (const Candidate& c : candidates_.list)
      if (std::find(names.begin(), names.end(), c.point.quantity) == names.end())
        names.push_back(c.point.quantity);
    return names;
  }

  // Not even by all candidates at once.
  std::vector<std::string> never_determined() const {
    const MatrixXd all = fisher_ + s_.variance * task_.slopes * task_.slopes.transpose();
    const std::vector<double> after = errors_from(all, least_felt_, s_.variance, interest_);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < interest_.size(); ++i)
      if (std::isinf(after[i])) names.push_back(interest_[i].name);
    return names;
  }

  // Simulates the design as if it had been measured.
  bool check(const std::vector<std::size_t>& chosen, MeasurementDesign& design) const {
    for (std::size_t k : chosen) design.points.push_back(candidates_.list[k].point);
    const ProblemObjective after(with_design(candidates_, chosen), options_);
    const Evaluation at = after.evaluate(best_.x, Need::fisher);
    if (!at.ok() || at.fisher.size() != best_.at.fisher.size()) return false;
    const std::vector<double> errors =
        errors_from(fisher_in(at), least_felt_, s_.variance, interest_);
    const double quantile = single_quantile(after, s_.level);
    const double former = single_quantile(objective_, s_.level);
    double sum = 0;
    int counted = 0;
    for (std::size_t i = 0; i < interest_.size(); ++i) {
      design.gains.push_back(
          gain_of(interest_[i], before_[i] * std::sqrt(former), errors[i], std::sqrt(quantile)));
      if (!std::isfinite(design.gains.back().factor)) continue;
      sum += std::log(design.gains.back().factor);
      ++counted;
    }
    design.factor = counted > 0 ? std::exp(sum / counted) : no_number;
    return true;
  }

  DesignGain gain_of(const Interest& one, double half_before, double error, double root) const {
    DesignGain gain;
    gain.name = one.name;
    gain.error = error;
    gain.open = one.open || !std::isfinite(half_before);
    gain.factor = no_number;
    gain.limits = {no_number, no_number};
    if (!std::isfinite(error)) return gain;
    const double half = root * error;
    if (!gain.open) gain.factor = half_before / half;
    const double middle = to_theta(one.value, one.scale);
    gain.limits = {from_theta(middle - half, one.scale), from_theta(middle + half, one.scale)};
    const Identifiability grade = grade_of(one.value, gain.limits, one.bounds);
    gain.verdict = grade_words(grade, one.value, gain.limits, one.scale);
    gain.matters =
        gain.open ? factor_of(one.value, gain.limits) <= known_factor : gain.factor >= worth_it;
    return gain;
  }

  const ProblemObjective& objective_;
  const LocalFit& best_;
  const FitStatistics& s_;
  const ObjectiveOptions& options_;
  std::vector<Interest> interest_;
  Candidates candidates_;
  VectorXd least_felt_;
  MatrixXd fisher_;
  std::vector<double> before_;
  DesignTask task_;
};

}  // namespace

MeasurementAdvice next_measurements(const ProblemObjective& objective, const LocalFit& best,
                                    const FitStatistics& s,
                                    const std::vector<DerivedQuantity>& derived,
                                    const AdviceRequest& request, const ObjectiveOptions& options) {
  MeasurementAdvice advice;
  const bool asked = !request.interest.empty() || !request.measurable.empty();
  auto none = [&](const std::string& why) {
    if (asked) advice.messages.push_back("no advice on measurements: " + why);
    return advice;
  };
  if (!best.at_minimum()) return none("the search has not reached a minimum");
  if (!(s.variance > 0) || !std::isfinite(s.variance))
    return none("the size of the noise is not known");
  for (const ParameterStatistics& u : s.each)
    if (u.at_bound != 0 &&
        std::find(request.interest.begin(), request.interest.end(), u.id) != request.interest.end())
      advice.messages.push_back("no advice for " + u.id + ": it is at a bound");
  std::vector<Interest> interest =
      interest_of(request.interest, objective, best, s, request.derived, derived);
  if (interest.empty()) return advice;
  Candidates candidates = design_candidates(objective, best.x, s, request.measurable, options);
  std::vector<std::string> messages = std::move(advice.messages);
  for (const std::string& words : candidates.refused)
    messages.push_back("no measurement of " + words);
  if (!candidates.list.empty())
    advice =
        Adviser(objective, best, s, options, std::move(interest), std::move(candidates)).advise();
  else if (asked && candidates.refused.empty())
    messages.push_back(
        "no advice on measurements: there is nothing to choose from, or too much to compute");
  advice.messages = std::move(messages);
  return advice;
}

}  // namespace stiffit::internal
