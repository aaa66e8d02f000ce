// A quadratic form whose size is known beforehand. Most variables v have a derivative that v
// divides, v' = v * (sum of L): with every L a variable, v' and with it every product of such
// variables is quadratic, z' = z * (sum of L of its factors). Of the others z needs z/v as well,
// (z/v) v', and the terms of v'. All of these together are about as many as the equations have
// terms, times the number of factors that are not of the first kind.
// L. Brenig, Phys. Lett. A 133 (1988) 378, for the first kind.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analysis/reduce/polynomial_form.h"

namespace stiffit::internal {
namespace {

class Closure {
 public:
  Closure(Graph& graph, const PolynomialForm& form, std::size_t most)
      : graph_(graph), form_(form), most_(most) {
    for (std::size_t i = 0; i < form.variables.size(); ++i) {
      const Monomial self{{static_cast<int>(i), 1}};
      const Polynomial& d = form.variables[i].derivative;
      multiplies_.push_back(
          std::all_of(d.begin(), d.end(), [&](auto& term) { return divides(self, term.first); }));
      place(self);
    }
  }

  // Nothing if there would be more than `most` variables.
  std::optional<PolynomialForm> run() {
    PolynomialForm result;
    for (std::size_t i = 0; i < monomials_.size(); ++i) {
      result.variables.push_back(variable(i));
      if (monomials_.size() > most_) return std::nullopt;
    }
    for (std::size_t i = form_.variables.size(); i < monomials_.size(); ++i)
      result.variables[i].product = two_factors(monomials_[i]);
    return result;
  }

 private:
  const PolynomialVariable& old(int v) const { return form_.variables[v]; }

  int place(const Monomial& m) {
    auto [at, fresh] = place_.try_emplace(m, static_cast<int>(monomials_.size()));
    if (fresh) monomials_.push_back(m);
    return at->second;
  }

  void add(Polynomial& sum, std::initializer_list<int> factors, NodeId coefficient) {
    std::map<int, int> powers;
    for (int f : factors) ++powers[f];
    auto [at, fresh] = sum.try_emplace(Monomial(powers.begin(), powers.end()), coefficient);
    if (!fresh) at->second = graph_.add(at->second, coefficient);
    if (graph_.is_number(at->second, 0)) sum.erase(at);
  }

  // A product of the new variable `with` and the monomial m, which becomes one if it must.
  void add_product(Polynomial& sum, int with, const Monomial& m, NodeId coefficient) {
    if (m.empty())
      add(sum, {with}, coefficient);
    else
      add(sum, {with, place(m)}, coefficient);
  }

  PolynomialVariable variable(std::size_t i) {
    const Monomial m = monomials_[i];
    PolynomialVariable v;
    v.definition = graph_.number(1);
    const bool single = degree(m) == 1;
    for (auto [factor, power] : m) {
      if (single) {
        v.state = old(factor).state;
        v.relation = old(factor).relation;  // single variables keep their numbers
      }
      for (int k = 0; k < power; ++k)
        v.definition = graph_.mul(v.definition, old(factor).definition);
      const NodeId times = graph_.number(power);
      const Monomial self{{factor, 1}};
      const Monomial without = quotient(m, self);
      for (auto& [term, c] : old(factor).derivative) {
        const NodeId coefficient = graph_.mul(times, c);
        if (multiplies_[factor])
          add_product(v.derivative, static_cast<int>(i), quotient(term, self), coefficient);
        else if (!without.empty())
          add_product(v.derivative, place(without), term, coefficient);
        else
          add_alone(v.derivative, term, coefficient);
      }
    }
    return v;
  }

  // A term of a single variable's derivative: two factors if that is all there is.
  void add_alone(Polynomial& sum, const Monomial& term, NodeId coefficient) {
    if (degree(term) > 2) return add(sum, {place(term)}, coefficient);
    std::vector<int> factors;
    for (auto [v, power] : term)
      for (int k = 0; k < power; ++k) factors.push_back(v);
    if (factors.empty())
      add(sum, {}, coefficient);
    else if (factors.size() == 1)
      add(sum, {factors[0]}, coefficient);
    else
      add(sum, {factors[0], factors[1]}, coefficient);
  }

  // m as a product of two that are there; empty if it is none.
  Monomial two_factors(const Monomial& m) const {
    for (const Monomial& d : divisors(m)) {
      const auto a = place_.find(d);
      if (a == place_.end() || d == m) continue;
      const auto b = place_.find(quotient(m, d));
      if (b == place_.end()) continue;
      std::map<int, int> powers;
      ++powers[a->second];
      ++powers[b->second];
      return {powers.begin(), powers.end()};
    }
    return {};
  }

  Graph& graph_;
  const PolynomialForm& form_;
  std::size_t most_;
  std::vector<bool> multiplies_;  // per old variable: it divides its derivative
  std::vector<Monomial> monomials_;
  std::map<Monomial, int> place_;
};

}  // namespace

std::optional<PolynomialForm> logarithmic_form(Graph& graph, const PolynomialForm& form,
                                               std::size_t most) {
  return Closure(graph, form, most).run();
}

}  // namespace stiffit::internal
