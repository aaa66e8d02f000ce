// SPDX-License-Identifier: Apache-2.0
#include "io/c/write_c.h"

#include "base/number.h"
#include "io/c/c_events.h"
#include "io/c/c_function.h"
#include "io/written/written_names.h"
#include "symbolic/system.h"

namespace stiffit::internal {
namespace {

std::string c_string(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return out + "\"";
}

class CWriter {
 public:
  explicit CWriter(const std::shared_ptr<const Model>& model) : model_(*model) {
    // p[] is for the user to change: nothing is folded into the code.
    SystemOptions options;
    for (const Parameter& p : model->parameters) options.varied.insert(p.id);
    for (const Compartment& c : model->compartments) options.varied.insert(c.id);
    resolved_ = resolve(model, options);
    with_events_ = resolved_.system.equilibrium.states.empty() || resolved_.system.events.empty();
    prefix_ = model->id.empty() ? "model" : as_identifier(model->id);
  }

  Writing write() {
    System& system = resolved_.system;
    SparseExpressions j = jacobian(system);
    head();
    names("states", system.states, [](const SystemState& s) { return s.name; });
    names("parameters", system.parameters, [](const SystemParameter& p) {
      return p.ref.kind == SymbolKind::species ? p.name + "(0)" : p.name;
    });
    names("outputs", resolved_.columns, [](const Output& o) { return o.name; });
    numbers("const double", "parameter_values", system.parameters.size(), [&](std::size_t i) {
      double value = system.parameters[i].value;
      return value == value ? format_number(value) : "NAN";
    });
    if (system.has_algebraic()) {
      line("/* 1: x' = f; 0: 0 = f. x at the start is then a guess for these. */");
      numbers("const int", "is_differential", system.states.size(),
              [&](std::size_t i) { return system.states[i].algebraic ? "0" : "1"; });
    }
    function("initial", "const double* p, double* x0", system.initial, "x0", "x at the start",
             "  const double t = " + format_number(system.start_time) + ";\n  (void)t;\n");
    function("f", arguments("f"), system.rhs, "f", "the right-hand side: x' = f(t, x, p)");
    std::vector<NodeId> shown;
    for (const Output& o : resolved_.columns) shown.push_back(o.node);
    function("outputs", arguments("out"), shown, "out", "what a simulation shows");
    write_jacobian(j);
    if (model_.flux_balance) out_.left_out.push_back("the flux-balance problem");
    if (!system.equilibrium.states.empty())
      out_.left_out.push_back(
          "the equilibrium at the start: fast reactions run 2^50 times as fast as written");
    if (with_events_) out_.text += c_events(system, prefix_);
    if (!with_events_)
      out_.left_out.push_back(
          "events: what they do to species of fast reactions has no words in C");
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_.text += text + "\n"; }

  static std::string arguments(const std::string& target) {
    return "double t, const double* x, const double* p, double* " + target;
  }

  void head() {
    line("/* " + c_comment(model_.title.empty() ? prefix_ : model_.title));
    line(
        " * Written by stiffit convert. Link with -lm. States are amounts where a species lives "
        "in");
    line(" * a compartment that varies; p[] holds parameters, compartments and initial values.");
    if (!resolved_.system.equilibrium.states.empty()) {
      line(
          " * Fast reactions run 2^50 times as fast as written. total(..) is a sum of amounts "
          "that");
      line(" * they leave alone; x at the start is not at their equilibrium yet.");
    }
    if (with_events_)
      out_.text += c_events_manual(resolved_.system, prefix_);
    else
      line(" * The model's events are not in here.");
    line(" */");
    line("#include <math.h>");
    line("");
    line(c_prelude());
  }

  template <class List, class Name>
  void names(const std::string& what, const List& list, Name name) {
    line("enum { " + prefix_ + "_" + what + "_count = " + std::to_string(list.size()) + " };");
    std::string text = "const char* const " + prefix_ + "_" + what + "_names[] = {";
    for (const auto& item : list) text += "\n    " + c_string(name(item)) + ",";
    line(text + (list.empty() ? "0};" : "\n};"));
    line("");
  }

  template <class Value>
  void numbers(const std::string& type, const std::string& what, std::size_t count, Value value) {
    std::string text = type + " " + prefix_ + "_" + what + "[] = {";
    for (std::size_t i = 0; i < count; ++i) {
      if (i % 8 == 0) text += "\n    ";
      text += std::string(value(i)) + (i % 8 == 7 || i + 1 == count ? "," : ", ");
    }
    line(text + (count == 0 ? "0};" : "\n};"));
    line("");
  }

  void function(const std::string& name, const std::string& parameters,
                const std::vector<NodeId>& roots, const std::string& target,
                const std::string& meaning, const std::string& before = {}) {
    std::string body = c_function_body(resolved_.system, roots, target);
    line("/* " + meaning + " */");
    line("void " + prefix_ + "_" + name + "(" + parameters + ") {");
    out_.text += before;
    for (const char* unused : {"t", "x", "p"})
      if (parameters.find(unused == std::string("t")
                              ? "double t"
                              : "double* " + std::string(unused) + ",") != std::string::npos)
        line("  (void)" + std::string(unused) + ";");
    out_.text += body;
    if (roots.empty()) line("  (void)" + target + ";");
    line("}");
    line("");
  }

  void write_jacobian(const SparseExpressions& j) {
    std::vector<std::string> rows, columns;
    for (std::size_t column = 0; column + 1 < j.pattern.column_start.size(); ++column)
      for (std::size_t k = j.pattern.column_start[column];
           k < static_cast<std::size_t>(j.pattern.column_start[column + 1]); ++k) {
        rows.push_back(std::to_string(j.pattern.row[k]));
        columns.push_back(std::to_string(column));
      }
    line("/* df[row]/dx[column], only what is not always zero */");
    line("enum { " + prefix_ + "_jacobian_count = " + std::to_string(rows.size()) + " };");
    numbers("const int", "jacobian_rows", rows.size(), [&](std::size_t i) { return rows[i]; });
    numbers("const int", "jacobian_columns", rows.size(),
            [&](std::size_t i) { return columns[i]; });
    function("jacobian", arguments("j"), j.values, "j", "its values, in that order");
  }

  const Model& model_;
  ResolvedSystem resolved_;
  std::string prefix_;
  bool with_events_ = true;  // an event sets amounts, of which fast reactions know sums only
  Writing out_;
};

}  // namespace

Writing write_c(const std::shared_ptr<const Model>& model) { return CWriter(model).write(); }

}  // namespace stiffit::internal
