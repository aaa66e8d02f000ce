// SPDX-License-Identifier: Apache-2.0
#include "analysis/steady/moiety_rows.h"

#include <cmath>

namespace stiffit::internal {

void MoietyRows::complete(std::span<double> change) const {
  for (const MoietyRow& row : rows) {
    double sum = 0;
    for (auto& [state, coefficient] : row.others) sum -= coefficient * change[state];
    change[row.dependent] = sum;
  }
}

double MoietyRows::total(std::size_t row, std::span<const double> x) const {
  double sum = x[rows[row].dependent];
  for (auto& [state, coefficient] : rows[row].others) sum += coefficient * x[state];
  return sum;
}

MoietyRows solve_moieties(const std::vector<Moiety>& moieties, std::span<const double> state) {
  const std::size_t n = state.size();
  std::vector<std::vector<double>> rows;
  std::vector<int> dependent;
  std::vector<char> taken(n, 0);
  for (const Moiety& m : moieties) {
    rows.emplace_back(n, 0.0);
    for (auto& [i, value] : m.terms) rows.back()[i] = value;
  }
  // Gauss-Jordan: in the end each dependent state stands in its own row only.
  for (std::vector<double>& row : rows) {
    int best = -1;
    double most = -1;
    for (std::size_t i = 0; i < n; ++i) {
      if (taken[i] || std::fabs(row[i]) < 1e-9) continue;
      const double held = std::fabs(row[i] * state[i]);
      if (held > most) {
        most = held;
        best = static_cast<int>(i);
      }
    }
    dependent.push_back(best);
    if (best < 0) continue;
    const std::size_t pivot = best;
    taken[pivot] = 1;
    const double lead = row[pivot];
    for (double& x : row) x /= lead;
    for (std::vector<double>& other : rows) {
      const double factor = other[pivot];
      if (&other == &row || factor == 0) continue;
      for (std::size_t i = 0; i < n; ++i) {
        const double take = factor * row[i];
        double& x = other[i];
        x = std::fabs(x - take) <= 1e-12 * (std::fabs(x) + std::fabs(take)) ? 0 : x - take;
      }
    }
  }
  MoietyRows result;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (dependent[r] < 0) continue;
    MoietyRow row{dependent[r], {}};
    for (std::size_t i = 0; i < n; ++i)
      if (rows[r][i] != 0 && static_cast<int>(i) != dependent[r])
        row.others.emplace_back(static_cast<int>(i), rows[r][i]);
    result.rows.push_back(std::move(row));
  }
  result.place.assign(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    if (taken[i]) continue;
    result.place[i] = static_cast<int>(result.kept.size());
    result.kept.push_back(static_cast<int>(i));
  }
  return result;
}

}  // namespace stiffit::internal
