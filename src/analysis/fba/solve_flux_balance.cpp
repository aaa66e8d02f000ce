// SPDX-License-Identifier: Apache-2.0
#include "analysis/fba/solve_flux_balance.h"

#include <lpsolve/lp_lib.h>

#include <cmath>

#include "base/diagnostic.h"
#include "base/interrupt.h"
#include "symbolic/system.h"

namespace stiffit::internal {

namespace {

// The number a parameter has at the start.
class StartValues {
 public:
  explicit StartValues(const std::shared_ptr<const Model>& model)
      : model_(*model), resolved_(resolve(model)) {}
  double of(std::int32_t parameter) {
    auto output = resolved_.find(model_.parameters[parameter].id);
    if (!output) return not_set;
    return value(output->node);
  }

 private:
  double value(NodeId node) {
    const System& s = resolved_.system;
    return s.graph.value(node, [&](Leaf kind, int index) {
      std::size_t i = index;
      if (kind == Leaf::time) return s.start_time;
      if (kind == Leaf::state) return value(s.initial[i]);
      return i < s.parameters.size() ? s.parameters[i].value : not_set;
    });
  }

  const Model& model_;
  ResolvedSystem resolved_;
};

// Fluxes are columns 1..n of lp_solve's table.
class Programme {
 public:
  Programme(const Model& model, StartValues& values)
      : model_(model), values_(values), lp_(make_lp(0, count()), delete_lp) {
    if (!lp_) throw std::bad_alloc();
    set_verbose(lp_.get(), 0);
    add_balances();
    add_bounds();
    add_objective(model.flux_balance->objectives[active()]);
  }

  void solve(FluxBalanceSolution& solution) {
    put_abortfunc(
        lp_.get(), [](lprec*, void*) { return static_cast<int>(InterruptScope::raised()); },
        nullptr);
    const int outcome = ::solve(lp_.get());
    if (outcome == USERABORT) throw Interrupted();
    solution.fluxes.assign(model_.reactions.size(), NAN);
    if (outcome == OPTIMAL)
      get_variables(lp_.get(), solution.fluxes.data());
    else if (outcome == INFEASIBLE)
      solution.trouble = "no fluxes satisfy the balances and the bounds";
    else if (outcome == UNBOUNDED)
      solution.trouble = "the objective grows without limit within the bounds";
    else
      solution.trouble = "the linear programme was not solved";
  }

 private:
  int count() const { return static_cast<int>(model_.reactions.size()); }
  std::size_t active() const { return model_.flux_balance->active; }

  // For each species that reactions may change, what they make of it adds up to nothing.
  void add_balances() {
    std::vector<std::vector<int>> columns(model_.species.size());
    std::vector<std::vector<double>> numbers(model_.species.size());
    for (int r = 0; r < count(); ++r) {
      const Reaction& reaction = model_.reactions[r];
      auto collect = [&](const SpeciesReference& x, double sign) {
        std::size_t s = x.species;
        if (model_.species[s].boundary || model_.species[s].constant) return;
        double n = sign * (x.parameter >= 0 ? values_.of(x.parameter) : x.stoichiometry);
        if (!columns[s].empty() && columns[s].back() == r + 1) {
          numbers[s].back() += n;
        } else {
          columns[s].push_back(r + 1);
          numbers[s].push_back(n);
        }
      };
      for (auto& x : reaction.reactants) collect(x, -1);
      for (auto& x : reaction.products) collect(x, 1);
    }
    set_add_rowmode(lp_.get(), TRUE);
    for (std::size_t s = 0; s < columns.size(); ++s)
      if (!columns[s].empty())
        add_constraintex(lp_.get(), static_cast<int>(columns[s].size()), numbers[s].data(),
                         columns[s].data(), EQ, 0);
    set_add_rowmode(lp_.get(), FALSE);
  }

  void add_bounds() {
    const double limitless = get_infinite(lp_.get());
    for (int r = 1; r <= count(); ++r) set_bounds(lp_.get(), r, -limitless, limitless);
    for (const FluxBound& bound : model_.flux_balance->bounds) {
      double value = bound.parameter >= 0 ? values_.of(bound.parameter) : bound.value;
      if (std::isnan(value)) continue;
      if (std::isinf(value)) value = value > 0 ? limitless : -limitless;
      if (bound.side != FluxBound::Side::upper) set_lowbo(lp_.get(), bound.reaction + 1, value);
      if (bound.side != FluxBound::Side::lower) set_upbo(lp_.get(), bound.reaction + 1, value);
    }
  }

  void add_objective(const FluxObjective& objective) {
    std::vector<double> row(static_cast<std::size_t>(count()) + 1);
    for (auto& term : objective.terms)
      row[static_cast<std::size_t>(term.reaction) + 1] += term.coefficient;
    set_obj_fn(lp_.get(), row.data());
    objective.maximize ? set_maxim(lp_.get()) : set_minim(lp_.get());
  }

  const Model& model_;
  StartValues& values_;
  std::unique_ptr<lprec, void (*)(lprec*)> lp_;
};

}  // namespace

FluxBalanceSolution solve_flux_balance(const std::shared_ptr<const Model>& model) {
  if (!model->flux_balance || model->flux_balance->objectives.empty())
    throw InputError("error: the model has no flux-balance problem\n");
  StartValues values(model);
  FluxBalanceSolution solution;
  Programme(*model, values).solve(solution);
  for (const FluxObjective& objective : model->flux_balance->objectives) {
    double& sum = solution.objectives.emplace_back(0);
    for (auto& term : objective.terms) sum += term.coefficient * solution.fluxes[term.reaction];
  }
  return solution;
}

}  // namespace stiffit::internal
