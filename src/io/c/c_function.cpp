// SPDX-License-Identifier: Apache-2.0
#include "io/c/c_function.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/diagnostic.h"
#include "base/number.h"

namespace stiffit::internal {
namespace {

std::string c_number(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "(-INFINITY)";
  std::string text = format_number(value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return value < 0 || text[0] == '-' ? "(" + text + ")" : text;
}

// An operation on operands that are atoms or stand in parentheses.
std::string operation(Op op, const std::string& a, const std::string& b, const std::string& c) {
  auto infix = [&](const char* sign) { return "(" + a + sign + b + ")"; };
  auto call = [&](std::string name) { return name + "(" + a + ")"; };
  auto call2 = [&](std::string name) { return name + "(" + a + ", " + b + ")"; };
  auto truth = [](const std::string& x) { return "(" + x + " != 0)"; };
  switch (op) {
    case Op::neg:
      return "(-" + a + ")";
    case Op::logical_not:
      return "(" + a + " == 0)";
    case Op::abs:
      return call("fabs");
    case Op::ln:
      return call("log");
    case Op::sec:
      return "(1/cos(" + a + "))";
    case Op::csc:
      return "(1/sin(" + a + "))";
    case Op::cot:
      return "(1/tan(" + a + "))";
    case Op::asec:
      return "acos(1/" + a + ")";
    case Op::acsc:
      return "asin(1/" + a + ")";
    case Op::acot:
      return "atan(1/" + a + ")";
    case Op::sech:
      return "(1/cosh(" + a + "))";
    case Op::csch:
      return "(1/sinh(" + a + "))";
    case Op::coth:
      return "(1/tanh(" + a + "))";
    case Op::asech:
      return "acosh(1/" + a + ")";
    case Op::acsch:
      return "asinh(1/" + a + ")";
    case Op::acoth:
      return "atanh(1/" + a + ")";
    case Op::factorial:
      return "tgamma(" + a + " + 1)";
    case Op::sign:
      return call("sign_of");
    case Op::add:
      return infix(" + ");
    case Op::sub:
      return infix(" - ");
    case Op::mul:
      return infix("*");
    case Op::div:
      return infix("/");
    case Op::min:
      return call2("lesser");
    case Op::max:
      return call2("greater");
    case Op::quotient:
      return "trunc(" + a + "/" + b + ")";
    case Op::rem:
      return call2("fmod");
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
    case Op::eq:
    case Op::ne:
      return "(" + a + " " + std::string(name_of(op)) + " " + b + ")";
    case Op::logical_and:
      return "(" + truth(a) + " && " + truth(b) + ")";
    case Op::logical_or:
      return "(" + truth(a) + " || " + truth(b) + ")";
    case Op::logical_xor:
      return "(" + truth(a) + " != " + truth(b) + ")";
    case Op::implies:
      return "(" + a + " == 0 || " + truth(b) + ")";
    case Op::select:
      return "(" + b + " != 0 ? " + a + " : " + c + ")";
    case Op::pow:
      return call2("pow");
    default:  // floor, sqrt, sin and the like have their name in C
      return call(std::string(name_of(op)));
  }
}

class Body {
 public:
  explicit Body(const System& system) : system_(system) {}

  std::string write(const std::vector<NodeId>& roots, const std::string& target) {
    for (NodeId root : roots) count(root);
    for (std::size_t i = 0; i < roots.size(); ++i) {
      make(roots[i]);
      std::string text = text_.at(roots[i]);
      if (text.front() == '(' && closes_at_end(text)) text = text.substr(1, text.size() - 2);
      out_ += "  " + target + "[" + std::to_string(i) + "] = " + text + ";\n";
    }
    return std::move(out_);
  }

 private:
  static constexpr std::size_t longest = 60;  // of what is written in place

  static bool closes_at_end(const std::string& text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      if (depth == 0) return i + 1 == text.size();
    }
    return false;
  }

  const Mode* mode_of(const GraphNode& n) const {
    if (n.op != Op::symbol || static_cast<Leaf>(n.a) != Leaf::parameter) return nullptr;
    std::size_t first = system_.parameters.size(), index = n.b;
    return index < first ? nullptr : &system_.modes[index - first];
  }

  int operands(NodeId id, NodeId (&into)[3]) const {
    const GraphNode& n = system_.graph[id];
    if (const Mode* mode = mode_of(n)) {
      into[0] = mode->root;
      return 1;
    }
    if (n.op == Op::symbol || n.op == Op::number) return 0;
    into[0] = n.a;
    into[1] = n.b;
    into[2] = n.c;
    return arity(n.op);
  }

  void count(NodeId root) {
    if (uses_[root]++) return;
    std::vector<NodeId> open{root};
    while (!open.empty()) {
      NodeId id = open.back(), below[3];
      open.pop_back();
      int n = operands(id, below);
      for (int i = 0; i < n; ++i)
        if (!uses_[below[i]]++) open.push_back(below[i]);
    }
  }

  // The text of a node and of all below it; long trees are walked, not called.
  void make(NodeId root) {
    std::vector<NodeId> open{root};
    while (!open.empty()) {
      NodeId id = open.back(), below[3];
      if (text_.contains(id)) {
        open.pop_back();
        continue;
      }
      int n = operands(id, below);
      bool ready = true;
      for (int i = n; i-- > 0;)
        if (!text_.contains(below[i])) {
          open.push_back(below[i]);
          ready = false;
        }
      if (!ready) continue;
      open.pop_back();
      name(id, n == 0 ? leaf(system_.graph[id]) : inner(id, below, n), n == 0);
    }
  }

  void name(NodeId id, std::string text, bool is_leaf) {
    if (!is_leaf && (uses_[id] > 1 || text.size() > longest)) {
      std::string variable = "v" + std::to_string(++variables_);
      if (text.front() == '(' && closes_at_end(text)) text = text.substr(1, text.size() - 2);
      out_ += "  const double " + variable + " = " + text + ";\n";
      text = variable;
    }
    text_.emplace(id, std::move(text));
  }

  std::string inner(NodeId id, const NodeId (&below)[3], int n) const {
    const std::string& a = text_.at(below[0]);
    if (const Mode* mode = mode_of(system_.graph[id])) {
      switch (mode->kind) {
        case ModeKind::positive:
          return "(" + a + " > 0)";
        case ModeKind::not_negative:
          return "(" + a + " >= 0)";
        case ModeKind::zero:
          return "(" + a + " == 0)";
        case ModeKind::whole:
          return "floor(" + a + ")";
      }
    }
    return operation(system_.graph[id].op, a, n > 1 ? text_.at(below[1]) : "",
                     n > 2 ? text_.at(below[2]) : "");
  }

  std::string leaf(const GraphNode& n) const {
    if (n.op == Op::number) return c_number(n.value);
    switch (static_cast<Leaf>(n.a)) {
      case Leaf::time:
        return "t";
      case Leaf::state:
        return "x[" + std::to_string(n.b) + "]";
      case Leaf::parameter:
        return "p[" + std::to_string(n.b) + "]";
      case Leaf::input:
        break;
    }
    throw InputError(
        "error: a model with delays cannot be written in C\n"
        "  a right-hand side of t, x and p does not know the past\n");
  }

  const System& system_;
  std::unordered_map<NodeId, int> uses_;
  std::unordered_map<NodeId, std::string> text_;
  int variables_ = 0;
  std::string out_;
};

}  // namespace

std::string c_function_body(const System& system, const std::vector<NodeId>& roots,
                            const std::string& target) {
  return Body(system).write(roots, target);
}

std::string c_comment(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  for (std::size_t at; (at = text.find("*/")) != std::string::npos;) text.replace(at, 2, "* /");
  return text;
}

std::string c_prelude() {
  return "static inline double lesser(double a, double b) { return b < a ? b : a; }\n"
         "static inline double greater(double a, double b) { return b > a ? b : a; }\n"
         "static inline double sign_of(double a) { return a > 0 ? 1 : a < 0 ? -1 : a; }\n";
}

}  // namespace stiffit::internal
