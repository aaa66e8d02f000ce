// SPDX-License-Identifier: Apache-2.0
#include "ode/driver/growing_states.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "linear/aligned_array.h"

namespace stiffit::internal {
namespace {

constexpr double growing_share = 1e-18;  // then rtol*share is below a molecule of a mole
constexpr int trials = 32, few_trials = 8, large = 500;
// Of a size, up or down: near where a run begins, and wherever it may come.
constexpr double near_factor = 30, far_factor = 1e6;
constexpr std::size_t largest_loop = 64;
constexpr double rounding = 1e-9;  // of a pivot

struct Gift {
  int to;
  double rate;
};

// The strongly connected sets of states, single ones included: Tarjan, SIAM J. Comput. 1 (1972)
// 146, without recursion.
std::vector<std::vector<int>> loops_of(const std::vector<std::vector<Gift>>& gives) {
  const std::size_t n = gives.size();
  std::vector<int> index(n, -1), low(n, 0), stack;
  std::vector<std::size_t> next(n, 0);
  std::vector<char> waits(n, 0);
  std::vector<std::vector<int>> loops;
  int count = 0;
  for (std::size_t root = 0; root < n; ++root) {
    if (index[root] >= 0) continue;
    std::vector<int> path{static_cast<int>(root)};
    while (!path.empty()) {
      const std::size_t v = path.back();
      if (index[v] < 0) {
        index[v] = low[v] = count++;
        stack.push_back(static_cast<int>(v));
        waits[v] = 1;
      }
      if (next[v] < gives[v].size()) {
        const std::size_t w = gives[v][next[v]++].to;
        if (index[w] < 0)
          path.push_back(static_cast<int>(w));
        else if (waits[w])
          low[v] = std::min(low[v], index[w]);
        continue;
      }
      path.pop_back();
      if (!path.empty()) {
        const std::size_t u = path.back();
        low[u] = std::min(low[u], low[v]);
      }
      if (low[v] != index[v]) continue;
      std::vector<int>& loop = loops.emplace_back();
      int w = -1;
      do {
        w = stack.back();
        stack.pop_back();
        waits[w] = 0;
        loop.push_back(w);
      } while (static_cast<std::size_t>(w) != v);
    }
  }
  return loops;
}

// The edge of the orthant at random places, and what grows there.
class GrowthTrials {
 public:
  explicit GrowthTrials(const Program& program)
      : program_(program),
        n_(static_cast<std::size_t>(program.states)),
        width_(static_cast<std::size_t>(program.lanes)),
        time_(width_),
        y_(n_ * width_),
        parameters_(static_cast<std::size_t>(program.parameter_slots) * width_),
        jacobian_(static_cast<std::size_t>(program.pattern.nonzeros()) * width_),
        slope_(n_ * width_),
        absent_(n_ * width_),
        grows_(n_, 0),
        crosses_(n_, 0),
        arises_(n_, 0),
        substance_(n_, 0),
        decay_(n_),
        gives_(n_) {}

  std::vector<double> shares() {
    // Of states that algebraic equations bind the Jacobian says no growth.
    if (!program_.mass.empty()) return std::vector<double>(n_, 1.0);
    start();
    const int wanted = program_.states > large ? few_trials : trials;
    for (int done = 0; done < wanted; done += static_cast<int>(width_)) {
      place();
      double* arrays[4] = {time_.data(), y_.data(), parameters_.data(), jacobian_.data()};
      program_.jacobian(arrays);
      arrays[3] = slope_.data();
      program_.rhs(arrays);
      for (std::size_t l = 0; l < width_; ++l) judge(l);
    }
    // Amounts of nonnegative_states are not negative by nature. Of other states nobody knows,
    // unless none of them ever leaves where all are positive, or a state at zero stays there
    // whatever the others.
    bool all_stay = true;
    for (std::size_t i = 0; i < n_; ++i) all_stay &= !crosses_[i] && !(size_[i] < 0);
    std::vector<double> result(n_, 1.0);
    for (std::size_t i = 0; i < n_; ++i)
      if (grows_[i] && !crosses_[i] && !(size_[i] < 0) &&
          (substance_[i] || all_stay || !arises_[i]))
        result[i] = growing_share;
    return result;
  }

 private:
  void start() {
    const std::size_t given = program_.parameters;
    for (std::size_t i = 0; i < given; ++i)
      for (std::size_t l = 0; l < width_; ++l)
        parameters_[i * width_ + l] = program_.parameter_values[i];
    double* arrays[2] = {parameters_.data(), y_.data()};
    program_.prepare(arrays);
    program_.initial(arrays);
    for (std::size_t i = 0; i < n_; ++i) size_.push_back(y_[i * width_]);
    for (int i : program_.nonnegative_states) substance_[i] = 1;
    present_ = size_;
    for (std::size_t i = 0; i < n_; ++i)
      if (!substance_[i] && size_[i] == 0) present_[i] = 1;
  }

