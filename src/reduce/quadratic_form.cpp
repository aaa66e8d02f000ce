// Products of variables become variables until every derivative is quadratic. Which ones is chosen
// greedily, looking one product ahead; products stay within the largest exponents that the
// equations hold, and all of those together would do, so this ends. What turns out not to be needed
// goes again.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/diagnostic.h"
#include "reduce/polynomial_form.h"

namespace stiffit {
namespace {

class Quadratiser {
 public:
  Quadratiser(Graph& graph, const PolynomialForm& form) : algebra_(graph), form_(form) {
    for (auto [a, b] : form.inverses) algebra_.declare_inverse(a, b);
    largest_.assign(form.variables.size(), 1);
    for (std::size_t i = 0; i < form.variables.size(); ++i) add({{static_cast<int>(i), 1}});
    for (const PolynomialVariable& v : form.variables)
      for (auto& [m, c] : v.derivative)
        for (auto [variable, power] : m) {
          int& top = largest_[static_cast<std::size_t>(variable)];
          top = std::max(top, power);
        }
  }

  PolynomialForm run() {
    for (auto bad = too_high(); !bad.empty(); bad = too_high()) {
      if (chosen_.size() > form_.variables.size() + most_products)
        throw InputError("error: more than " + std::to_string(most_products) +
                         " products would have to be named to make this model quadratic");
      add(best(bad));
    }
    drop_needless();
    return rewritten();
  }

 private:
  static constexpr std::size_t most_products = 2000, most_reviewed = 300;

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
    for (const Monomial& d : divisors(m)) {
      if (!place_.contains(d)) continue;
      Monomial rest = quotient(m, d);
      if (!place_.contains(rest)) continue;
      a = d;
      b = std::move(rest);
      return true;
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
        algebra_.add_to(
            sum,
            algebra_.times(factor, form_.variables[static_cast<std::size_t>(variable)].derivative),
            algebra_.graph().number(1));
      }
      at->second = std::move(sum);
    }
    return at->second;
  }

  std::vector<Monomial> too_high() {
    std::set<Monomial> bad;
    for (const Monomial& m : chosen_)
      for (auto& [term, c] : derivative(m))
        if (!serves(term)) bad.insert(term);
    return {bad.begin(), bad.end()};
  }

  bool allowed(const Monomial& m) const {
    return std::all_of(m.begin(), m.end(), [&](auto factor) {
      return factor.second <= largest_[static_cast<std::size_t>(factor.first)];
    });
  }

  // The product that leaves the fewest terms too high; among equals the one of lowest degree.
  Monomial best(const std::vector<Monomial>& bad) {
    std::set<Monomial> candidates;
    constexpr std::size_t most_looked_at = 200;
    for (const Monomial& m : bad) {
      if (candidates.size() > most_looked_at) break;
      for (const Monomial& d : divisors(m))
        if (degree(d) > 1 && degree(d) < degree(m) && !has(d) && allowed(d)) candidates.insert(d);
    }
    Monomial choice;
    long fewest = -1;
    for (const Monomial& candidate : candidates) {
      const int at = static_cast<int>(chosen_.size());
      place_[candidate] = at;
      long left = 0;
      for (const Monomial& m : bad) left += !serves(m);
      for (auto& [term, c] : derivative(candidate)) left += !serves(term);
      place_.erase(candidate);
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
    for (std::size_t i = form_.variables.size(); i < chosen_.size();) {
      const Monomial m = chosen_[i];
      place_.erase(m);
      chosen_.erase(chosen_.begin() + static_cast<long>(i));
      if (too_high().empty()) continue;
      place_[m] = 0;
      chosen_.insert(chosen_.begin() + static_cast<long>(i), m);
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
        const PolynomialVariable& factor = form_.variables[static_cast<std::size_t>(variable)];
        if (degree(m) == 1) v.state = factor.state;
        for (int i = 0; i < power; ++i) v.definition = graph.mul(v.definition, factor.definition);
      }
      Polynomial sum;
      for (auto& [term, c] : derivative(m)) {
        Monomial a, b;
        if (!factors(term, a, b)) throw std::logic_error("quadratic_form: a term is too high");
        Monomial together = as_variable(a);
        for (auto [variable, power] : as_variable(b))
          if (!together.empty() && together[0].first == variable)
            ++together[0].second;
          else
            together.emplace_back(variable, power);
        std::sort(together.begin(), together.end());
        auto [at, fresh] = sum.try_emplace(together, c);
        if (!fresh) at->second = graph.add(at->second, c);
      }
      v.derivative = std::move(sum);
      result.variables.push_back(std::move(v));
    }
    return result;
  }
  Monomial as_variable(const Monomial& m) const {
    if (m.empty()) return {};
    return {{place_.at(m), 1}};
  }

  PolynomialAlgebra algebra_;
  const PolynomialForm& form_;
  std::vector<Monomial> chosen_;
  std::map<Monomial, int> place_;
  std::map<Monomial, Polynomial> derivatives_;
  std::vector<int> largest_;  // per variable: its largest exponent in the equations
};

}  // namespace

PolynomialForm quadratic_form(Graph& graph, const PolynomialForm& form) {
  if (form.largest_degree() <= 2) return form;
  return Quadratiser(graph, form).run();
}

}  // namespace stiffit
