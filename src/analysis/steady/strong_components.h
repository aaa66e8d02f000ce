// Strongly connected components of a directed graph, those that others are reached from first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

namespace stiffit::internal {

// `successors(j)`: the nodes that j has an edge to, as a range of int. Tarjan (1972), without
// recursion: chains of reactions are long.
template <class Successors>
std::vector<std::vector<int>> strong_components(int count, Successors&& successors) {
  struct Visit {
    int node;
    std::size_t next;
  };
  const std::size_t size = count;
  std::vector<int> number(size, -1), lowest(size, 0);
  std::vector<char> open(size, 0);
  std::vector<int> stack;
  std::vector<Visit> path;
  std::vector<std::vector<int>> result;
  int next_number = 0;
  auto enter = [&](int node) {
    const std::size_t at = node;
    number[at] = lowest[at] = next_number++;
    open[at] = 1;
    stack.push_back(node);
    path.push_back({node, 0});
  };
  for (int root = 0; root < count; ++root) {
    if (number[root] >= 0) continue;
    enter(root);
    while (!path.empty()) {
      const int node = path.back().node;
      const std::size_t at = node;
      const auto& targets = successors(node);
      if (path.back().next < targets.size()) {
        const int target = targets[path.back().next++];
        const std::size_t to = target;
        if (number[to] < 0)
          enter(target);
        else if (open[to])
          lowest[at] = std::min(lowest[at], number[to]);
        continue;
      }
      path.pop_back();
      if (!path.empty()) {
        int& above = lowest[path.back().node];
        above = std::min(above, lowest[at]);
      }
      if (lowest[at] != number[at]) continue;
      std::vector<int>& component = result.emplace_back();
      int member;
      do {
        member = stack.back();
        stack.pop_back();
        open[member] = 0;
        component.push_back(member);
      } while (member != node);
      std::sort(component.begin(), component.end());
    }
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace stiffit::internal
