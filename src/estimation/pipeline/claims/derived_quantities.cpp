// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/claims/derived_quantities.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

#include "base/diagnostic.h"
#include "base/interrupt.h"
#include "base/option_error.h"
#include "io/text/read_formula.h"
#include "symbolic/system.h"

namespace stiffit::internal {
namespace {

bool is_plain_name(const std::string& id) {
  return std::all_of(id.begin(), id.end(),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Names that are none to the parser, A(0) and the like, under others.
std::string with_plain_names(std::string text, const std::vector<EstimatedParameter>& unknowns,
                             std::vector<std::string>& names) {
  std::vector<std::pair<std::string, std::string>> odd;
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    names.push_back(unknowns[i].id);
    if (is_plain_name(unknowns[i].id)) continue;
    names.back() = "estimated_value_" + std::to_string(i);
    odd.emplace_back(unknowns[i].id, names.back());
  }
  std::sort(odd.begin(), odd.end(),
            [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  for (const auto& [id, plain] : odd)
    for (std::size_t at = text.find(id); at != std::string::npos; at = text.find(id, at)) {
      if (at > 0 && is_name_part(text[at - 1])) {
        ++at;
        continue;
      }
      text.replace(at, id.size(), plain);
    }
  return text;
}

std::string trimmed_formula(const std::string& text) {
  const std::string right = text.substr(text.find('=') + 1);
  const auto first = right.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return right.substr(first, right.find_last_not_of(" \t") - first + 1);
}

// What the model has of that name, if it cannot stand in such a formula.
std::string not_a_parameter(const Model& model, const std::string& name) {
  switch (model.find(name).kind) {
    case SymbolKind::species:
      return "a species, which changes with time";
    case SymbolKind::reaction:
      return "a reaction, whose rate changes with time";
    case SymbolKind::observable:
      return "an observable, which changes with time";
    case SymbolKind::parameter:
      return "computed by the model";
    default:
      return "";
  }
}

// The function in terms of the unknowns.
struct CompiledQuantity {
  ResolvedSystem resolved;
  NodeId node = 0;
  std::vector<std::pair<int, NodeId>> by_parameter;
  std::vector<int> unknown;  // of each parameter of the system; -1: a constant
};

class DerivedReader {
 public:
  DerivedReader(const FitProblem& problem, const std::vector<EstimatedParameter>& unknowns,
                std::string kind)
      : unknowns_(unknowns), kind_(std::move(kind)) {
    if (problem.model) models_.push_back(problem.model.get());
    for (const FitProblem& part : problem.parts)
      if (part.model) models_.push_back(part.model.get());
    for (const Model* model : models_)
      for (const Parameter& p : model->parameters)
        if (p.constant && std::isfinite(p.value)) constants_.try_emplace(p.id, p.value);
    // Given for a condition: no one value.
    auto take_out = [&](const FitProblem& part) {
      for (const Experiment& e : part.experiments)
        for (const Period& period : e.periods)
          for (const ConditionAssignment& a : period.assignments)
            if (part.model && a.target.kind == SymbolKind::parameter)
              constants_.erase(part.model->parameters[static_cast<std::size_t>(a.target.index)].id);
    };
    take_out(problem);
    for (const FitProblem& part : problem.parts) take_out(part);
    for (const ProblemParameter& p : problem.parameters)
      if (!p.estimated && std::isfinite(p.nominal)) constants_[p.id] = p.nominal;
  }

  Quantity read(const std::string& text) {
    // Without an equals sign the reader would take it for a reaction, and say so.
    if (text.find('=') == std::string::npos)
      throw OptionError(option("derive") + " is \"NAME = formula\", not \"" + text + "\"",
                        "for instance: \"Km = (k_1+k2)/k1\"");
    std::vector<std::string> names;
    const std::string plain = with_plain_names(text, unknowns_, names);
    Diagnostics diagnostics(std::make_shared<Source>(option("derive"), plain));
    const std::optional<Formula> formula = parse_formula(diagnostics);
    if (diagnostics.has_errors() || !formula) fail(diagnostics, text);
    const std::string name(formula->name.text);
    check_name(name);
    auto model = std::make_shared<Model>();
    for (const std::string& id : names) model->parameters.push_back({id, 1, true, {}, {}});
    bool uses_unknown = false;
    for (const Word& use : formula->uses) {
      const std::string used(use.text);
      const bool estimated = std::find(names.begin(), names.end(), used) != names.end();
      uses_unknown = uses_unknown || estimated;
      if (estimated || model->find(used).kind != SymbolKind::none) continue;
      if (auto constant = constants_.find(used); constant != constants_.end())
        model->parameters.push_back({used, constant->second, true, {}, {}});
      else if (used != "pi" && used != "exponentiale" && used != "avogadro")
        unknown_name(used, text);
    }
    if (!uses_unknown)
      throw OptionError(option("derive") + " \"" + text + "\" holds no " + kind_ + " parameter");
    model->observables.push_back({"derived", build_formula(*formula, *model, diagnostics), {}});
    if (diagnostics.has_errors()) fail(diagnostics, text);
    return compiled(name, trimmed_formula(text), model, names);
  }

 private:
  void check_name(const std::string& name) {
    const bool estimated = std::any_of(unknowns_.begin(), unknowns_.end(),
                                       [&](const auto& u) { return u.id == name; });
    bool there = estimated;
    for (const Model* model : models_) there = there || model->find(name).kind != SymbolKind::none;
    if (there)
      throw OptionError(option("derive") + ": there is something called '" + name + "' already",
                        "choose another name for what is derived");
    if (!names_.insert(name).second)
      throw OptionError(option("derive") + " gives '" + name + "' twice");
  }

  [[noreturn]] void unknown_name(const std::string& used, const std::string& text) const {
    const std::string where = option("derive") + " \"" + text + "\": ";
    for (const Model* model : models_)
      if (const std::string what = not_a_parameter(*model, used); !what.empty()) {
        const bool initial = std::any_of(unknowns_.begin(), unknowns_.end(),
                                         [&](const auto& u) { return u.id == used + "(0)"; });
        throw OptionError(where + "'" + used + "' is " + what,
                          initial ? "its " + kind_ + " initial value is " + used + "(0)"
                                  : "a derived quantity is made of parameters");
      }
    std::vector<std::string> known;
    for (const EstimatedParameter& u : unknowns_) known.push_back(u.id);
    for (const auto& [id, value] : constants_) known.push_back(id);
    const std::string nearest = nearest_name(used, known);
    throw OptionError(where + "unknown name '" + used + "'",
                      nearest.empty() ? kind_ + " parameters and constants of the model are known"
                                      : "did you mean '" + nearest + "'?");
  }

  [[noreturn]] static void fail(const Diagnostics& diagnostics, const std::string& text) {
    std::string words = render(diagnostics);
    if (words.starts_with("error: ")) words.erase(0, 7);
    while (words.ends_with('\n')) words.pop_back();
    throw OptionError(option("derive") + " is \"NAME = formula\", not \"" + text + "\": " + words,
                      "for instance: \"Km = (k_1+k2)/k1\"");
  }

  Quantity compiled(const std::string& name, const std::string& formula,
                    const std::shared_ptr<Model>& model,
                    const std::vector<std::string>& names) const {
    SystemOptions varied;
    varied.varied.insert(names.begin(), names.end());
    auto q = std::make_shared<CompiledQuantity>();
    q->resolved = resolve(model, varied);
    q->node = q->resolved.find("derived")->node;
    q->by_parameter = q->resolved.system.graph.gradient(q->node, Leaf::parameter);
    for (const SystemParameter& p : q->resolved.system.parameters) {
      const auto at = std::find(names.begin(), names.end(), p.name);
      q->unknown.push_back(at == names.end() ? -1 : static_cast<int>(at - names.begin()));
    }
    return {name, formula, [q](std::span<const double> values, std::vector<double>* gradient) {
              const Graph& graph = q->resolved.system.graph;
              auto leaf = [&](Leaf, int index) {
                const int u = q->unknown[static_cast<std::size_t>(index)];
                return u < 0 ? q->resolved.system.parameters[static_cast<std::size_t>(index)].value
                             : values[static_cast<std::size_t>(u)];
              };
              if (gradient) {
                gradient->assign(values.size(), 0);
                for (const auto& [index, node] : q->by_parameter)
                  if (const int u = q->unknown[static_cast<std::size_t>(index)]; u >= 0)
                    (*gradient)[static_cast<std::size_t>(u)] = graph.value(node, leaf);
              }
              return graph.value(q->node, leaf);
            }};
  }

  const std::vector<EstimatedParameter>& unknowns_;
  std::vector<const Model*> models_;
  std::map<std::string, double> constants_;
  std::set<std::string> names_;
  std::string kind_;
};

}  // namespace

std::vector<Quantity> read_derived(const std::vector<std::string>& texts, const FitProblem& problem,
                                   const std::vector<EstimatedParameter>& unknowns,
                                   const std::string& kind) {
  std::vector<Quantity> list;
  if (texts.empty()) return list;
  DerivedReader reader(problem, unknowns, kind);
  for (const std::string& text : texts) list.push_back(reader.read(text));
  return list;
}

bool add_derived(std::vector<DerivedQuantity>& derived, const std::vector<Quantity>& wanted,
                 const ProblemObjective& objective, const LocalFit& best, const FitStatistics& s,
                 const LocalOptions& local) {
  QuantityProfileOptions options;
  options.quantile = s.single_quantile;
  options.unit = tested_unit(objective, best.at);
  options.local = local;
  options.local.on_step = {};
  options.local.max_iterations = std::min(200, local.max_iterations);
  options.local.value_tolerance = 1e-3;
  auto interrupted = [&] { return local.interrupt && local.interrupt->load(); };
  bool through = true;
  for (const Quantity& quantity : wanted)
    through = through && unless_interrupted([&] {
                DerivedQuantity d = derived_by_profile(objective, best, s, quantity, options);
                if (!interrupted()) derived.push_back(std::move(d));
              });
  return through && !interrupted();
}

std::vector<DerivedQuantity> derived_over_draws(const std::vector<Quantity>& wanted,
                                                const std::vector<EstimatedParameter>& unknowns,
                                                const std::vector<double>& best,
                                                const PosteriorChains& chains, double level) {
  std::vector<DerivedQuantity> derived;
  for (const Quantity& quantity : wanted) {
    std::vector<double> drawn;
    for (const auto& chain : chains.draws())
      for (const auto& x : chain) drawn.push_back(quantity.value(values_of(unknowns, x), nullptr));
    derived.push_back(derived_by_draws(quantity, quantity.value(values_of(unknowns, best), nullptr),
                                       std::move(drawn), level));
  }
  return derived;
}

}  // namespace stiffit::internal
