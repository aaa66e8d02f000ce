// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "api/impl.h"
#include "base/number.h"
#include "model/model_features.h"
#include "stiffit/reading.h"
#include "symbolic/text/expression_text.h"

namespace stiffit {
inline namespace api {
namespace {

std::string start_text(const internal::Model& model, SymbolKind kind, std::size_t index,
                       double value) {
  const Ref ref{kind, static_cast<int>(index)};
  for (const Rule& rule : model.rules)
    if (rule.kind == RuleKind::assignment && rule.target == ref)
      return ":= " + expression_text(model, rule.value);
  for (const InitialAssignment& a : model.initial_assignments)
    if (a.target == ref) return "= " + expression_text(model, a.value);
  return std::isnan(value) ? "(no value)" : "= " + format_number(value);
}

std::string kind_text(const Species& s) {
  std::string kind = s.in_amount ? "amount" : "concentration";
  // The name may mean one and the initial value the other: then say so.
  if (s.compartment >= 0 && s.initial_is_amount != s.in_amount)
    kind += s.initial_is_amount ? ", given as amount" : ", given as concentration";
  if (s.boundary) kind += ", boundary";
  if (s.constant) kind += ", constant";
  return kind;
}

}  // namespace

ModelSummary summarize(const Model& of, const RunOptions& run) {
  return at_border(run.interrupt, [&] {
    const internal::Model& model = *of.impl().model;
    ModelSummary s;
    s.id = model.id;
    s.title = model.title;
    s.features = model_features(model);
    s.start = model.start_time;
    s.end = model.end_time;
    for (std::size_t i = 0; i < model.compartments.size(); ++i) {
      const Compartment& c = model.compartments[i];
      s.compartments.push_back(
          {c.id, start_text(model, SymbolKind::compartment, i, c.size), c.unit});
    }
    for (std::size_t i = 0; i < model.species.size(); ++i) {
      const Species& x = model.species[i];
      s.species.push_back({x.id, start_text(model, SymbolKind::species, i, x.initial), x.unit,
                           kind_text(x),
                           x.compartment < 0 ? "" : model.compartments[x.compartment].id});
    }
    for (std::size_t i = 0; i < model.parameters.size(); ++i) {
      const Parameter& p = model.parameters[i];
      s.parameters.push_back({p.id, start_text(model, SymbolKind::parameter, i, p.value), p.unit});
    }
    for (const Reaction& r : model.reactions)
      s.reactions.push_back({r.id, reaction_text(model, r), expression_text(model, r.rate)});
    for (const Observable& o : model.observables)
      s.observables.emplace_back(o.id, expression_text(model, o.value));
    try {
      s.equations = of.equations();
    } catch (const InputError& error) {
      s.obstacle = error.what();  // a model with events can be looked at, if not simulated
    }
    return s;
  });
}

}  // namespace api
}  // namespace stiffit
