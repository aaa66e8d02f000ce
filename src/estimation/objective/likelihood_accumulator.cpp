// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/likelihood_accumulator.h"

#include <cmath>
#include <numbers>

#include "base/number.h"

namespace stiffit::internal {
namespace {

std::string why_not_finite(const ProblemObservable& o, double value, double noise, double time) {
  const std::string when = " at time " + format_number(time);
  if (!std::isfinite(value)) return "observable '" + o.id + "' has no finite value" + when;
  if (!(noise > 0) || std::isinf(noise))
    return "the noise of observable '" + o.id + "' is " + format_number(noise) + when +
           (noise == 0 ? " (a share of nothing; a constant part keeps it above 0)" : "");
  return "observable '" + o.id + "' is " + format_number(value) + when +
         ", but its logarithm is compared";
}

}  // namespace

void LikelihoodAccumulator::note_term(const Measurement& m, const ProblemObservable& o, double time,
                                      ExperimentPoint& point) {
  const Differentiated& d = part_->observable(m.observable);
  std::vector<double> all(d.result_size());
  double* arrays[4] = {&time, point.states.data(), point.parameters.data(), all.data()};
  d.all(arrays);
  OutputTerm term{o.transformation,
                  o.noise_kind,
                  m.censoring,
                  m.value,
                  all[0],
                  all[1],
                  d.size > 2 ? all[2] : not_set,
                  {},
                  {}};
  const double* by_parameter = all.data() + d.size + d.by_state.size();
  const std::vector<int>& slots = part_->placeholders()[m.observable];
  for (int u : *outputs) {
    const int own = part_->unknown_parameter()[u];
    double sums[3] = {0, 0, 0};
    for (std::size_t e = 0; e < d.by_parameter.size(); ++e) {
      bool carries = d.by_parameter[e].column == own;
      for (std::size_t i = 0; i < slots.size() && !carries; ++i)
        carries = d.by_parameter[e].column == slots[i] && m.placeholders[i].parameter >= 0 &&
                  part_->problem_parameter()[m.placeholders[i].parameter] == own;
      if (carries && own >= 0) sums[d.by_parameter[e].row] += by_parameter[e];
    }
    if (sums[0] != 0) term.by_value.emplace_back(u, sums[0]);
    if (sums[1] != 0 || sums[2] != 0) term.by_noise.emplace_back(u, sums[1]);
  }
  terms.push_back(std::move(term));
}

// Placeholders stand among the parameters.
void LikelihoodAccumulator::fill_placeholders(const Measurement& m, ExperimentPoint& point) const {
  const std::size_t columns = local_gradient_.size();
  const std::vector<int>& slots = part_->placeholders()[m.observable];
  for (std::size_t i = 0; i < slots.size(); ++i) {
    const std::size_t at = slots[i];
    const PlaceholderValue& value = m.placeholders[i];
    const int source = value.parameter >= 0 ? part_->problem_parameter()[value.parameter] : -1;
    point.parameters[at] = source >= 0 ? point.parameters[source] : value.number;
    for (std::size_t k = 0; k < columns; ++k)
      point.by_unknown[at * columns + k] = source >= 0 ? point.by_unknown[source * columns + k] : 0;
  }
}

std::string LikelihoodAccumulator::take(int index, double time, ExperimentPoint& point,
                                        double* weights) {
  const FitProblem& problem = part_->problem();
  const Measurement& m = problem.measurements[index];
  const ProblemObservable& o = problem.observables[m.observable];
  const Differentiated& d = part_->observable(m.observable);
  fill_placeholders(m, point);
  result_.resize(derivatives ? d.result_size() : d.size);
  double* arrays[4] = {&time, point.states.data(), point.parameters.data(), result_.data()};
  (derivatives ? d.all : d.values)(arrays);
  const double h = result_[0], noise = result_[1], freedom = d.size > 2 ? result_[2] : not_set;
  predictions[m.row >= 0 ? m.row : index] = {h, noise, freedom};
  double value = m.value;
  Censoring censoring = m.censoring;
  count_ = 1;
  if (draw) {
    const std::size_t row = m.row >= 0 ? m.row : index;
    value = draw->values[row];
    if (!draw->censoring.empty()) censoring = draw->censoring[row];
    if (!draw->counts.empty()) count_ = draw->counts[row];
    if (count_ == 0) return {};
  }
  const LikelihoodTerm term =
      likelihood_term(o.transformation, o.noise_kind, value, h, noise, censoring, freedom);
  if (!std::isfinite(term.llh)) return why_not_finite(o, h, noise, time);
  llh += count_ * term.llh;
  chi2 += count_ * term.residual * term.residual;
  log_noise += count_ * std::log(noise);
  if (o.transformation != Transformation::none)
    log_noise +=
        count_ *
        std::log(value * (o.transformation == Transformation::log10 ? std::numbers::ln10 : 1.0));
  if (residuals_wanted) residuals.push_back(std::sqrt(count_) * term.residual);
  if (outputs) note_term(m, o, time, point);
  if (!derivatives) return {};
  if (!differentiate(d, term, point, weights ? 0 : experiment_->active))
    return "the derivative of observable '" + o.id + "' is not finite at time " +
           format_number(time);
  add_derivatives(d, term, noise, weights);
  if (places_wanted) note_place(m.row >= 0 ? m.row : index);
  return {};
}

void LikelihoodAccumulator::note_place(int row) {
  residual_rows.push_back(row);
  std::vector<int>& by = noise_unknowns.emplace_back();
  // A noise that is a share of the signal has derivatives by all that the signal depends on.
  for (std::size_t k = 0; k < ds_.size(); ++k)
    if ((ds_[k] != 0 || (!df_.empty() && df_[k] != 0)) && dh_[k] == 0)
      by.push_back(experiment_->columns[k]);
}

// Rows of the prediction and its noise. Without the states' derivatives a row of no moving columns
// is asked for. False: they are not finite.
bool LikelihoodAccumulator::differentiate(const Differentiated& d, const LikelihoodTerm& term,
                                          const ExperimentPoint& point, std::size_t active) {
  const std::size_t columns = local_gradient_.size();
  dh_.assign(columns, 0.0);
  ds_.assign(columns, 0.0);
  add_row(d, result_, 0, point, columns, active, dh_.data());
  add_row(d, result_, 1, point, columns, active, ds_.data());
  df_.assign(d.size > 2 ? columns : 0, 0.0);
  if (d.size > 2) add_row(d, result_, 2, point, columns, active, df_.data());
  for (double& x : dh_) x *= term.slope;
  for (std::size_t k = 0; k < columns; ++k)
    if (!std::isfinite(dh_[k]) || !std::isfinite(ds_[k])) return false;
  return true;
}

// The part of estimated degrees of freedom.
void LikelihoodAccumulator::add_freedom(const LikelihoodTerm& term) {
  const std::size_t columns = local_gradient_.size();
  for (std::size_t k = 0; k < columns; ++k) {
    local_gradient_[k] -= count_ * term.by_freedom * df_[k];
    if (!fisher_wanted) continue;
    for (std::size_t l = 0; l < columns; ++l)
      local_fisher_[k * columns + l] +=
          count_ * (term.freedom_information * df_[k] * df_[l] +
                    term.noise_with_freedom * (ds_[k] * df_[l] + df_[k] * ds_[l]));
  }
}

// The chain rule, from the term's derivatives by prediction and noise.
void LikelihoodAccumulator::add_derivatives(const Differentiated& d, const LikelihoodTerm& term,
                                            double noise, double* weights) {
  const std::size_t columns = local_gradient_.size();
  const double by_h = count_ * (unknown_noise ? -term.residual / noise : term.by_prediction);
  const double by_s = count_ * (unknown_noise ? 0 : term.by_noise);
  const double info_h =
      count_ * (unknown_noise ? 1 / (noise * noise) : term.prediction_information);
  const double info_s = count_ * (unknown_noise ? 0 : term.noise_information);
  if (weights)
    for (std::size_t e = 0; e < d.by_state.size(); ++e)
      weights[d.by_state[e].column] -= (d.by_state[e].row == 0   ? by_h * term.slope
                                        : d.by_state[e].row == 1 ? by_s
                                                                 : count_ * term.by_freedom) *
                                       result_[d.size + e];
  const double mixed = unknown_noise ? 0 : count_ * term.prediction_with_noise;
  for (std::size_t k = 0; k < columns; ++k) {
    local_gradient_[k] -= by_h * dh_[k] + by_s * ds_[k];
    if (!fisher_wanted) continue;
    const double a = info_h * dh_[k] + mixed * ds_[k], b = info_s * ds_[k] + mixed * dh_[k];
    if (a == 0 && b == 0) continue;
    double* row = local_fisher_.data() + k * columns;
    for (std::size_t l = 0; l < columns; ++l) row[l] += a * dh_[l] + b * ds_[l];
  }
  if (!df_.empty()) add_freedom(term);
  if (residuals_wanted && fisher_wanted) {
    jacobian.resize(jacobian.size() + unknowns_, 0.0);
    double* row = jacobian.data() + jacobian.size() - unknowns_;
    const double root = std::sqrt(count_);
    for (std::size_t k = 0; k < columns; ++k) row[experiment_->columns[k]] = root * dh_[k] / noise;
  }
}

}  // namespace stiffit::internal
