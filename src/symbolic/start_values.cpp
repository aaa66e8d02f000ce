// SPDX-License-Identifier: Apache-2.0
#include "symbolic/start_values.h"

#include <algorithm>
#include <cmath>

#include "symbolic/mode_value.h"

namespace stiffit::internal {

std::vector<double> node_values(const System& system, double time,
                                const std::vector<double>& states) {
  const Graph& graph = system.graph;
  std::vector<double> values(graph.size());
  for (NodeId id = 0; id < graph.size(); ++id) {
    const GraphNode& n = graph[id];
    if (n.op == Op::number) {
      values[id] = n.value;
    } else if (n.op == Op::symbol) {
      std::size_t i = n.b;
      switch (static_cast<Leaf>(n.a)) {
        case Leaf::time:
          values[id] = time;
          break;
        case Leaf::state:
          values[id] = i < states.size() ? states[i] : 0;
          break;
        case Leaf::input:  // the past stands at its initial value
          values[id] = values[system.delays[i].value];
          break;
        case Leaf::parameter:
          if (i < system.parameters.size()) {
            values[id] = system.parameters[i].value;
          } else {  // the root of a mode is an earlier node
            const Mode& mode = system.modes[i - system.parameters.size()];
            values[id] = mode_value(mode.kind, values[mode.root]);
          }
          break;
      }
    } else {
      int operands = arity(n.op);
      values[id] = evaluate(n.op, values[n.a], operands > 1 ? values[n.b] : 0,
                            operands > 2 ? values[n.c] : 0);
    }
  }
  return values;
}

std::vector<double> start_states(const System& system) {
  // Initial values depend on parameters only.
  const std::vector<double> values = node_values(system, system.start_time, {});
  std::vector<double> states;
  for (NodeId id : system.initial) states.push_back(values[id]);
  return states;
}

namespace {

// What the laws are a moment after the start, on the way that they themselves prescribe: a fixed
// point, because a ratio of two states that start at zero depends on how fast each grows.
class Moment {
 public:
  explicit Moment(const System& system)
      : system_(system),
        start_(start_states(system)),
        values_(node_values(system, system.start_time, start_)) {}

  std::vector<double> at_start() const {
    std::vector<double> rates;
    for (NodeId rate : system_.rates) rates.push_back(values_[rate]);
    return rates;
  }

  std::vector<double> later(double by) const {
    constexpr int most_rounds = 60;
    constexpr double settled = 1e-14;
    std::vector<double> rates = at_start();
    for (double& rate : rates)
      if (!std::isfinite(rate)) rate = 0;
    bool moves = true;
    for (int round = 0; round < most_rounds && moves; ++round) {
      const auto values = node_values(system_, system_.start_time + by, along(rates, by));
      moves = false;
      for (std::size_t r = 0; r < rates.size(); ++r) {
        const double next = values[system_.rates[r]];
        moves |= std::fabs(next - rates[r]) > settled * std::fabs(next);
        rates[r] = next;
      }
    }
    return rates;
  }

 private:
  std::vector<double> along(const std::vector<double>& rates, double by) const {
    std::vector<double> states = start_;
    for (std::size_t i = 0; i < states.size(); ++i) {
      double slope = 0;
      for (const Term& term : system_.terms[i])
        slope += values_[term.coefficient] * rates[term.reaction];
      states[i] += by * slope;
    }
    return states;
  }

  const System& system_;
  const std::vector<double> start_, values_;
};

// The limit of a function by its values at 4^k, k ascending, as far as they are known; NaN if they
// do not tell. Values nearest to zero count first, but rounding may have spoilt those.
double limit_of(const std::vector<double>& values) {
  constexpr double agreement = 1e-5;
  auto extrapolated = [&](std::size_t k) { return (4 * values[k] - values[k + 1]) / 3; };
  int agreed = 0;
  for (std::size_t k = 0; k + 2 < values.size(); ++k) {
    const double fine = extrapolated(k), coarse = extrapolated(k + 1);
    const double size = std::max(std::fabs(coarse), std::fabs(fine));
    const bool agree = std::isfinite(size) && std::fabs(fine - coarse) <= agreement * size;
    agreed = agree ? agreed + 1 : 0;
    if (agreed == 3) return fine;
  }
  // Growing by about the same factor again and again, away from the start: a power of time, perhaps
  // with a logarithm, and zero there.
  constexpr std::size_t enough = 8;
  std::size_t first = 0;
  while (first < values.size() && !std::isfinite(values[first])) ++first;
  if (values.size() < first + enough) return not_set;
  const double factor = values[first + 1] / values[first];
  if (!(factor > 1.05)) return not_set;
  for (std::size_t k = first + 1; k < first + enough; ++k)
    if (!(std::fabs(values[k] / values[k - 1] - factor) < 0.05 * factor)) return not_set;
  return 0;
}

}  // namespace

std::vector<double> start_rates(const System& system) {
  const Moment moment(system);
  std::vector<double> rates = moment.at_start();
  auto unknown = [&] {
    return std::any_of(rates.begin(), rates.end(), [](double x) { return std::isnan(x); });
  };
  // Over all scales of time, since no unit is special, from where the clock is seen to move.
  constexpr int smallest = -60, largest = 30;
  std::vector<std::vector<double>> sequence(rates.size());
  for (int k = smallest; k <= largest && unknown(); ++k) {
    const double by = std::ldexp(1.0, 2 * k);
    if (by < 1e-14 * std::fabs(system.start_time)) continue;
    const std::vector<double> later = moment.later(by);
    for (std::size_t r = 0; r < rates.size(); ++r) {
      if (!std::isnan(rates[r])) continue;
      sequence[r].push_back(later[r]);
      rates[r] = limit_of(sequence[r]);
    }
  }
  return rates;
}

}  // namespace stiffit::internal
