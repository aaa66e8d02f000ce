// SPDX-License-Identifier: Apache-2.0
#include "analysis/reduce/polynomial_form.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/diagnostic.h"
#include "symbolic/operands_first.h"

namespace stiffit::internal {
namespace {

// Products of sums with more terms than this get a name for one factor instead.
constexpr std::size_t most_terms = 64;

class Polynomialiser {
 public:
  explicit Polynomialiser(System& system)
      : system_(system), graph_(system.graph), algebra_(system.graph) {}

  PolynomialForm run() {
    const int n = static_cast<int>(system_.states.size());
    for (int i = 0; i < n; ++i) {
      define(graph_.state(i));
      form_.variables.back().state = i;
    }
    for (std::size_t i = 0; i < system_.states.size(); ++i) {
      Polynomial sum;
      for (const Term& term : system_.terms[i]) {
        const NodeId rate = graph_.mul(term.coefficient, system_.rates[index(term.reaction)]);
        algebra_.add_to(sum, Polynomial(of(rate)), graph_.number(1));
      }
      form_.variables[i].derivative = std::move(sum);
    }
    // A derivative may need further variables.
    for (std::size_t v = system_.states.size(); v < form_.variables.size(); ++v)
      derivative(static_cast<int>(v));
    return without_unused();
  }

 private:
  static std::size_t index(int i) { return i; }

  // Arguments of functions became variables too; keeps those that the equations came to need.
  PolynomialForm without_unused() {
    std::vector<int> place(form_.variables.size(), -1), order;
    auto need = [&](int v) {
      if (place[index(v)] >= 0) return;
      place[index(v)] = static_cast<int>(order.size());
      order.push_back(v);
    };
    for (std::size_t i = 0; i < system_.states.size(); ++i) need(static_cast<int>(i));
    for (std::size_t i = 0; i < order.size(); ++i)
      for (auto& [m, c] : form_.variables[index(order[i])].derivative)
        for (auto [variable, power] : m) need(variable);
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < order.size(); ++i) place[index(order[i])] = static_cast<int>(i);
    PolynomialForm kept;
    for (int v : order) {
      PolynomialVariable variable = std::move(form_.variables[index(v)]);
      Polynomial renumbered;
      for (auto& [m, c] : variable.derivative) {
        Monomial moved = m;  // still ascending
        for (auto& factor : moved) factor.first = place[index(factor.first)];
        renumbered.emplace(std::move(moved), c);
      }
      variable.derivative = std::move(renumbered);
      kept.variables.push_back(std::move(variable));
    }
    for (auto [a, b] : form_.inverses)
      if (place[index(a)] >= 0 && place[index(b)] >= 0)
        kept.inverses.emplace_back(place[index(a)], place[index(b)]);
    for (FractionRule rule : form_.fractions) {
      rule.fraction = place[index(rule.fraction)];
      bool whole = rule.fraction >= 0;
      for (auto& factor : rule.product) {
        factor.first = place[index(factor.first)];
        whole &= factor.first >= 0;
      }
      if (!whole) continue;
      kept.fractions.push_back(rule);
      const NodeId one = graph_.number(1);
      const Monomial w{{rule.fraction, 1}};
      kept.variables[index(rule.fraction)].relation = {
          {{}, graph_.div(one, rule.rest)},
          {w, graph_.number(-1)},
          {algebra_.product(rule.product, w), graph_.neg(graph_.div(rule.factor, rule.rest))}};
    }
    return kept;
  }

  // The variable that stands for a node.
  int define(NodeId node) {
    auto [at, fresh] = variable_of_.try_emplace(node, static_cast<int>(form_.variables.size()));
    if (fresh) {
      form_.variables.push_back({-1, node, {}, {}, {}});
      known_.push_back(form_.variables.size() <= system_.states.size());
      has_rule_.push_back(false);
    }
    return at->second;
  }
  Polynomial named(NodeId node) { return algebra_.variable(define(node)); }

