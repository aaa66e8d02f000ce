// Rooted trees for tests: each is a condition that a Runge-Kutta method of its order meets, the sum
// of weight_i value_i being 1/gamma (Hairer, Norsett, Wanner, Solving ODEs I, II.2).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace stiffit::internal {

// A tree is its subtrees, given by their places in the list, ascending.
struct RootedTree {
  std::vector<std::size_t> parts;
  int order = 1;
  double gamma = 1;           // order times the gammas of the parts
  std::vector<double> value;  // per stage: product over parts of sum of a[i][j] value_j

  double sum(const double* weight, int stages) const {
    double total = 0;
    for (int j = 0; j < stages; ++j) total += weight[j] * value[j];
    return total;
  }
};

// All trees up to an order, each made from smaller ones; a(i, j) for j < i < stages.
template <class Coefficient>
std::vector<RootedTree> rooted_trees(int largest, int stages, Coefficient a) {
  const std::vector<double> ones(static_cast<std::size_t>(stages), 1);
  std::vector<RootedTree> list{{{}, 1, 1, ones}};
  for (int order = 2; order <= largest; ++order) {
    std::vector<RootedTree> fresh;
    // Multisets of trees of total order `order` - 1, as ascending sequences.
    auto extend = [&](auto&& self, std::vector<std::size_t>& parts, std::size_t from,
                      int left) -> void {
      if (left == 0) {
        RootedTree tree{parts, order, static_cast<double>(order), ones};
        for (std::size_t part : parts) {
          tree.gamma *= list[part].gamma;
          for (int i = 0; i < stages; ++i) {
            double sum = 0;
            for (int j = 0; j < i; ++j) sum += a(i, j) * list[part].value[j];
            tree.value[i] *= sum;
          }
        }
        fresh.push_back(tree);
        return;
      }
      for (std::size_t next = from; next < list.size(); ++next) {
        if (list[next].order > left) break;
        parts.push_back(next);
        self(self, parts, next, left - list[next].order);
        parts.pop_back();
      }
    };
    std::vector<std::size_t> parts;
    extend(extend, parts, 0, order - 1);
    list.insert(list.end(), fresh.begin(), fresh.end());
  }
  return list;
}

}  // namespace stiffit::internal
