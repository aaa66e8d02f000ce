// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/multiple_shooting.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {
namespace {

// Beside a state this is nothing; it keeps the ratio of two zeros finite.
constexpr double nothing = 1e-9;
constexpr double largest = 1e9;
constexpr double noise_share = 0.05;

std::vector<Ref> states_of(const Model& model) {
  auto ruled = [&](Ref ref, RuleKind kind) {
    return std::any_of(model.rules.begin(), model.rules.end(),
                       [&](const Rule& rule) { return rule.kind == kind && rule.target == ref; });
  };
  std::vector<char> reacts(model.species.size(), 0);
  for (const Reaction& reaction : model.reactions)
    for (const auto* side : {&reaction.reactants, &reaction.products})
      for (const SpeciesReference& r : *side) reacts[r.species] = 1;
  std::vector<Ref> states;
  for (std::size_t i = 0; i < model.species.size(); ++i) {
    const Species& s = model.species[i];
    const Ref ref{SymbolKind::species, static_cast<std::int32_t>(i)};
    if (reacts[i] && !s.boundary && !s.constant && !ruled(ref, RuleKind::assignment))
      states.push_back(ref);
  }
  for (const Rule& rule : model.rules)
    if (rule.kind == RuleKind::rate) states.push_back(rule.target);
  return states;
}

bool can_be_cut(const FitProblem& problem) {
  if (!problem.parts.empty() || !problem.model) return false;
  const Model& model = *problem.model;
  if (!model.events.empty()) return false;
  for (const Rule& rule : model.rules)
    if (rule.kind == RuleKind::algebraic) return false;
  for (const Reaction& reaction : model.reactions)
    if (reaction.fast) return false;
  for (std::size_t i = 0; i < model.expressions.size(); ++i)
    if (model.expressions[static_cast<ExprId>(i)].op == Op::delay) return false;
  for (const Experiment& e : problem.experiments)
    if (e.periods.size() != 1 || !std::isfinite(e.periods.front().start)) return false;
  return std::all_of(problem.measurements.begin(), problem.measurements.end(),
                     [](const Measurement& m) { return std::isfinite(m.time); });
}

class Cutter {
 public:
  Cutter(const FitProblem& problem, double gap)
      : problem_(problem), model_(*problem.model), states_(states_of(model_)), gap_(gap) {
    result_.pieces = problem;
    result_.pieces.experiments.clear();
    result_.pieces.measurements.clear();
    result_.cuts = problem;
    result_.cuts.measurements.clear();
    if (problem.unknown_noise) estimate_noise();
    add_observables();
  }

  ShootingProblem run(const std::vector<double>& times) {
    for (std::size_t e = 0; e < problem_.experiments.size(); ++e) cut(e, times);
    int row = 0;
    for (Measurement& m : result_.pieces.measurements) m.row = row++;
    row = 0;
    for (Measurement& m : result_.cuts.measurements) m.row = row++;
    auto model = std::make_shared<const Model>(std::move(model_));
    result_.pieces.model = model;
    result_.cuts.model = model;
    result_.added = result_.pieces.parameters.size() - problem_.parameters.size();
    return std::move(result_);
  }

 private:
  int add_formula(std::string id, ExprId value) {
    model_.observables.push_back({std::move(id), value, {}});
    return static_cast<int>(model_.observables.size() - 1);
  }

  Ref add_parameter(std::string id, double value) {
    Parameter parameter;
    parameter.id = std::move(id);
    parameter.value = value;
    model_.parameters.push_back(std::move(parameter));
    return {SymbolKind::parameter, static_cast<std::int32_t>(model_.parameters.size() - 1)};
  }

  // Gaps and residuals need a common measure: errors that nobody gave are taken as a share of the
  // data's range.
  void estimate_noise() {
    result_.pieces.unknown_noise = false;
    for (std::size_t o = 0; o < problem_.observables.size(); ++o) {
      double low = INFINITY, high = -INFINITY;
      for (const Measurement& m : problem_.measurements)
        if (m.observable == static_cast<int>(o) && std::isfinite(m.value)) {
          low = std::min(low, m.value);
          high = std::max(high, m.value);
        }
      const double noise = high > low ? noise_share * (high - low) : 1;
      ProblemObservable& observable = result_.pieces.observables[o];
      observable.noise =
          add_formula("gap(noise of " + observable.id + ")", model_.expressions.number(noise));
    }
  }

