// Every reaction says that the weights of what it uses and makes balance. These equations are
// solved for the weights by substitution in an order that keeps the answers short: an equation
// with one unknown state settles it; when there is none, one more state becomes free.
// SPDX-License-Identifier: Apache-2.0
#include "symbolic/moieties.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace stiffit {
namespace {

using Combination = std::vector<std::pair<int, double>>;  // index ascending, never zero

constexpr double nothing = 1e-9;  // relative: what rounding leaves of a zero

// a + factor*b
Combination plus(const Combination& a, double factor, const Combination& b) {
  Combination sum;
  sum.reserve(a.size() + b.size());
  auto i = a.begin();
  auto j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->first < j->first)) {
      sum.push_back(*i++);
    } else if (i == a.end() || j->first < i->first) {
      sum.emplace_back(j->first, factor * j->second);
      ++j;
    } else {
      double x = i->second, y = factor * j->second;
      if (std::fabs(x + y) > nothing * (std::fabs(x) + std::fabs(y)))
        sum.emplace_back(i->first, x + y);
      ++i;
      ++j;
    }
  }
  return sum;
}

void scale(Combination& c, double factor) {
  for (auto& [index, value] : c) value *= factor;
}

// The different columns of the stoichiometric matrix, up to a factor, and a column of its own for
// each state that can be part of nothing.
std::vector<Combination> balance_equations(const System& system) {
  std::vector<Combination> columns(system.rates.size());
  std::unordered_map<NodeId, double> values;
  std::vector<Combination> result;
  for (std::size_t i = 0; i < system.terms.size(); ++i) {
    bool moving = false;
    for (const Term& term : system.terms[i]) {
      double value = not_set;
      if (system.graph.is_number(term.coefficient)) {
        value = system.graph[term.coefficient].value;
      } else if (system.graph.is_fixed(term.coefficient)) {
        auto [at, fresh] = values.try_emplace(term.coefficient, 0.0);
        if (fresh)
          at->second = system.graph.value(term.coefficient, [&](Leaf, int index) {
            return system.parameters[static_cast<std::size_t>(index)].value;
          });
        value = at->second;
      }
      if (!std::isfinite(value))
        moving = true;
      else if (value != 0)
        columns[static_cast<std::size_t>(term.reaction)].emplace_back(static_cast<int>(i), value);
    }
    if (moving) result.push_back({{static_cast<int>(i), 1.0}});
  }
  std::erase_if(columns, [](const Combination& c) { return c.empty(); });
  for (Combination& c : columns) {
    // A reaction may name a state twice; states come in ascending order.
    std::size_t last = 0;
    for (std::size_t k = 1; k < c.size(); ++k) {
      if (c[k].first == c[last].first)
        c[last].second += c[k].second;
      else
        c[++last] = c[k];
    }
    c.resize(last + 1);
    std::erase_if(c, [](auto& term) { return term.second == 0; });
    if (!c.empty()) scale(c, 1 / c.front().second);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  std::erase_if(columns, [](const Combination& c) { return c.empty(); });
  std::move(columns.begin(), columns.end(), std::back_inserter(result));
  return result;
}

// Weights of the states as combinations of free ones.
class Balance {
 public:
  Balance(std::size_t states, const std::vector<Combination>& equations)
      : equations_(equations), known_(states, 0), weight_(states), in_(states), users_(states) {
    unknown_.resize(equations.size());
    for (std::size_t e = 0; e < equations.size(); ++e) {
      unknown_[e] = static_cast<int>(equations[e].size());
      for (auto& [state, value] : equations[e])
        in_[static_cast<std::size_t>(state)].push_back(static_cast<int>(e));
      if (unknown_[e] == 1) ready_.push_back(static_cast<int>(e));
    }
  }

  void solve() {
    // Small equations first: they say most.
    std::vector<int> order(equations_.size());
    for (std::size_t e = 0; e < order.size(); ++e) order[e] = static_cast<int>(e);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return equations_[static_cast<std::size_t>(a)].size() <
             equations_[static_cast<std::size_t>(b)].size();
    });
    settle();
    // Growing out from what is known keeps the number of free weights low.
    for (std::size_t next = 0; next < order.size();) {
      int e = half_known();
      if (e < 0) {
        e = order[next];
        if (unknown_[static_cast<std::size_t>(e)] == 0) {
          ++next;
          continue;
        }
      }
      set_free(choose(e));
      settle();
    }
    for (std::size_t i = 0; i < known_.size(); ++i)
      if (!known_[i]) set_free(static_cast<int>(i));
  }

  // One combination of states per free weight.
  std::vector<Combination> basis() const {
    std::map<int, Combination> rows;
    for (std::size_t i = 0; i < weight_.size(); ++i)
      for (auto& [free, value] : weight_[i]) rows[free].emplace_back(static_cast<int>(i), value);
    std::vector<Combination> result;
    for (auto& [free, row] : rows) result.push_back(std::move(row));
    return result;
  }

 private:
  // An equation with some states known and two left, if one was met.
  int half_known() {
    while (!halves_.empty()) {
      int e = halves_.back();
      if (unknown_[static_cast<std::size_t>(e)] == 2) return e;
      halves_.pop_back();
    }
    return -1;
  }

  // The unknown state to set free: on the side with more states, so that a complex is the sum of
  // its parts and not a part the difference; of those, the one in most equations.
  int choose(int e) const {
    const Combination& terms = equations_[static_cast<std::size_t>(e)];
    auto positive = std::count_if(terms.begin(), terms.end(), [](auto& t) { return t.second > 0; });
    auto negative = static_cast<std::ptrdiff_t>(terms.size()) - positive;
    int best = -1;
    std::pair<bool, std::size_t> merit;
    for (auto& [state, value] : terms) {
      auto i = static_cast<std::size_t>(state);
      if (known_[i]) continue;
      std::pair<bool, std::size_t> own{value > 0 ? positive > negative : negative > positive,
                                       in_[i].size()};
      if (best < 0 || own > merit) {
        best = state;
        merit = own;
      }
    }
    return best;
  }

  void set_free(int state) { learn(state, {{state, 1.0}}); }

  void learn(int state, Combination weight) {
    auto i = static_cast<std::size_t>(state);
    known_[i] = 1;
    for (auto& [free, value] : weight) users_[static_cast<std::size_t>(free)].push_back(state);
    weight_[i] = std::move(weight);
    for (int e : in_[i]) {
      int left = --unknown_[static_cast<std::size_t>(e)];
      if (left <= 1) ready_.push_back(e);
      if (left == 2) halves_.push_back(e);
    }
  }

  void settle() {
    while (!ready_.empty()) {
      int e = ready_.back();
      ready_.pop_back();
      Combination sum;
      int state = -1;
      double own = 0;
      for (auto& [other, value] : equations_[static_cast<std::size_t>(e)]) {
        if (known_[static_cast<std::size_t>(other)]) {
          sum = plus(sum, value, weight_[static_cast<std::size_t>(other)]);
        } else {
          state = other;
          own = value;
        }
      }
      if (state >= 0) {
        scale(sum, -1 / own);
        learn(state, std::move(sum));
      } else if (!sum.empty()) {
        eliminate(sum);
      }
    }
  }

  // A closed cycle of reactions relates free weights: one of them, the least used, goes.
  void eliminate(const Combination& relation) {
    auto victim = std::min_element(relation.begin(), relation.end(), [&](auto& a, auto& b) {
      return users_[static_cast<std::size_t>(a.first)].size() <
             users_[static_cast<std::size_t>(b.first)].size();
    });
    const int free = victim->first;
    const double own = victim->second;
    std::vector<int> touched = std::move(users_[static_cast<std::size_t>(free)]);
    users_[static_cast<std::size_t>(free)].clear();
    for (int state : touched) {
      Combination& w = weight_[static_cast<std::size_t>(state)];
      auto at = std::find_if(w.begin(), w.end(), [&](auto& t) { return t.first == free; });
      if (at == w.end()) continue;
      w = plus(w, -at->second / own, relation);
      std::erase_if(w, [&](auto& t) { return t.first == free; });
      for (auto& [other, value] : relation)
        if (other != free) users_[static_cast<std::size_t>(other)].push_back(state);
    }
  }

  const std::vector<Combination>& equations_;
  std::vector<char> known_;
  std::vector<Combination> weight_;
  std::vector<std::vector<int>> in_, users_;  // equations of a state; states that use a free one
  std::vector<int> unknown_, ready_, halves_;
};

