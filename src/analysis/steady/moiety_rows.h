// Conserved sums as rows that each give one state: x_d = total - sum of c_i x_i over the others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "symbolic/moieties.h"

namespace stiffit::internal {

struct MoietyRow {
  int dependent = -1;
  std::vector<std::pair<int, double>> others;  // independent state, coefficient
};

// Independent states and what the moieties make of the rest. The dependent state of a moiety is the
// one that holds most of it in `state`, so that a difference loses the fewest digits.
struct MoietyRows {
  std::vector<MoietyRow> rows;
  std::vector<int> kept;   // independent states
  std::vector<int> place;  // per state: its place in `kept`, or -1

  // Fills the dependent entries of a change that conserves every sum.
  void complete(std::span<double> change) const;
  // row total of a vector: x_d + sum c_i x_i
  double total(std::size_t row, std::span<const double> x) const;
};

MoietyRows solve_moieties(const std::vector<Moiety>& moieties, std::span<const double> state);

}  // namespace stiffit::internal
