// SPDX-License-Identifier: Apache-2.0
#include "io/latex/write_latex.h"

#include <cmath>

#include "io/latex/typeset_equations.h"

namespace stiffit::internal {
namespace {

class LatexWriter {
 public:
  explicit LatexWriter(const Model& model) : model_(model), typesetter_(model, latex_notation) {}

  Writing write() {
    const std::string title = model_.title.empty() ? model_.id : model_.title;
    line("\\documentclass{article}");
    line("\\usepackage[T1]{fontenc}");
    line("\\usepackage{amsmath,amssymb}");
    line("\\allowdisplaybreaks");
    line("\\begin{document}");
    if (!title.empty()) line("\\section*{" + latex_text(title) + "}");
    equations();
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

  const std::string& name(Ref ref) const { return typesetter_.name(ref); }
  std::string expression(ExprId id) const { return typesetter_.expression(id); }

  void equations() {
    std::vector<std::string> derivatives, rates, rules, functions;
    for (const EquationSides& e : equations_of(typesetter_)) {
      const std::string line = e.left + " &= " + e.right;
      switch (e.kind) {
        case EquationKind::derivative:
          derivatives.push_back(line);
          break;
        case EquationKind::rate: {
          const bool fast = model_.reactions[rates.size()].fast;
          rates.push_back((e.right.empty() ? e.left + " &: \\text{no rate law}" : line) +
                          (fast ? " \\quad \\text{(fast: at equilibrium)}" : ""));
          break;
        }
        case EquationKind::rule:
        case EquationKind::observable:
          rules.push_back(line);
          break;
        case EquationKind::function:
          functions.push_back(line);
      }
    }
    group("Differential equations", derivatives);
    group("Rates", rates);
    group("At all times", rules);
    group("Functions", functions);
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
      std::string text =
          name(ref) + (varies ? "(0)" : "") +
          " &= " + (expr == no_expr ? typesetter_.number(value) + unit_of_value : expression(expr));
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
  const Typesetter typesetter_;
  Writing out_;
};

}  // namespace

Writing write_latex(const Model& model) { return LatexWriter(model).write(); }

}  // namespace stiffit::internal
