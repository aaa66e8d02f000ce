// SPDX-License-Identifier: Apache-2.0
#include "io/c/c_events.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "io/c/c_function.h"

namespace stiffit::internal {
namespace {

const std::string arguments = "(double t, const double* x, const double* p, double* ";
const std::string unused_arguments = "  (void)t;\n  (void)x;\n  (void)p;\n";

class CEvents {
 public:
  CEvents(System& system, std::string prefix) : system_(system), prefix_(std::move(prefix)) {}

  std::string write() {
    if (!system_.modes.empty()) roots();
    if (!system_.events.empty()) events();
    return std::move(out_);
  }

 private:
  void function(const std::string& meaning, const std::string& name,
                const std::vector<NodeId>& nodes) {
    out_ += "/* " + meaning + " */\nvoid " + prefix_ + "_" + name + arguments + "out) {\n" +
            unused_arguments + c_function_body(system_, nodes, "out") + "}\n\n";
  }

  // A floor changes wherever its argument is whole: there the sine of pi times it is zero.
  void roots() {
    Graph& graph = system_.graph;
    std::vector<NodeId> nodes;
    for (const Mode& mode : system_.modes)
      nodes.push_back(
          mode.kind == ModeKind::whole
              ? graph.apply(Op::sin, graph.mul(graph.number(3.14159265358979323846), mode.root))
              : mode.root);
    out_ += "enum { " + prefix_ + "_roots_count = " + std::to_string(nodes.size()) + " };\n";
    function("f, the outputs and the triggers jump or bend where one of these changes its sign",
             "roots", nodes);
  }

  template <class Flag>
  void flags(const std::string& meaning, const std::string& name, Flag flag) {
    out_ += "/* " + meaning + " */\nconst int " + prefix_ + "_event_" + name + "[] = {";
    for (std::size_t i = 0; i < system_.events.size(); ++i)
      out_ += (i ? ", " : "") + std::string(flag(system_.events[i]) ? "1" : "0");
    out_ += "};\n\n";
  }

  std::vector<NodeId> per_event(NodeId SystemEvent::*member, double absent) {
    std::vector<NodeId> nodes;
    for (const SystemEvent& event : system_.events)
      nodes.push_back(event.*member == no_node ? system_.graph.number(absent) : event.*member);
    return nodes;
  }

  bool any(NodeId SystemEvent::*member) const {
    return std::any_of(system_.events.begin(), system_.events.end(),
                       [&](const SystemEvent& e) { return e.*member != no_node; });
  }

  void events() {
    std::size_t most = 1;
    for (const SystemEvent& event : system_.events) most = std::max(most, event.assignments.size());
    out_ += "enum { " + prefix_ + "_events_count = " + std::to_string(system_.events.size()) +
            ", " + prefix_ + "_event_most_values = " + std::to_string(most) + " };\n";
    flags("the trigger held before the start", "initial_value",
          [](const SystemEvent& e) { return e.initial_value; });
    if (any(&SystemEvent::delay)) {
      flags("0: dropped if the trigger turns false while the event waits", "persistent",
            [](const SystemEvent& e) { return e.persistent; });
      flags("1: the values are those of the moment of the trigger", "values_at_trigger",
            [](const SystemEvent& e) { return e.values_at_trigger; });
    }
    function("1: the event's trigger holds", "event_triggers", per_event(&SystemEvent::trigger, 0));
    if (any(&SystemEvent::delay))
      function("how long after its trigger an event happens", "event_delays",
               per_event(&SystemEvent::delay, 0));
    if (any(&SystemEvent::priority))
      function("of events at one moment the highest comes first", "event_priorities",
               per_event(&SystemEvent::priority, -INFINITY));
    values();
    assign();
  }