  // The polynomial that a node is.
  const Polynomial& of(NodeId root) {
    for (NodeId node : operands_first(
             graph_, root, [this](NodeId id) { return memo_.contains(id); },
             [this](NodeId id) { return graph_.is_fixed(id); }))
      if (!memo_.contains(node)) {  // converting others may have come upon it
        Polynomial p = convert(node);
        memo_.emplace(node, std::move(p));
      }
    return memo_.at(root);
  }

  Polynomial convert(NodeId node) {
    if (graph_.is_fixed(node)) return algebra_.constant(node);
    const GraphNode n = graph_[node];  // by value: the graph grows
    switch (n.op) {
      case Op::symbol:
        if (static_cast<Leaf>(n.a) == Leaf::input) refuse(node);
        return named(node);
      case Op::neg:
        return scaled(of(n.a), -1);
      case Op::add:
      case Op::sub: {
        Polynomial sum = of(n.a);
        algebra_.add_to(sum, of(n.b), graph_.number(n.op == Op::add ? 1 : -1));
        return sum;
      }
      case Op::mul:
        return product(n.a, n.b);
      case Op::div:
        return algebra_.times(small(n.a), inverse(n.b));
      case Op::sqrt:
        return root(n.a, 1);
      case Op::pow:
        return power(n.a, n.b);
      case Op::log10:
        return scaled(named(graph_.apply(Op::ln, n.a)), 1 / std::log(10.0));
      case Op::exp:
      case Op::ln:
      case Op::sin:
      case Op::cos:
      case Op::tan:
      case Op::sinh:
      case Op::cosh:
      case Op::tanh:
      case Op::asin:
      case Op::acos:
      case Op::atan:
      case Op::asinh:
      case Op::acosh:
      case Op::atanh:
        of(n.a);  // so that its parts are variables too
        return named(node);
      default:
        refuse(node);
    }
  }

  [[noreturn]] void refuse(NodeId node) {
    const GraphNode& n = graph_[node];
    throw InputError(
        "error: the model holds " +
        (n.op == Op::symbol ? std::string("a delay") : "'" + std::string(name_of(n.op)) + "'") +
        ", which no polynomial can say");
  }

  Polynomial scaled(const Polynomial& p, double factor) {
    Polynomial result;
    algebra_.add_to(result, p, graph_.number(factor));
    return result;
  }

  // A factor with few terms: that of many is named.
  Polynomial small(NodeId node) {
    const Polynomial& p = of(node);
    return p.size() > most_terms / 4 ? named(node) : p;
  }
  Polynomial product(NodeId a, NodeId b) {
    const std::size_t terms = of(a).size() * of(b).size();
    const bool one_is_short = of(a).size() == 1 || of(b).size() == 1;
    if (terms <= most_terms || one_is_short) return algebra_.times(of(a), of(b));
    if (of(a).size() >= of(b).size()) return algebra_.times(named(a), of(b));
    return algebra_.times(of(a), named(b));
  }

  Polynomial inverse_variable(int v) {
    if (const int known = algebra_.inverse_of(v); known >= 0) return algebra_.variable(known);
    const int u = define(graph_.div(graph_.number(1), form_.variables[index(v)].definition));
    algebra_.declare_inverse(v, u);
    form_.inverses.emplace_back(v, u);
    return algebra_.variable(u);
  }

  // 1/node: of a product factor by factor, of a sum a variable.
  Polynomial inverse(NodeId node) {
    const GraphNode n = graph_[node];
    if (n.op == Op::sqrt) return root(n.a, -1);
    if (n.op == Op::mul && !graph_.is_fixed(n.a)) return algebra_.times(inverse(n.a), inverse(n.b));
    const Polynomial p = of(node);
    if (p.size() != 1) return fraction(node, p);
    const auto& [m, c] = *p.begin();
    Polynomial result = algebra_.constant(graph_.div(graph_.number(1), c));
    for (auto [variable, times] : m)
      for (int i = 0; i < times; ++i) result = algebra_.times(result, inverse_variable(variable));
    return result;
  }