long negatives(const Combination& c) {
  return std::count_if(c.begin(), c.end(), [](auto& t) { return t.second < 0; });
}

// Whole coefficients without a common divisor if small ones exist, else the smallest is 1.
void normalise(Combination& c) {
  double smallest = std::fabs(c.front().second);
  for (auto& [index, value] : c) smallest = std::min(smallest, std::fabs(value));
  double sign = 2 * negatives(c) > static_cast<long>(c.size()) ? -1 : 1;
  scale(c, sign / smallest);
  for (int factor = 1; factor <= 12; ++factor) {
    bool whole = std::all_of(c.begin(), c.end(), [&](auto& t) {
      double v = factor * t.second;
      return std::fabs(v - std::round(v)) < 1e-7 * std::fabs(v);
    });
    if (!whole) continue;
    for (auto& [index, value] : c) value = std::round(factor * value);
    return;
  }
}

double value_at(const Combination& c, int index) {
  auto at =
      std::lower_bound(c.begin(), c.end(), index, [](auto& term, int i) { return term.first < i; });
  return at != c.end() && at->first == index ? at->second : 0;
}

// a without its negative terms, or shorter, by a multiple of b. True if that helped.
bool improve(Combination& a, const Combination& b) {
  if (negatives(b)) return false;
  double most = 0, least = INFINITY;  // of b, to lift all negatives; to keep a non-negative
  for (auto& [index, value] : b) {
    double own = value_at(a, index);
    most = std::max(most, -own / value);
    least = std::min(least, own / value);
  }
  const double factor = negatives(a) ? most : -least;
  if (factor == 0 || !std::isfinite(factor)) return false;
  Combination better = plus(a, factor, b);
  if (better.empty()) return false;
  auto rank = [](const Combination& c) { return std::pair(negatives(c), c.size()); };
  if (!(rank(better) < rank(a))) return false;
  normalise(better);
  a = std::move(better);
  return true;
}