  double uniform() { return std::uniform_real_distribution<double>(0, 1)(dice_); }

  void place() {
    const std::size_t first = program_.parameters;
    for (std::size_t l = 0; l < width_; ++l) {
      const double factor = uniform() < 0.5 ? near_factor : far_factor;
      time_[l] = program_.start_time + (uniform() < 0.5 ? 0 : std::pow(10, 4 * uniform() - 1));
      for (std::size_t k = 0; k < static_cast<std::size_t>(program_.modes); ++k)
        parameters_[(first + k) * width_ + l] = uniform() < 0.5 ? 0 : 1;
      for (std::size_t i = 0; i < n_; ++i) {
        const std::size_t at = i * width_ + l;
        absent_[at] = uniform() < 0.5 || !(present_[i] > 0);
        y_[at] = absent_[at] ? 0 : present_[i] * std::pow(factor, 2 * uniform() - 1);
      }
    }
    double* arrays[2] = {parameters_.data(), y_.data()};
    program_.prepare(arrays);
  }

  // What the absent states are to each other on this lane, and whether that makes them more.
  void judge(std::size_t lane) {
    const Sparsity& pattern = program_.pattern;
    for (std::size_t i = 0; i < n_; ++i) {
      decay_[i] = 0;
      gives_[i].clear();
      if (!absent_[i * width_ + lane]) continue;
      const double slope = slope_[i * width_ + lane];
      if (!(slope >= 0)) crosses_[i] = 1;
      if (slope != 0) arises_[i] = 1;
    }
    for (std::size_t j = 0; j < n_; ++j) {
      if (!absent_[j * width_ + lane]) continue;
      for (int p = pattern.column_start[j]; p < pattern.column_start[j + 1]; ++p) {
        const std::size_t e = p;
        const std::size_t i = pattern.row[e];
        const double value = jacobian_[e * width_ + lane];
        if (!absent_[i * width_ + lane] || !std::isfinite(value)) continue;
        if (i == j)
          decay_[i] = -value;
        else if (value > 0)
          gives_[j].push_back({static_cast<int>(i), value});
      }
    }
    for (const std::vector<int>& loop : loops_of(gives_))
      if (grow(loop))
        for (int i : loop) grows_[i] = 1;
  }

  // Elimination of D - N: all pivots of a matrix of this kind are positive if and only if nothing
  // grows. Pivots do not depend on the units of the states.
  bool grow(const std::vector<int>& loop) {
    const std::size_t m = loop.size();
    for (int i : loop)
      if (decay_[i] < 0 || (decay_[i] == 0 && m > 1)) return true;
    if (m < 2 || m > largest_loop) return false;
    std::vector<int> place(n_, -1);
    for (std::size_t k = 0; k < m; ++k) place[loop[k]] = static_cast<int>(k);
    std::vector<double> a(m * m, 0.0);
    for (std::size_t k = 0; k < m; ++k) {
      const std::size_t j = loop[k];
      a[k * m + k] = decay_[j];
      for (const Gift& g : gives_[j])
        if (const int row = place[g.to]; row >= 0)
          a[static_cast<std::size_t>(row) * m + k] -= g.rate;
    }
    for (std::size_t k = 0; k < m; ++k) {
      const double pivot = a[k * m + k], whole = decay_[loop[k]];
      if (pivot < -rounding * whole) return true;
      if (pivot <= rounding * whole) continue;  // what only goes round: the rest is kept as it is
      for (std::size_t i = k + 1; i < m; ++i) {
        const double factor = a[i * m + k] / pivot;
        if (factor == 0) continue;
        for (std::size_t j = k + 1; j < m; ++j) a[i * m + j] -= factor * a[k * m + j];
      }
    }
    return false;
  }

  const Program& program_;
  std::size_t n_, width_;
  AlignedArray time_, y_, parameters_, jacobian_, slope_;
  // Crosses: its rate at zero may be negative where the others are not. Arises: that rate is not
  // always zero.
  std::vector<char> absent_, grows_, crosses_, arises_, substance_;
  std::vector<double> size_, present_, decay_;  // present: what a trial takes for its size
  std::vector<std::vector<Gift>> gives_;
  std::mt19937_64 dice_{20};
};

}  // namespace

const std::vector<double>& GrowingStates::shares() const {
  std::call_once(once_, [this] { shares_ = GrowthTrials(*program_).shares(); });
  return shares_;
}

}  // namespace stiffit::internal
