// SPDX-License-Identifier: Apache-2.0
#include "server/describe_model.h"

#include <cmath>
#include <set>

#include "base/interrupt.h"
#include "io/files/load_model.h"
#include "io/latex/mathml.h"
#include "io/text/read_text.h"
#include "io/text/writer/write_text.h"
#include "model/library/library.h"
#include "model/model_features.h"
#include "symbolic/moieties.h"
#include "symbolic/system.h"
#include "symbolic/system_builder.h"
#include "symbolic/text/expression_text.h"

namespace stiffit {
namespace {

constexpr std::size_t largest_moieties = 3000;  // states of models whose moieties are looked for

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::size_t at(std::int32_t index) { return static_cast<std::size_t>(index); }

// Values at the start, of what depends on parameters alone.
class StartValues {
 public:
  explicit StartValues(ResolvedSystem& resolved) : resolved_(resolved) {
    resolved_.builder->attach(resolved_.system);
  }

  double of(Ref ref) { return value(resolved_.builder->value(ref)); }
  // In what the name means, where the state has that meaning.
  double species(const Model& model, int index) {
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
  explicit Ruled(const Model& model) {
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

Json species_json(const Model& model, const Ruled& by_rule, StartValues& values) {
  Json list = Json::array();
  for (std::size_t i = 0; i < model.species.size(); ++i) {
    const Species& s = model.species[i];
    const Ref ref{SymbolKind::species, static_cast<int>(i)};
    list.push_back(
        {{"name", s.id},
         {"initial", number(values.species(model, ref.index))},
         {"unit", s.unit},
         {"amount", s.in_amount},
         {"boundary", s.boundary},
         {"constant", s.constant},
         {"compartment", s.compartment < 0 ? "" : model.compartments[at(s.compartment)].id},
         {"settable", !by_rule(ref)}});
  }
  return list;
}

Json parameters_json(const Model& model, const Ruled& by_rule, StartValues& values) {
  Json list = Json::array();
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const Parameter& p = model.parameters[i];
    const Ref ref{SymbolKind::parameter, static_cast<int>(i)};
    const double value = std::isnan(p.value) ? values.of(ref) : p.value;
    list.push_back(
        {{"name", p.id}, {"value", number(value)}, {"unit", p.unit}, {"settable", !by_rule(ref)}});
  }
  return list;
}

Json compartments_json(const Model& model, const Ruled& by_rule, StartValues& values) {
  Json list = Json::array();
  for (std::size_t i = 0; i < model.compartments.size(); ++i) {
    const Compartment& c = model.compartments[i];
    const Ref ref{SymbolKind::compartment, static_cast<int>(i)};
    const double size = std::isnan(c.size) ? values.of(ref) : c.size;
    list.push_back(
        {{"name", c.id}, {"value", number(size)}, {"unit", c.unit}, {"settable", !by_rule(ref)}});
  }
  return list;
}

Json side_json(const Model& model, const std::vector<SpeciesReference>& side) {
  Json list = Json::array();
  for (const SpeciesReference& r : side)
    list.push_back(
        {model.species[at(r.species)].id,
         r.parameter >= 0 ? Json(model.parameters[at(r.parameter)].id) : number(r.stoichiometry)});
  return list;
}

// Species that a rate depends on without being used up: arrows of regulation in the picture.
void add_species(const Model& model, ExprId root, std::set<std::int32_t>& found) {
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

Json modifiers_json(const Model& model, const Reaction& r) {
  std::set<std::int32_t> found(r.modifiers.begin(), r.modifiers.end());
  if (r.rate != no_expr) add_species(model, r.rate, found);
  for (const SpeciesReference& x : r.reactants) found.erase(x.species);
  // A species that a reversible reaction makes is in its rate; that is no regulation.
  for (const SpeciesReference& x : r.products) found.erase(x.species);
  Json list = Json::array();
  for (std::int32_t i : found) list.push_back(model.species[at(i)].id);
  return list;
}

Json reactions_json(const Model& model) {
  Json list = Json::array();
  for (const Reaction& r : model.reactions) {
    check_interrupt();
    list.push_back({{"name", r.id},
                    {"reactants", side_json(model, r.reactants)},
                    {"products", side_json(model, r.products)},
                    {"modifiers", modifiers_json(model, r)},
                    {"reversible", r.reversible},
                    {"text", reaction_text(model, r)},
                    {"rate", expression_text(model, r.rate, 1000)}});
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

Json equations_json(const Model& model) {
  Json list = Json::array();
  for (TypesetEquation& e : typeset_equations(model))
    list.push_back({{"kind", word(e.kind)}, {"left", e.name}, {"mathml", std::move(e.mathml)}});
  return list;
}

Json outputs_json(const Model& model) {
  Json list = Json::array();
  for (const Species& s : model.species) list.push_back(s.id);
  for (const Observable& o : model.observables) list.push_back(o.id);
  for (const Parameter& p : model.parameters)
    if (!p.constant) list.push_back(p.id);
  for (const Compartment& c : model.compartments)
    if (!c.constant) list.push_back(c.id);
  for (const Reaction& r : model.reactions) list.push_back("rate(" + r.id + ")");
  return list;
}

}  // namespace

Json describe_model(const SourceModel& source) {
  Json out{{"ok", source.model != nullptr}, {"diagnostics", source.diagnostics}};
  // The page's text is Stiffit's; Antimony is translated, as SBML is.
  const bool is_text =
      kind_of_model(source.source.name, source.source.content) == ModelKind::text &&
      dialect_of(source.source.name) == TextDialect::stiffit;
  if (is_text) out["text"] = source.source.content;
  if (!source.model) return out;
  const Model& model = *source.model;
  if (!is_text) {
    Writing writing = write_text(model);
    out["text"] = std::move(writing.text);
    out["left_out"] = writing.left_out;
  }
  ResolvedSystem resolved = resolve(source.model);
  StartValues values(resolved);
  out["kind"] = is_text ? "text" : "imported";
  out["id"] = model.id;
  out["title"] = model.title;
  out["start"] = number(model.start_time);
  out["end"] = number(model.end_time);
  const Ruled by_rule(model);
  out["species"] = species_json(model, by_rule, values);
  out["parameters"] = parameters_json(model, by_rule, values);
  out["compartments"] = compartments_json(model, by_rule, values);
  out["reactions"] = reactions_json(model);
  out["equations"] = equations_json(model);
  out["features"] = model_features(model);
  Json shown = Json::array();
  for (const Output& column : resolved.columns) shown.push_back(column.name);
  out["outputs"] = outputs_json(model);
  out["default_outputs"] = std::move(shown);
  Json moieties = Json::array();
  if (resolved.system.states.size() <= largest_moieties)
    for (const Moiety& moiety : conserved_moieties(resolved.system))
      moieties.push_back(moiety_text(model, resolved.system, moiety));
  out["moieties"] = std::move(moieties);
  return out;
}

Json describe_library() {
  Json list = Json::array();
  for (const LibraryModel& m : library_models()) {
    auto source = std::make_shared<Source>(std::string(m.name), std::string(m.text));
    Diagnostics diagnostics(source);
    auto model = read_text(source, diagnostics);
    list.push_back({{"name", m.name},
                    {"title", m.title},
                    {"text", m.text},
                    {"end", model ? number(model->end_time) : Json(nullptr)}});
  }
  return {{"models", std::move(list)}};
}

}  // namespace stiffit