void beautify(std::vector<Combination>& basis) {
  constexpr std::size_t most_pairs = 300 * 300;
  for (Combination& c : basis) normalise(c);
  std::size_t pairs = 0;
  for (bool again = true; again && pairs < 20 * most_pairs;) {
    again = false;
    for (std::size_t i = 0; i < basis.size(); ++i)
      for (std::size_t j = 0; j < basis.size() && pairs < 20 * most_pairs; ++j, ++pairs)
        if (i != j) again |= improve(basis[i], basis[j]);
  }
}

}  // namespace

std::vector<Moiety> conserved_moieties(const System& system) {
  std::vector<Combination> equations = balance_equations(system);
  Balance balance(system.states.size(), equations);
  balance.solve();
  std::vector<Combination> basis = balance.basis();
  beautify(basis);
  std::sort(basis.begin(), basis.end(), [](auto& a, auto& b) {
    return a.front().first != b.front().first ? a.front().first < b.front().first
                                              : a.size() < b.size();
  });
  // Coefficients of very different size can leave more than rounding: such are not claimed.
  std::vector<Moiety> result;
  std::vector<double> dense(system.states.size());
  for (Combination& c : basis) {
    for (auto& [index, value] : c) dense[static_cast<std::size_t>(index)] = value;
    bool holds = std::all_of(equations.begin(), equations.end(), [&](const Combination& e) {
      double sum = 0, size = 0;
      for (auto& [index, value] : e) {
        double part = value * dense[static_cast<std::size_t>(index)];
        sum += part;
        size += std::fabs(part);
      }
      return std::fabs(sum) <= 1e-8 * size;
    });
    for (auto& [index, value] : c) dense[static_cast<std::size_t>(index)] = 0;
    if (holds) result.push_back({std::move(c)});
  }
  return result;
}

}  // namespace stiffit
