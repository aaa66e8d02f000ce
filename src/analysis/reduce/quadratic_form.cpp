// Products of variables become variables until every derivative is quadratic. Which ones is chosen
// greedily, looking one product ahead; products stay within the largest exponents that the
// equations hold, and all of those together would do, so this ends. What turns out not to be needed
// goes again.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include "analysis/reduce/polynomial_form.h"
#include "base/diagnostic.h"

namespace stiffit::internal {
namespace {

double number_of_divisors(const Monomial& m) {
  double count = 1;
  for (auto [variable, power] : m) count *= power + 1;
  return count;
}

class Quadratiser {
 public:
  Quadratiser(Graph& graph, const PolynomialForm& form, const std::atomic<bool>* interrupt)
      : algebra_(graph), form_(form), interrupt_(interrupt) {
    for (auto [a, b] : form.inverses) algebra_.declare_inverse(a, b);
    for (const FractionRule& rule : form.fractions) algebra_.declare_fraction(rule);
    largest_.assign(form.variables.size(), 1);
    for (std::size_t i = 0; i < form.variables.size(); ++i) add({{static_cast<int>(i), 1}});
    for (const PolynomialVariable& v : form.variables)
      for (auto& [m, c] : v.derivative)
        for (auto [variable, power] : m) {
          int& top = largest_[variable];
          top = std::max(top, power);
        }
  }

  // Nothing if it takes too long, or more products than `most`.
  std::optional<PolynomialForm> run(std::size_t most) {
    most_ = most;
    try {
      for (auto bad = too_high(); !bad.empty(); bad = too_high()) add(best(bad));
      drop_needless();
      return rewritten();
    } catch (const TooMuch&) {
      return std::nullopt;
    }
  }

 private:
  struct TooMuch {};
  static constexpr std::size_t most_reviewed = 100, most_terms = 30000;
  static constexpr double most_comparisons = 2e6;

  void check_effort() const {
    if (interrupt_ && interrupt_->load(std::memory_order_relaxed))
      throw InputError("error: interrupted while products were named; nothing is written");
    if (terms_ > most_terms || comparisons_ > most_comparisons || chosen_.size() > most_)
      throw TooMuch();
  }

  void add(const Monomial& m) {
    place_[m] = static_cast<int>(chosen_.size());
    chosen_.push_back(m);
  }
  bool has(const Monomial& m) const { return m.empty() || place_.contains(m); }

  // The two factors of m among the chosen and one, or none.
  bool factors(const Monomial& m, Monomial& a, Monomial& b) const {
    if (has(m)) {
      a = m;
      b = {};
      return true;
    }
    auto is_one = [&](const Monomial& d) {
      Monomial rest = quotient(m, d);
      if (!place_.contains(rest)) return false;
      a = d;
      b = std::move(rest);
      return true;
    };
    // Whichever are fewer: its divisors, or all that were chosen.
    const double count = number_of_divisors(m);
    comparisons_ += std::min(count, static_cast<double>(chosen_.size()));
    if (count <= static_cast<double>(chosen_.size())) {
      for (const Monomial& d : divisors(m))
        if (place_.contains(d) && is_one(d)) return true;
    } else {
      for (const Monomial& d : chosen_)
        if (divides(d, m) && is_one(d)) return true;
    }
    return false;
  }
  bool serves(const Monomial& m) const {
    if (degree(m) <= 2) return true;
    Monomial a, b;
    return factors(m, a, b);
  }

  const Polynomial& derivative(const Monomial& m) {
    auto [at, fresh] = derivatives_.try_emplace(m);
    if (fresh) {
      Polynomial sum;
      for (auto [variable, power] : m) {
        Polynomial factor{{quotient(m, Monomial{{variable, 1}}), algebra_.graph().number(power)}};
        algebra_.add_to(sum, algebra_.times(factor, form_.variables[variable].derivative),
                        algebra_.graph().number(1));
      }
      at->second = std::move(sum);
      terms_ += at->second.size();
      check_effort();
    }
    return at->second;
  }

  // Terms of m' that are no product of two chosen ones. What serves once serves ever after, and a
  // new one can serve only as a factor: so only those need be tried that came since.
  const std::vector<Monomial>& open_terms(const Monomial& m) {
    auto [at, fresh] = open_.try_emplace(m);
    Open& open = at->second;
    if (fresh) {
      for (auto& [term, c] : derivative(m)) {
        check_effort();
        if (!serves(term)) open.terms.push_back(term);
      }
    } else {
      for (; open.seen < chosen_.size(); ++open.seen)
        std::erase_if(open.terms,
                      [&](const Monomial& term) { return serves_with(term, chosen_[open.seen]); });
    }
    open.seen = chosen_.size();
    return open.terms;
  }
  bool serves_with(const Monomial& term, const Monomial& factor) const {
    if (!divides(factor, term)) return false;
    const Monomial rest = quotient(term, factor);
    return rest == factor || has(rest);
  }

  std::vector<Monomial> too_high() {
    std::set<Monomial> bad;
    for (const Monomial& m : chosen_) {
      const std::vector<Monomial>& terms = open_terms(m);
      bad.insert(terms.begin(), terms.end());
    }
    return {bad.begin(), bad.end()};
  }

  bool allowed(const Monomial& m) const {
    return std::all_of(m.begin(), m.end(),
                       [&](auto factor) { return factor.second <= largest_[factor.first]; });
  }

