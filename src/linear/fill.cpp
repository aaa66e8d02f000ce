// Row by row: the pattern of a row of L + U is its own entries and the U rows of all its L entries.
// Pruning: Eisenstat and Liu, "Exploiting structural symmetry in unsymmetric sparse symbolic
// factorization", SIAM J. Matrix Anal. Appl. 13 (1992).
// SPDX-License-Identifier: Apache-2.0
#include "linear/fill.h"

#include <algorithm>
#include <bit>
#include <cstdint>

#include "base/interrupt.h"

namespace stiffit::internal {

void find_fill_by_bits(const std::vector<std::vector<int>>& rows, Elimination& result) {
  const int n = result.n;
  const int words = (n + 63) / 64;
  std::vector<std::uint64_t> upper(std::size_t(n) * words), work(words);
  for (int i = 0; i < n; ++i) {
    check_interrupt();
    std::fill(work.begin(), work.end(), 0);
    auto set = [&](int j) { work[j / 64] |= std::uint64_t{1} << (j % 64); };
    for (int j : rows[i]) set(j);
    set(i);
    for (int w = 0; w <= i / 64; ++w) {
      std::uint64_t done = 0;
      for (;;) {
        const std::uint64_t rest = work[w] & ~done;
        if (rest == 0) break;
        const int bit = std::countr_zero(rest);
        const int k = w * 64 + bit;
        if (k >= i) break;
        done |= std::uint64_t{1} << bit;
        result.column.push_back(k);
        const std::uint64_t* other = upper.data() + std::size_t(k) * words;
        for (int v = w; v < words; ++v) work[v] |= other[v];
      }
    }
    result.diagonal.push_back(static_cast<int>(result.column.size()));
    std::uint64_t* mine = upper.data() + std::size_t(i) * words;
    for (int w = i / 64; w < words; ++w) {
      std::uint64_t rest = work[w];
      if (w == i / 64) rest &= ~std::uint64_t{0} << (i % 64);
      for (std::uint64_t bits = rest; bits != 0; bits &= bits - 1)
        result.column.push_back(w * 64 + std::countr_zero(bits));
      if (w == i / 64) rest &= ~(std::uint64_t{1} << (i % 64));
      mine[w] = rest;
    }
    result.row_start.push_back(static_cast<int>(result.column.size()));
  }
}

void find_fill_by_lists(const std::vector<std::vector<int>>& rows, Elimination& result) {
  const int n = result.n;
  std::vector<int> seen_by(n, -1), found;
  // Of each U row, where its walk may end: if j is in it and row j has an L entry in its column,
  // then U row j holds all that follows j.
  std::vector<int> walk_end;
  std::vector<char> pruned(n, 0);
  for (int i = 0; i < n; ++i) {
    check_interrupt();
    found.clear();
    auto find = [&](int j) {
      if (seen_by[j] == i) return;
      seen_by[j] = i;
      found.push_back(j);
    };
    for (int j : rows[i]) find(j);
    find(i);
    for (std::size_t head = 0; head < found.size(); ++head) {
      const int k = found[head];
      if (k >= i) continue;
      for (int s = result.diagonal[k] + 1; s < walk_end[k]; ++s) find(result.column[s]);
    }
    std::sort(found.begin(), found.end());
    const auto below = std::lower_bound(found.begin(), found.end(), i) - found.begin();
    result.diagonal.push_back(static_cast<int>(result.column.size() + below));
    result.column.insert(result.column.end(), found.begin(), found.end());
    result.row_start.push_back(static_cast<int>(result.column.size()));
    walk_end.push_back(result.row_start[i + 1]);
    for (int s = result.row_start[i]; s < result.diagonal[i]; ++s) {
      const int k = result.column[s];
      if (pruned[k]) continue;
      const auto first = result.column.begin() + result.diagonal[k] + 1;
      const auto last = result.column.begin() + result.row_start[k + 1];
      const auto at = std::lower_bound(first, last, i);
      if (at == last || *at != i) continue;
      pruned[k] = 1;
      walk_end[k] = static_cast<int>(at - result.column.begin()) + 1;
    }
  }
}

}  // namespace stiffit::internal
