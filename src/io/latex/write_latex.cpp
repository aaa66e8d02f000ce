// SPDX-License-Identifier: Apache-2.0
#include "io/latex/write_latex.h"

#include <cmath>

#include "base/interrupt.h"
#include "io/latex/latex_expression.h"

namespace stiffit {
namespace {

class LatexWriter {
 public:
  explicit LatexWriter(const Model& model) : model_(model), names_(model) {}

  Writing write() {
    const std::string title = model_.title.empty() ? model_.id : model_.title;
    line("\\documentclass{article}");
    line("\\usepackage[T1]{fontenc}");
    line("\\usepackage{amsmath,amssymb}");
    line("\\allowdisplaybreaks");
    line("\\begin{document}");
    if (!title.empty()) line("\\section*{" + latex_text(title) + "}");
    equations();
    rates();
    rules();
    functions();
    events();
    values();
    line("\\end{document}");
    if (model_.flux_balance) out_.left_out.push_back("the flux-balance problem");
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_.text += text + "\n"; }

  // A group of equations, each "left &= right".
  void group(const std::string& title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    line("\\subsection*{" + title + "}");
    line("\\begin{align*}");
    for (std::size_t i = 0; i < lines.size(); ++i)
      line("  " + lines[i] + (i + 1 < lines.size() ? " \\\\" : ""));
    line("\\end{align*}");
  }

  const std::string& name(Ref ref) const { return names_.of(model_.id_of(ref)); }
  std::string expression(ExprId id) const { return latex_expression(model_, names_, id); }
  static std::string derivative(const std::string& of) { return "\\frac{d " + of + "}{dt}"; }

  // The share of each reaction in the change of a species' amount: "+ 2 v_J".
  std::vector<std::string> shares(std::int32_t species) const {
    check_interrupt();
    std::vector<std::string> terms;
    for (const Reaction& r : model_.reactions) {
      auto add = [&](const SpeciesReference& reference, bool made) {
        if (reference.species != species) return;
        double number = reference.parameter < 0 ? reference.stoichiometry : 1;
        std::string term = (number < 0) == made ? "- " : "+ ";
        if (std::fabs(number) != 1) term += latex_number(std::fabs(number)) + " \\, ";
        if (reference.parameter >= 0)
          term += name({SymbolKind::parameter, reference.parameter}) + " \\, ";
        terms.push_back(term + latex_rate(names_, r.id));
      };
      for (const SpeciesReference& x : r.reactants) add(x, false);
      for (const SpeciesReference& x : r.products) add(x, true);
    }
    return terms;
  }

  static constexpr std::size_t terms_in_line = 6;

  void equations() {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < model_.species.size(); ++i) {
      const Species& s = model_.species[i];
      auto index = static_cast<std::int32_t>(i);
      if (s.boundary || s.constant) continue;
      std::vector<std::string> terms = shares(index);
      if (terms.empty()) continue;
      std::string left = name({SymbolKind::species, index}), before, after;
      if (s.compartment >= 0 && !s.in_amount) {
        const std::string& c = name({SymbolKind::compartment, s.compartment});
        if (model_.compartments[s.compartment].constant) {
          before = "\\frac{1}{" + c + "} \\bigl(";
          after = "\\bigr)";
        } else {
          left = "\\left(" + c + " \\, " + left + "\\right)";
        }
      }
      if (s.conversion_factor >= 0) {
        before += name({SymbolKind::parameter, s.conversion_factor}) + " \\bigl(";
        after += "\\bigr)";
      }
      std::string text = derivative(left) + " &= " + before;
      for (std::size_t k = 0; k < terms.size(); ++k) {
        if (k && k % terms_in_line == 0) text += " \\\\\n    &\\quad ";
        std::string term = terms[k];
        if (k == 0 && term[0] == '+') term.erase(0, 2);
        text += (k ? " " : "") + term;
      }
      lines.push_back(text + after);
    }
    for (const Rule& r : model_.rules)
      if (r.kind == RuleKind::rate)
        lines.push_back(derivative(name(r.target)) + " &= " + expression(r.value));
    group("Differential equations", lines);
  }