  // The product that leaves the fewest terms too high; among equals the one of lowest degree.
  Monomial best(const std::vector<Monomial>& bad) {
    std::set<Monomial> candidates;
    constexpr std::size_t most_looked_at = 200;
    for (const Monomial& m : bad) {
      if (candidates.size() > most_looked_at) break;
      comparisons_ += number_of_divisors(m);
      check_effort();
      for (const Monomial& d : divisors(m))
        if (degree(d) > 1 && degree(d) < degree(m) && !has(d) && allowed(d)) candidates.insert(d);
    }
    Monomial choice;
    long fewest = -1;
    for (const Monomial& candidate : candidates) {
      comparisons_ += static_cast<double>(bad.size());
      check_effort();
      long left = 0;
      for (const Monomial& m : bad) left += !serves_with(m, candidate);
      for (const Monomial& m : open_terms(candidate)) left += !serves_with(m, candidate);
      if (fewest < 0 || left < fewest || (left == fewest && degree(candidate) < degree(choice))) {
        fewest = left;
        choice = candidate;
      }
    }
    if (fewest < 0) throw std::logic_error("quadratic_form: no product to name");
    return choice;
  }

  void drop_needless() {
    if (chosen_.size() > form_.variables.size() + most_reviewed) return;
    auto closed = [this] {
      for (const Monomial& m : chosen_)
        for (auto& [term, c] : derivative(m))
          if (!serves(term)) return false;
      return true;
    };
    const double most = comparisons_ + most_comparisons;
    for (std::size_t i = form_.variables.size(); i < chosen_.size() && comparisons_ < most;) {
      const Monomial m = chosen_[i];
      place_.erase(m);
      chosen_.erase(chosen_.begin() + i);
      if (closed()) continue;
      place_[m] = 0;
      chosen_.insert(chosen_.begin() + i, m);
      ++i;
    }
    for (std::size_t i = 0; i < chosen_.size(); ++i) place_[chosen_[i]] = static_cast<int>(i);
  }

  PolynomialForm rewritten() {
    PolynomialForm result;
    Graph& graph = algebra_.graph();
    for (const Monomial& m : chosen_) {
      PolynomialVariable v;
      v.definition = graph.number(1);
      for (auto [variable, power] : m) {
        const PolynomialVariable& factor = form_.variables[variable];
        if (degree(m) == 1) v.state = factor.state;
        for (int i = 0; i < power; ++i) v.definition = graph.mul(v.definition, factor.definition);
      }
      Polynomial sum;
      for (auto& [term, c] : derivative(m)) {
        Monomial a, b;
        if (!factors(term, a, b)) throw std::logic_error("quadratic_form: a term is too high");
        auto [at, fresh] = sum.try_emplace(together(a, b), c);
        if (!fresh) at->second = graph.add(at->second, c);
      }
      v.derivative = std::move(sum);
      if (degree(m) > 1)
        v.product = two_factors(m);
      else  // single variables keep their numbers
        v.relation = form_.variables[m[0].first].relation;
      result.variables.push_back(std::move(v));
    }
    return result;
  }
  // m as a product of two others; empty if there are none.
  Monomial two_factors(const Monomial& m) const {
    for (const Monomial& d : divisors(m))
      if (d != m && place_.contains(d))
        if (const Monomial rest = quotient(m, d); place_.contains(rest)) return together(d, rest);
    return {};
  }
  // The product of two chosen ones (or one) in the new variables.
  Monomial together(const Monomial& a, const Monomial& b) const {
    std::map<int, int> powers;
    for (const Monomial* m : {&a, &b})
      if (!m->empty()) ++powers[place_.at(*m)];
    return {powers.begin(), powers.end()};
  }

  PolynomialAlgebra algebra_;
  const PolynomialForm& form_;
  const std::atomic<bool>* interrupt_;
  std::size_t most_ = 0;            // variables
  std::size_t terms_ = 0;           // of the derivatives made
  mutable double comparisons_ = 0;  // of terms with products, chosen or to be
  std::vector<Monomial> chosen_;
  std::map<Monomial, int> place_;
  std::map<Monomial, Polynomial> derivatives_;
  struct Open {
    std::vector<Monomial> terms;
    std::size_t seen = 0;  // of chosen_
  };
  std::map<Monomial, Open> open_;
  std::vector<int> largest_;  // per variable: its largest exponent in the equations
};

}  // namespace

PolynomialForm held_products(Graph& graph, const PolynomialForm& form, double strength) {
  PolynomialForm held = form;
  PolynomialAlgebra algebra(graph);
  for (std::size_t i = 0; i < held.variables.size(); ++i) {
    PolynomialVariable& v = held.variables[i];
    const int most = std::max(2, form.largest_degree());
    if (std::all_of(v.relation.begin(), v.relation.end(),
                    [&](auto& term) { return degree(term.first) <= most; }))
      algebra.add_to(v.derivative, v.relation, graph.number(strength));
    if (v.product.empty()) continue;
    algebra.add_to(v.derivative, {{v.product, graph.number(1)}}, graph.number(strength));
    algebra.add_to(v.derivative, algebra.variable(static_cast<int>(i)), graph.number(-strength));
  }
  return held;
}

PolynomialForm quadratic_form(Graph& graph, const PolynomialForm& form,
                              const std::atomic<bool>* interrupt) {
  if (form.largest_degree() <= 2) return form;
  constexpr std::size_t most_variables = 3000;
  std::optional<PolynomialForm> large = logarithmic_form(graph, form, most_variables);
  const std::size_t most = large ? large->variables.size() : most_variables;
  if (auto small = Quadratiser(graph, form, interrupt).run(most)) return std::move(*small);
  if (!large)
    throw InputError("error: the quadratic form of this model would have more than " +
                     std::to_string(most_variables) + " variables");
  return std::move(*large);
}

}  // namespace stiffit::internal
