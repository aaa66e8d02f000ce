// SPDX-License-Identifier: Apache-2.0
#include "analysis/reduce/polynomial.h"

#include <algorithm>

namespace stiffit::internal {

int degree(const Monomial& m) {
  int sum = 0;
  for (auto [variable, power] : m) sum += power;
  return sum;
}

int exponent(const Monomial& m, int variable) {
  for (auto [v, power] : m)
    if (v == variable) return power;
  return 0;
}

bool divides(const Monomial& d, const Monomial& m) {
  return std::all_of(d.begin(), d.end(),
                     [&](auto factor) { return exponent(m, factor.first) >= factor.second; });
}

Monomial quotient(const Monomial& m, const Monomial& d) {
  Monomial result;
  for (auto [variable, power] : m)
    if (const int left = power - exponent(d, variable); left > 0)
      result.emplace_back(variable, left);
  return result;
}

std::vector<Monomial> divisors(const Monomial& m) {
  std::vector<Monomial> list{{}};
  for (auto [variable, power] : m) {
    const std::size_t before = list.size();
    for (int p = 1; p <= power; ++p)
      for (std::size_t i = 0; i < before; ++i) {
        list.push_back(list[i]);
        list.back().emplace_back(variable, p);
      }
  }
  return list;
}

void PolynomialAlgebra::declare_inverse(int a, int b) {
  const std::size_t needed = static_cast<std::size_t>(std::max(a, b)) + 1;
  if (inverse_.size() < needed) inverse_.resize(needed, -1);
  inverse_[a] = b;
  inverse_[b] = a;
}

int PolynomialAlgebra::inverse_of(int variable) const {
  const std::size_t at = variable;
  return at < inverse_.size() ? inverse_[at] : -1;
}

Monomial PolynomialAlgebra::product(const Monomial& a, const Monomial& b) const {
  std::map<int, int> powers(a.begin(), a.end());
  for (auto [variable, power] : b) powers[variable] += power;
  for (auto& [variable, power] : powers) {
    auto other = powers.find(inverse_of(variable));
    if (other == powers.end()) continue;
    const int common = std::min(power, other->second);
    power -= common;
    other->second -= common;
  }
  Monomial result;
  for (auto [variable, power] : powers)
    if (power > 0) result.emplace_back(variable, power);
  return result;
}

void PolynomialAlgebra::add_term(Polynomial& sum, const Monomial& m, NodeId coefficient) {
  auto [at, fresh] = sum.try_emplace(m, coefficient);
  if (!fresh) at->second = graph_.add(at->second, coefficient);
  if (graph_.is_number(at->second, 0)) sum.erase(at);
}

Polynomial PolynomialAlgebra::constant(NodeId coefficient) const {
  if (graph_.is_number(coefficient, 0)) return {};
  return {{Monomial{}, coefficient}};
}

Polynomial PolynomialAlgebra::variable(int index) {
  return {{Monomial{{index, 1}}, graph_.number(1)}};
}

// a*b with the numbers of both drawn together, signs too.
NodeId PolynomialAlgebra::coefficient(NodeId a, NodeId b) {
  auto split = [this](NodeId id) -> std::pair<double, NodeId> {
    const GraphNode n = graph_[id];
    if (n.op == Op::number) return {n.value, graph_.number(1)};
    double factor = 1;
    NodeId rest = id;
    if (n.op == Op::neg) {
      factor = -1;
      rest = n.a;
    }
    const GraphNode m = graph_[rest];
    if (m.op == Op::mul && graph_.is_number(m.a)) {
      factor *= graph_[m.a].value;
      rest = m.b;
    }
    return {factor, rest};
  };
  auto [x, rest_a] = split(a);
  auto [y, rest_b] = split(b);
  return graph_.mul(graph_.number(x * y), graph_.mul(rest_a, rest_b));
}

void PolynomialAlgebra::add_to(Polynomial& sum, const Polynomial& p, NodeId factor) {
  for (auto& [m, c] : p) add_term(sum, m, coefficient(factor, c));
}

Polynomial PolynomialAlgebra::times(const Polynomial& a, const Polynomial& b) {
  Polynomial result;
  for (auto& [m, c] : a)
    for (auto& [n, d] : b) add_reduced(result, product(m, n), coefficient(c, d));
  return result;
}

void PolynomialAlgebra::declare_fraction(const FractionRule& rule) {
  fractions_.emplace(rule.fraction, rule);
}

// Each rule lowers the degree, so this ends.
void PolynomialAlgebra::add_reduced(Polynomial& sum, const Monomial& m, NodeId c) {
  for (auto [variable, power] : m) {
    const auto rule = fractions_.find(variable);
    if (rule == fractions_.end() || !divides(rule->second.product, m)) continue;
    const Monomial with = quotient(m, rule->second.product);
    const Monomial without = quotient(with, Monomial{{variable, 1}});
    const NodeId share = graph_.div(c, rule->second.factor);
    add_reduced(sum, without, share);
    add_reduced(sum, with, coefficient(graph_.number(-1), coefficient(share, rule->second.rest)));
    return;
  }
  add_term(sum, m, c);
}

Polynomial PolynomialAlgebra::partial(const Polynomial& p, int variable) {
  Polynomial result;
  for (auto& [m, c] : p)
    if (const int power = exponent(m, variable))
      add_term(result, quotient(m, Monomial{{variable, 1}}), coefficient(graph_.number(power), c));
  return result;
}

}  // namespace stiffit::internal