  void rates() {
    std::vector<std::string> lines;
    for (const Reaction& r : model_.reactions)
      lines.push_back(
          latex_rate(names_, r.id) +
          (r.rate == no_expr ? " &: \\text{no rate law}" : " &= " + expression(r.rate)) +
          (r.fast ? " \\quad \\text{(fast: at equilibrium)}" : ""));
    group("Rates", lines);
  }

  void rules() {
    std::vector<std::string> lines;
    for (const Rule& r : model_.rules) {
      if (r.kind == RuleKind::assignment)
        lines.push_back(name(r.target) + " &= " + expression(r.value));
      if (r.kind == RuleKind::algebraic) lines.push_back("0 &= " + expression(r.value));
    }
    for (const Observable& o : model_.observables)
      lines.push_back(names_.of(o.id) + " &= " + expression(o.value));
    group("At all times", lines);
  }

  void functions() {
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < model_.functions.size(); ++i) {
      const Function& f = model_.functions[i];
      if (f.body == no_expr) continue;
      std::string text = names_.of(f.id) + "\\left(";
      for (std::size_t k = 0; k < f.arguments.size(); ++k)
        text += (k ? ", " : "") + names_.of(f.arguments[k]);
      lines.push_back(text + "\\right) &= " +
                      latex_expression(model_, names_, f.body, static_cast<std::int32_t>(i)));
    }
    group("Functions", lines);
  }

  void events() {
    std::vector<std::string> lines;
    for (const Event& e : model_.events) {
      if (e.trigger == no_expr) continue;
      std::string text = "\\text{when } " + expression(e.trigger);
      if (e.delay != no_expr) text += " \\text{, after } " + expression(e.delay);
      text += ": & \\quad ";
      const char* before = "";
      for (const EventAssignment& a : e.assignments) {
        text += before + name(a.target) + " \\leftarrow " + expression(a.value);
        before = ",\\; ";
      }
      lines.push_back(text);
    }
    group("Events", lines);
  }

  void values() {
    std::vector<std::string> starts, constants;
    auto assigned = [&](Ref ref) -> ExprId {
      for (const InitialAssignment& a : model_.initial_assignments)
        if (a.target == ref) return a.value;
      return no_expr;
    };
    auto ruled = [&](Ref ref) {
      for (const Rule& r : model_.rules)
        if (r.kind != RuleKind::algebraic && r.target == ref)
          return r.kind == RuleKind::rate ? 1 : 2;
      return 0;
    };
    auto add = [&](Ref ref, double value, bool varies, const std::string& unit_of_value) {
      const int rule = ruled(ref);
      if (rule == 2) return;
      varies |= rule == 1;
      ExprId expr = assigned(ref);
      if (expr == no_expr && std::isnan(value)) return;
      std::string text = name(ref) + (varies ? "(0)" : "") + " &= " +
                         (expr == no_expr ? latex_number(value) + unit_of_value : expression(expr));
      (varies ? starts : constants).push_back(text);
    };
    for (std::size_t i = 0; i < model_.species.size(); ++i) {
      const Species& s = model_.species[i];
      std::string over;
      if (s.compartment >= 0 && s.initial_is_amount != s.in_amount)
        over = (s.in_amount ? " \\, " : " / ") + name({SymbolKind::compartment, s.compartment});
      add({SymbolKind::species, static_cast<std::int32_t>(i)}, s.initial, !s.constant, over);
    }
    for (std::size_t i = 0; i < model_.compartments.size(); ++i)
      add({SymbolKind::compartment, static_cast<std::int32_t>(i)}, model_.compartments[i].size,
          !model_.compartments[i].constant, "");
    for (std::size_t i = 0; i < model_.parameters.size(); ++i)
      add({SymbolKind::parameter, static_cast<std::int32_t>(i)}, model_.parameters[i].value,
          !model_.parameters[i].constant, "");
    group("Initial values", starts);
    group("Constants", constants);
  }

  const Model& model_;
  LatexNames names_;
  Writing out_;
};

}  // namespace

Writing write_latex(const Model& model) { return LatexWriter(model).write(); }

}  // namespace stiffit
