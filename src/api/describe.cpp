// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>

#include "api/impl.h"
#include "io/latex/mathml.h"
#include "io/text/writer/write_text.h"
#include "model/model_features.h"
#include "stiffit/reading.h"
#include "symbolic/moieties.h"
#include "symbolic/system.h"
#include "symbolic/system_builder.h"
#include "symbolic/text/expression_text.h"

namespace stiffit {
inline namespace api {
namespace {

constexpr std::size_t largest_moieties = 3000;  // states of models whose moieties are looked for

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

// Values at the start, of what depends on parameters alone.
class StartValues {
 public:
  explicit StartValues(ResolvedSystem& resolved) : resolved_(resolved) {
    resolved_.builder->attach(resolved_.system);
  }

  double of(Ref ref) { return value(resolved_.builder->value(ref)); }
  // In what the name means, where the state has that meaning.
  double species(const internal::Model& model, int index) {
    const System& system = resolved_.system;
    const int state = system.state_index({SymbolKind::species, index});
    const Species& s = model.species[at(index)];
    if (state < 0) return of({SymbolKind::species, index});
    const bool same = system.states[at(state)].is_amount == s.in_amount || s.compartment < 0;
    return same ? value(system.initial[at(state)]) : not_set;
  }

 private:
  // Every node once for all that ask: operands come before what uses them.
  double value(NodeId node) {
    const System& system = resolved_.system;
    if (!system.graph.is_fixed(node)) return not_set;
    InterruptCheck check;
    while (values_.size() <= node) {
      check();
      const auto next = static_cast<NodeId>(values_.size());
      const GraphNode& n = system.graph[next];
      if (!system.graph.is_fixed(next))
        values_.push_back(not_set);
      else if (n.op == Op::number)
        values_.push_back(n.value);
      else if (n.op == Op::symbol)
        values_.push_back(n.b < system.parameters.size() ? system.parameters[n.b].value : not_set);
      else
        values_.push_back(evaluate(n.op, values_[n.a], values_[n.b], values_[n.c]));
    }
    return values_[node];
  }
  ResolvedSystem& resolved_;
  std::vector<double> values_;
};

// What assignment rules set, and sliders cannot.
class Ruled {
 public:
  explicit Ruled(const internal::Model& model) {
    for (const Rule& rule : model.rules)
      if (rule.kind == RuleKind::assignment)
        targets_.emplace(static_cast<int>(rule.target.kind), rule.target.index);
  }
  bool operator()(Ref ref) const {
    return targets_.contains({static_cast<int>(ref.kind), ref.index});
  }

 private:
  std::set<std::pair<int, std::int32_t>> targets_;
};

std::vector<ModelDescription::Species> species_of(const internal::Model& model,
                                                  const Ruled& by_rule, StartValues& values) {
  std::vector<ModelDescription::Species> list;
  for (std::size_t i = 0; i < model.species.size(); ++i) {
    const Species& s = model.species[i];
    const Ref ref{SymbolKind::species, static_cast<int>(i)};
    list.push_back({s.id, values.species(model, ref.index), s.unit,
                    s.compartment < 0 ? "" : model.compartments[at(s.compartment)].id, s.in_amount,
                    s.boundary, s.constant, !by_rule(ref)});
  }
  return list;
}

std::vector<ModelDescription::Value> parameters_of(const internal::Model& model,
                                                   const Ruled& by_rule, StartValues& values) {
  std::vector<ModelDescription::Value> list;
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const Parameter& p = model.parameters[i];
    const Ref ref{SymbolKind::parameter, static_cast<int>(i)};
    list.push_back({p.id, std::isnan(p.value) ? values.of(ref) : p.value, p.unit, !by_rule(ref)});
  }
  return list;
}

std::vector<ModelDescription::Value> compartments_of(const internal::Model& model,
                                                     const Ruled& by_rule, StartValues& values) {
  std::vector<ModelDescription::Value> list;
  for (std::size_t i = 0; i < model.compartments.size(); ++i) {
    const Compartment& c = model.compartments[i];
    const Ref ref{SymbolKind::compartment, static_cast<int>(i)};
    list.push_back({c.id, std::isnan(c.size) ? values.of(ref) : c.size, c.unit, !by_rule(ref)});
  }
  return list;
}

std::vector<ModelDescription::Participant> side_of(const internal::Model& model,
                                                   const std::vector<SpeciesReference>& side) {
  std::vector<ModelDescription::Participant> list;
  for (const SpeciesReference& r : side)
    list.push_back({model.species[at(r.species)].id, r.stoichiometry,
                    r.parameter >= 0 ? model.parameters[at(r.parameter)].id : ""});
  return list;
}

// Species that a rate depends on without being used up: arrows of regulation in the picture.
void add_species(const internal::Model& model, ExprId root, std::set<std::int32_t>& found) {
  std::vector<ExprId> open{root};
  std::size_t steps = 0;
  while (!open.empty() && ++steps < 10000) {
    const ExprNode& n = model.expressions[open.back()];
    open.pop_back();
    if (n.op == Op::symbol) {
      if (n.ref.kind == SymbolKind::species) found.insert(n.ref.index);
    } else if (n.op == Op::call) {
      const ExprId* first = model.expressions.arguments(n);
      open.insert(open.end(), first, first + n.b);
    } else if (n.op != Op::number) {
      const ExprId operands[3] = {n.a, n.b, n.c};
      open.insert(open.end(), operands, operands + arity(n.op));
    }
  }
}

std::vector<std::string> modifiers_of(const internal::Model& model, const Reaction& r) {
  std::set<std::int32_t> found(r.modifiers.begin(), r.modifiers.end());
  if (r.rate != no_expr) add_species(model, r.rate, found);
  for (const SpeciesReference& x : r.reactants) found.erase(x.species);
  // A species that a reversible reaction makes is in its rate; that is no regulation.
  for (const SpeciesReference& x : r.products) found.erase(x.species);
  std::vector<std::string> list;
  for (std::int32_t i : found) list.push_back(model.species[at(i)].id);
  return list;
}

std::vector<ModelDescription::Reaction> reactions_of(const internal::Model& model) {
  std::vector<ModelDescription::Reaction> list;
  for (const Reaction& r : model.reactions) {
    check_interrupt();
    list.push_back({r.id, side_of(model, r.reactants), side_of(model, r.products),
                    modifiers_of(model, r), r.reversible, reaction_text(model, r),
                    expression_text(model, r.rate, 1000)});
  }
  return list;
}

const char* word(EquationKind kind) {
  switch (kind) {
    case EquationKind::derivative:
      return "derivative";
    case EquationKind::rate:
      return "rate";
    case EquationKind::rule:
      return "rule";
    case EquationKind::observable:
      return "observable";
    case EquationKind::function:
      return "function";
  }
  return "";
}

std::vector<std::string> outputs_of(const internal::Model& model) {
  std::vector<std::string> list;
  for (const Species& s : model.species) list.push_back(s.id);
  for (const Observable& o : model.observables) list.push_back(o.id);
  for (const Parameter& p : model.parameters)
    if (!p.constant) list.push_back(p.id);
  for (const Compartment& c : model.compartments)
    if (!c.constant) list.push_back(c.id);
  for (const Reaction& r : model.reactions) list.push_back("rate(" + r.id + ")");
  return list;
}

// As it was written, or in our words.
void take_text(const internal::Model& model, ModelDescription& description) {
  const Source& source = *model.source;
  const Span first = source.file(0);
  std::string text(source.text().substr(first.begin, first.end - first.begin));
  description.language = model_language(source.name(), text);
  if (description.language == "text") {
    description.text = std::move(text);
    return;
  }
  Writing writing = write_text(model);
  description.text = std::move(writing.text);
  description.left_out = std::move(writing.left_out);
}

}  // namespace

ModelDescription describe(const Model& of, const RunOptions& run) {
  return at_border(run.interrupt, [&] {
    const std::shared_ptr<const internal::Model>& shared = of.impl().model;
    const internal::Model& model = *shared;
    ModelDescription d;
    take_text(model, d);
    ResolvedSystem resolved = resolve(shared);
    StartValues values(resolved);
    const Ruled by_rule(model);
    d.id = model.id;
    d.title = model.title;
    d.start = model.start_time;
    d.end = model.end_time;
    d.species = species_of(model, by_rule, values);
    d.parameters = parameters_of(model, by_rule, values);
    d.compartments = compartments_of(model, by_rule, values);
    d.reactions = reactions_of(model);
    for (TypesetEquation& e : typeset_equations(model))
      d.equations.push_back({word(e.kind), e.name, std::move(e.mathml)});
    d.features = model_features(model);
    d.outputs = outputs_of(model);
    for (const Output& column : resolved.columns) d.default_outputs.push_back(column.name);
    if (resolved.system.states.size() <= largest_moieties)
      for (const Moiety& moiety : conserved_moieties(resolved.system))
        d.moieties.push_back(moiety_text(model, resolved.system, moiety));
    return d;
  });
}

}  // namespace api
}  // namespace stiffit