  // 1/node as a variable; of a constant and one product it gets a rule.
  Polynomial fraction(NodeId node, const Polynomial& p) {
    const int w = define(graph_.div(graph_.number(1), node));
    if (p.size() == 2 && p.begin()->first.empty() && !has_rule_[index(w)]) {
      has_rule_[index(w)] = true;
      const FractionRule rule{w, p.rbegin()->first, p.begin()->second, p.rbegin()->second};
      algebra_.declare_fraction(rule);
      form_.fractions.push_back(rule);
    }
    return algebra_.variable(w);
  }

  // node^(n/2), n odd, by the variable node^(-1/2).
  Polynomial root(NodeId node, int n) {
    const Polynomial p = of(node);
    Polynomial result = named(graph_.div(graph_.number(1), graph_.apply(Op::sqrt, node)));
    for (int i = -1; i < n; i += 2) result = algebra_.times(result, p);
    for (int i = -1; i > n; i -= 2) result = algebra_.times(result, inverse(node));
    return result;
  }

  Polynomial power(NodeId base, NodeId exponent_node) {
    if (graph_.is_number(exponent_node)) {
      const double e = graph_[exponent_node].value;
      constexpr double largest = 6;
      if (e * 2 == std::trunc(e * 2) && e != std::trunc(e) && std::fabs(e) < largest)
        return root(base, static_cast<int>(e * 2));
      if (e == std::trunc(e) && e > 0 && e < 64) {
        Polynomial result = algebra_.constant(graph_.number(1));
        for (int i = 0; i < static_cast<int>(e); ++i) result = algebra_.times(result, small(base));
        return result;
      }
      if (e == std::trunc(e) && e < 0 && e > -64) {
        Polynomial result = algebra_.constant(graph_.number(1));
        for (int i = 0; i < static_cast<int>(-e); ++i)
          result = algebra_.times(result, inverse(base));
        return result;
      }
    }
    if (graph_.is_fixed(exponent_node)) {
      of(base);
      return named(graph_.pow(base, exponent_node));
    }
    return of(graph_.apply(Op::exp, graph_.mul(exponent_node, graph_.apply(Op::ln, base))));
  }

  // d/dt along the solution.
  const Polynomial& derivative(int v) {
    if (!known_[index(v)]) {
      known_[index(v)] = true;
      Polynomial p = find_derivative(v);
      form_.variables[index(v)].derivative = std::move(p);
    }
    return form_.variables[index(v)].derivative;
  }

  Polynomial derivative_of(const Polynomial& p) {
    std::vector<int> variables;
    for (auto& [m, c] : p)
      for (auto [variable, times] : m) variables.push_back(variable);
    std::sort(variables.begin(), variables.end());
    variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
    Polynomial sum;
    for (int v : variables)
      algebra_.add_to(sum, algebra_.times(algebra_.partial(p, v), Polynomial(derivative(v))),
                      graph_.number(1));
    return sum;
  }

  // v'/v: without 1/v where every term of v' has the factor v.
  Polynomial logarithmic_derivative(int v) {
    const Polynomial d = derivative(v);
    const Monomial factor{{v, 1}};
    if (!std::all_of(d.begin(), d.end(), [&](auto& term) { return divides(factor, term.first); }))
      return algebra_.times(d, inverse_variable(v));
    Polynomial result;
    for (auto& [m, c] : d) result.emplace(quotient(m, factor), c);
    return result;
  }
  Polynomial logarithmic_derivative(NodeId node) {
    const Polynomial p = of(node);
    if (p.size() != 1) return algebra_.times(derivative_of(p), inverse(node));
    Polynomial sum;
    for (auto [variable, times] : p.begin()->first)
      algebra_.add_to(sum, logarithmic_derivative(variable), graph_.number(times));
    return sum;
  }