  template <class Nodes>
  void by_event(const std::string& target, Nodes nodes) {
    out_ += "  switch (event) {\n";
    for (std::size_t i = 0; i < system_.events.size(); ++i) {
      out_ += "  case " + std::to_string(i) + ": {\n";
      std::istringstream body(c_function_body(system_, nodes(system_.events[i]), target));
      for (std::string line; std::getline(body, line);) out_ += "  " + line + "\n";
      out_ += "    break;\n  }\n";
    }
    out_ += "  }\n";
  }

  void values() {
    out_ += "/* what an event sets, in its own order */\nvoid " + prefix_ +
            "_event_values(int event, double t, const double* x, const double* p, double* v) {\n" +
            unused_arguments + "  (void)v;\n";
    by_event("v", [](const SystemEvent& event) {
      std::vector<NodeId> nodes;
      for (const SystemAssignment& a : event.assignments) nodes.push_back(a.value);
      return nodes;
    });
    out_ += "}\n\n";
  }

  bool any_sizes() const {
    for (const SystemEvent& event : system_.events)
      for (const SystemAssignment& a : event.assignments)
        if (a.size != no_node) return true;
    return false;
  }

  // A concentration is set in the compartment as it is before the event changes it.
  void assign() {
    out_ += "/* sets them; v is what " + prefix_ + "_event_values gave, then or now */\nvoid " +
            prefix_ +
            "_event_assign(int event, double t, double* x, const double* p, const double* v) {\n";
    if (any_sizes()) out_ += "  double s[" + prefix_ + "_event_most_values];\n";
    out_ += unused_arguments + "  (void)v;\n";
    if (any_sizes())
      by_event("s", [&](const SystemEvent& event) {
        std::vector<NodeId> nodes;
        for (const SystemAssignment& a : event.assignments)
          nodes.push_back(a.size == no_node ? system_.graph.number(1) : a.size);
        return nodes;
      });
    out_ += "  switch (event) {\n";
    for (std::size_t i = 0; i < system_.events.size(); ++i) {
      out_ += "  case " + std::to_string(i) + ": /* " + c_comment(system_.events[i].name) + " */\n";
      const auto& list = system_.events[i].assignments;
      for (std::size_t k = 0; k < list.size(); ++k) {
        const std::string at = "[" + std::to_string(k) + "]";
        out_ += "    x[" + std::to_string(list[k].state) + "] = v" + at +
                (list[k].size == no_node ? "" : "*s" + at) + ";\n";
      }
      out_ += "    break;\n";
    }
    out_ += "  }\n}\n\n/* both at once */\nvoid " + prefix_ +
            "_event_apply(int event, double t, double* x, const double* p) {\n  double v[" +
            prefix_ + "_event_most_values];\n  " + prefix_ +
            "_event_values(event, t, x, p, v);\n  " + prefix_ +
            "_event_assign(event, t, x, p, v);\n}\n\n";
  }

  System& system_;
  std::string prefix_, out_;
};

}  // namespace

std::string c_events(System& system, const std::string& prefix) {
  return CEvents(system, prefix).write();
}

std::string c_events_manual(const System& system, const std::string& prefix) {
  std::string text;
  if (!system.modes.empty())
    text += " * Integrate up to each change of sign in " + prefix +
            "_roots and restart just behind it.\n";
  if (system.events.empty()) return text;
  text += " * Events: just behind a root compare " + prefix +
          "_event_triggers with what it was before it;\n"
          " * an event whose trigger has turned from 0 to 1 happens: " +
          prefix +
          "_event_apply. After each one\n"
          " * evaluate the triggers again. Before the start they count as " +
          prefix + "_event_initial_value.\n";
  bool delays = false;
  for (const SystemEvent& event : system.events) delays |= event.delay != no_node;
  if (delays)
    text += " * An event with a delay waits for " + prefix +
            "_event_delays: keep what _event_values gives at the\n"
            " * trigger, or call it in the end, and hand it to _event_assign then.\n";
  if (system.has_algebraic()) text += " * After an event solve the algebraic equations again.\n";
  return text;
}

}  // namespace stiffit::internal