  // Per state: what it is, and what it is beside the beginning of the next piece.
  void add_observables() {
    Expressions& x = model_.expressions;
    const int one = add_formula("gap(noise of states)", x.number(1));
    const int noise = add_formula("gap(noise)", x.number(gap_));
    first_ = static_cast<int>(problem_.observables.size());
    for (Ref state : states_) {
      const std::string id = model_.id_of(state);
      const Ref next = add_parameter("gap(next " + id + ")", 1);
      const ExprId shift = x.number(nothing);
      const ExprId ratio = x.apply(Op::div, x.apply(Op::add, x.symbol(state), shift),
                                   x.apply(Op::add, x.symbol(next), shift));
      ProblemObservable value;
      value.id = "gap(" + id + ")";
      value.formula = add_formula(value.id, x.symbol(state));
      value.noise = one;
      result_.cuts.observables.push_back(value);
      ProblemObservable across = value;
      across.id = "gap(ratio of " + id + ")";
      across.formula = add_formula(across.id, ratio);
      across.noise = noise;
      across.transformation = Transformation::log;
      across.placeholders = {model_.id_of(next)};
      result_.pieces.observables.push_back(across);
    }
  }

  void cut(std::size_t e, const std::vector<double>& times) {
    const Experiment& whole = problem_.experiments[e];
    std::vector<Measurement> own;
    for (const Measurement& m : problem_.measurements)
      if (m.experiment == static_cast<int>(e)) own.push_back(m);
    double last = -INFINITY;
    for (const Measurement& m : own) last = std::max(last, m.time);
    std::vector<double> starts{whole.periods.front().start};
    for (double time : times)
      if (time > starts.back() && time < last) starts.push_back(time);
    Experiment piece = whole;
    for (std::size_t k = 0; k < starts.size(); ++k) {
      const auto index = static_cast<int>(result_.pieces.experiments.size());
      result_.pieces.experiments.push_back(piece);
      const double end = k + 1 < starts.size() ? starts[k + 1] : INFINITY;
      for (Measurement m : own) {
        if (k > 0 && m.time < starts[k]) continue;
        if (m.time >= end) continue;
        m.experiment = index;
        result_.pieces.measurements.push_back(std::move(m));
      }
      if (k + 1 < starts.size()) piece = next_piece(whole, index, static_cast<int>(e), end);
    }
  }

  Experiment next_piece(const Experiment& whole, int before, int experiment, double time) {
    Experiment piece = whole;
    const std::string name = whole.id + " from " + std::to_string(time);
    piece.id = name;
    Period& period = piece.periods.front();
    period.start = time;
    for (std::size_t s = 0; s < states_.size(); ++s) {
      ProblemParameter p;
      p.id = "gap(" + model_.id_of(states_[s]) + " of " + name + ")";
      p.scale = Scale::log10;
      p.lower = nothing;
      p.upper = largest;
      p.nominal = 1;
      const Ref unknown = add_parameter(p.id, 1);
      const auto index = static_cast<int>(result_.pieces.parameters.size());
      result_.pieces.parameters.push_back(std::move(p));
      std::erase_if(period.assignments, [&](auto& a) { return a.target == states_[s]; });
      period.assignments.push_back({states_[s], model_.expressions.symbol(unknown), {}});
      Measurement m;
      m.observable = first_ + static_cast<int>(s);
      m.experiment = before;
      m.time = time;
      m.value = 1;
      m.placeholders = {{index, not_set}};
      result_.pieces.measurements.push_back(m);
      m.experiment = experiment;
      m.placeholders.clear();
      result_.cuts.measurements.push_back(std::move(m));
    }
    return piece;
  }

  const FitProblem& problem_;
  Model model_;
  std::vector<Ref> states_;
  double gap_;
  int first_ = 0;
  ShootingProblem result_;
};

}  // namespace

std::optional<ShootingProblem> cut_into_pieces(const FitProblem& problem,
                                               const std::vector<double>& times, double gap) {
  if (!can_be_cut(problem)) return std::nullopt;
  ShootingProblem result = Cutter(problem, gap).run(times);
  if (result.added == 0) return std::nullopt;
  return result;
}

}  // namespace stiffit::internal