  Polynomial find_derivative(int v) {
    const NodeId node = form_.variables[index(v)].definition;
    const GraphNode n = graph_[node];
    const Polynomial self = algebra_.variable(v);
    const NodeId one = graph_.number(1);
    if (auto sum = memo_.find(node); sum != memo_.end() && sum->second != self)
      return derivative_of(Polynomial(sum->second));  // named for its length
    auto inner = [&] { return derivative_of(Polynomial(of(n.a))); };
    switch (n.op) {
      case Op::symbol:  // time
        return algebra_.constant(one);
      case Op::div: {
        // 1/b, or b^(-1/2)
        const GraphNode below = graph_[n.b];
        if (below.op == Op::sqrt)
          return scaled(algebra_.times(self, logarithmic_derivative(below.a)), -0.5);
        const Polynomial minus_square = scaled(algebra_.times(self, self), -1);
        if (const int other = algebra_.inverse_of(v); other >= 0)
          return algebra_.times(minus_square, Polynomial(derivative(other)));
        return algebra_.times(minus_square, derivative_of(Polynomial(of(n.b))));
      }
      case Op::exp:
        return algebra_.times(self, inner());
      case Op::ln:
        return logarithmic_derivative(n.a);
      case Op::sin:
        return algebra_.times(named(graph_.apply(Op::cos, n.a)), inner());
      case Op::cos:
        return scaled(algebra_.times(named(graph_.apply(Op::sin, n.a)), inner()), -1);
      case Op::sinh:
        return algebra_.times(named(graph_.apply(Op::cosh, n.a)), inner());
      case Op::cosh:
        return algebra_.times(named(graph_.apply(Op::sinh, n.a)), inner());
      case Op::tan:
      case Op::tanh: {
        Polynomial slope = algebra_.constant(one);
        algebra_.add_to(slope, algebra_.times(self, self), graph_.number(n.op == Op::tan ? 1 : -1));
        return algebra_.times(slope, inner());
      }
      case Op::pow: {
        Polynomial result;
        algebra_.add_to(result, algebra_.times(self, logarithmic_derivative(n.a)), n.b);
        return result;
      }
      case Op::asin:
      case Op::acos:
      case Op::atan:
      case Op::asinh:
      case Op::acosh:
      case Op::atanh:
        return algebra_.times(of_inverse_function(n), inner());
      default:
        refuse(node);
    }
  }

  // The derivative of asin and the like by its argument.
  Polynomial of_inverse_function(const GraphNode& n) {
    const NodeId one = graph_.number(1), square = graph_.mul(n.a, n.a);
    switch (n.op) {
      case Op::asin:
        return root(graph_.sub(one, square), -1);
      case Op::acos:
        return scaled(root(graph_.sub(one, square), -1), -1);
      case Op::asinh:
        return root(graph_.add(one, square), -1);
      case Op::acosh:
        return root(graph_.sub(square, one), -1);
      case Op::atan:
        return inverse(graph_.add(one, square));
      default:  // atanh
        return inverse(graph_.sub(one, square));
    }
  }

  System& system_;
  Graph& graph_;
  PolynomialAlgebra algebra_;
  PolynomialForm form_;
  std::vector<char> known_;     // per variable: its derivative
  std::vector<char> has_rule_;  // per variable: it is a fraction with a rule
  std::unordered_map<NodeId, int> variable_of_;
  std::unordered_map<NodeId, Polynomial> memo_;
};

}  // namespace

int PolynomialForm::largest_degree() const {
  int largest = 0;
  for (const PolynomialVariable& v : variables)
    for (auto& [m, c] : v.derivative) largest = std::max(largest, degree(m));
  return largest;
}

PolynomialForm polynomial_form(System& system) {
  if (!system.modes.empty() || !system.events.empty())
    throw InputError(
        "error: the model has events or conditions (piecewise, min, floor, ...): between two "
        "switches it may be polynomial, as a whole it is not");
  if (system.has_algebraic() || !system.equilibrium.states.empty())
    throw InputError(
        "error: the model has algebraic equations or fast reactions that could not be solved; a "
        "polynomial form needs x' = f(x) for every variable");
  return Polynomialiser(system).run();
}

}  // namespace stiffit::internal
