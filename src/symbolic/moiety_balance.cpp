// Substitution in an order that keeps the answers short: an equation with one unknown state settles
// it; when there is none, one more state becomes free.
// SPDX-License-Identifier: Apache-2.0
#include "symbolic/moiety_balance.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace stiffit::internal {
namespace {

constexpr double nothing = 1e-9;  // relative: what rounding leaves of a zero

}  // namespace

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

namespace {

// Weights of the states as combinations of free ones.
class Balance {
 public:
  Balance(std::size_t states, const std::vector<Combination>& equations)
      : equations_(equations), known_(states, 0), weight_(states), in_(states), users_(states) {
    unknown_.resize(equations.size());
    for (std::size_t e = 0; e < equations.size(); ++e) {
      unknown_[e] = static_cast<int>(equations[e].size());
      for (auto& [state, value] : equations[e]) in_[state].push_back(static_cast<int>(e));
      if (unknown_[e] == 1) ready_.push_back(static_cast<int>(e));
    }
  }

  void solve() {
    // Small equations first: they say most.
    std::vector<int> order(equations_.size());
    for (std::size_t e = 0; e < order.size(); ++e) order[e] = static_cast<int>(e);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return equations_[a].size() < equations_[b].size(); });
    settle();
    for (int state : building_blocks())
      if (!known_[state]) {
        set_free(state);
        settle();
      }
    // Growing out from what is known keeps the number of free weights low.
    for (std::size_t next = 0; next < order.size();) {
      int e = half_known();
      if (e < 0) {
        e = order[next];
        if (unknown_[e] == 0) {
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
  // States that no equation has alone against several, nor any state they only change form with:
  // free ones that make every other weight a sum.
  std::vector<int> building_blocks() const {
    std::vector<int> parent(known_.size());
    for (std::size_t i = 0; i < parent.size(); ++i) parent[i] = static_cast<int>(i);
    auto root = [&](int i) {
      while (parent[i] != i) i = parent[i] = parent[parent[i]];
      return i;
    };
    for (const Combination& e : equations_)
      if (e.size() == 2 && e[0].second == -e[1].second) parent[root(e[0].first)] = root(e[1].first);
    std::vector<char> composed(known_.size(), 0);
    for (const Combination& e : equations_) {
      double above = 0, below = 0;  // molecules on either side
      for (auto& [state, value] : e) (value > 0 ? above : below) += std::fabs(value);
      for (auto& [state, value] : e) {
        double own = value > 0 ? above : below, other = value > 0 ? below : above;
        if (std::fabs(value) == own && own < other) composed[root(state)] = 1;
      }
    }
    std::vector<int> blocks;
    for (std::size_t i = 0; i < known_.size(); ++i)
      if (!composed[root(static_cast<int>(i))] && !in_[i].empty())
        blocks.push_back(static_cast<int>(i));
    return blocks;
  }

  // An equation with some states known and two left, if one was met.
  int half_known() {
    while (!halves_.empty()) {
      int e = halves_.back();
      if (unknown_[e] == 2) return e;
      halves_.pop_back();
    }
    return -1;
  }

  // The unknown state to set free: on the side with more states, so that a complex is the sum of
  // its parts and not a part the difference; of those, the one in most equations.
  int choose(int e) const {
    const Combination& terms = equations_[e];
    auto positive = std::count_if(terms.begin(), terms.end(), [](auto& t) { return t.second > 0; });
    auto negative = static_cast<std::ptrdiff_t>(terms.size()) - positive;
    int best = -1;
    std::pair<bool, std::size_t> merit;
    for (auto& [state, value] : terms) {
      std::size_t i = state;
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
    std::size_t i = state;
    known_[i] = 1;
    for (auto& [free, value] : weight) users_[free].push_back(state);
    weight_[i] = std::move(weight);
    for (int e : in_[i]) {
      int left = --unknown_[e];
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
      for (auto& [other, value] : equations_[e]) {
        if (known_[other]) {
          sum = plus(sum, value, weight_[other]);
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
      return users_[a.first].size() < users_[b.first].size();
    });
    const int free = victim->first;
    const double own = victim->second;
    std::vector<int> touched = std::move(users_[free]);
    users_[free].clear();
    for (int state : touched) {
      Combination& w = weight_[state];
      auto at = std::find_if(w.begin(), w.end(), [&](auto& t) { return t.first == free; });
      if (at == w.end()) continue;
      w = plus(w, -at->second / own, relation);
      std::erase_if(w, [&](auto& t) { return t.first == free; });
      for (auto& [other, value] : relation)
        if (other != free) users_[other].push_back(state);
    }
  }

  const std::vector<Combination>& equations_;
  std::vector<char> known_;
  std::vector<Combination> weight_;
  std::vector<std::vector<int>> in_, users_;  // equations of a state; states that use a free one
  std::vector<int> unknown_, ready_, halves_;
};

}  // namespace

std::vector<Combination> solve_balance(std::size_t states,
                                       const std::vector<Combination>& equations) {
  Balance balance(states, equations);
  balance.solve();
  return balance.basis();
}

}  // namespace stiffit::internal
