// The loops over the tables, for any number of lanes.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <iterator>
#include <vector>

#include "base/constant_length.h"
#include "base/inner_threads.h"
#include "base/thread_pool.h"
#include "compile/mass_action.h"

namespace stiffit::internal {
namespace {

template <int W>
struct Lanes {
  double v[W];
};

// The rate constant times the reactants but for one.
template <int W>
inline Lanes<W> product(const double* k, const int* reactant, int order, int skip,
                        const double* x) {
  Lanes<W> out;
  for (int l = 0; l < W; ++l) out.v[l] = k[l];
  for (int i = 0; i < order; ++i) {
    if (i == skip) continue;
    const double* y = x + static_cast<std::size_t>(reactant[i]) * W;
    for (int l = 0; l < W; ++l) out.v[l] *= y[l];
  }
  return out;
}

// The reactions of one run, each with so many reactants.
template <int W, int order>
void add_rates(const MassAction& m, const MassAction::Run& run, const double* x, const double* p,
               double* f) {
  const int lost = run.kind.lost, all = run.kind.lost + run.kind.made;
  const int* state = m.effect_state.data() + m.effect_start[run.first];
  const double* coefficient = m.effect.data() + m.effect_start[run.first];
  const int* reactant = m.reactant.data() + run.reactant;
  for (std::size_t r = run.first; r < run.last; ++r) {
    Lanes<W> v;
    const double* k = p + static_cast<std::size_t>(m.rate_slot[r]) * W;
    for (int l = 0; l < W; ++l) v.v[l] = k[l];
    for (int i = 0; i < order; ++i) {
      const double* y = x + static_cast<std::size_t>(reactant[i]) * W;
      for (int l = 0; l < W; ++l) v.v[l] *= y[l];
    }
    auto at = [&](int e) { return f + static_cast<std::size_t>(state[e]) * W; };
    if (run.kind.whole) {
      for (int e = 0; e < lost; ++e)
        for (int l = 0; l < W; ++l) at(e)[l] -= v.v[l];
      for (int e = lost; e < all; ++e)
        for (int l = 0; l < W; ++l) at(e)[l] += v.v[l];
    } else {
      for (int e = 0; e < all; ++e)
        for (int l = 0; l < W; ++l) at(e)[l] += coefficient[e] * v.v[l];
    }
    reactant += order;
    state += all;
    coefficient += all;
  }
}

template <int W>
void rhs(const void* context, double* const* arrays) {
  const MassAction& m = *static_cast<const MassAction*>(context);
  const double *x = arrays[1], *p = arrays[2];
  double* f = arrays[3];
  std::memset(f, 0, sizeof(double) * static_cast<std::size_t>(m.states) * W);
  constexpr decltype(&add_rates<W, 0>) by_order[] = {add_rates<W, 0>, add_rates<W, 1>,
                                                     add_rates<W, 2>, add_rates<W, 3>};
  static_assert(std::size(by_order) == MassAction::largest_order + 1);
  for (const MassAction::Run& run : m.runs) by_order[run.kind.order](m, run, x, p, f);
}

template <int order>
void find_rates(const MassAction& m, const MassAction::Run& run, std::size_t first,
                std::size_t last, const double* x, const double* p, double* v) {
  const int* reactant = m.reactant.data() + run.reactant + (first - run.first) * order;
  for (std::size_t r = first; r < last; ++r, reactant += order) {
    double rate = p[m.rate_slot[r]];
    for (int i = 0; i < order; ++i) rate *= x[reactant[i]];
    v[r] = rate;
  }
}

// The rates of some reactions, of any kinds.
void find_rates_between(const MassAction& m, std::size_t first, std::size_t last, const double* x,
                        const double* p, double* v) {
  constexpr decltype(&find_rates<0>) by_order[] = {find_rates<0>, find_rates<1>, find_rates<2>,
                                                   find_rates<3>};
  static_assert(std::size(by_order) == MassAction::largest_order + 1);
  for (const MassAction::Run& run : m.runs) {
    const std::size_t from = std::max(first, run.first), to = std::min(last, run.last);
    if (from < to) by_order[run.kind.order](m, run, from, to, x, p, v);
  }
}

// Sums of so many terms: a constant, or an int.
template <class Length>
inline void add_terms(const double* v, const int* state, const int* term, int count, Length length,
                      double* f) {
  static constexpr double signs[2] = {1, -1};
  for (int c = 0; c < count; ++c, term += length) {
    double sum = 0;
    for (int e = 0; e < length; ++e) sum += signs[term[e] & 1] * v[term[e] >> 1];
    f[*state++] = sum;
  }
}

// The sums first to last, counted as they stand in sum_state.
void add_between(const MassAction& m, int first, int last, const double* v, double* f) {
  for (const MassAction::Sums& run : m.sums) {
    const int from = std::max(first - run.first, 0), to = std::min(last - run.first, run.count);
    if (from >= to) continue;
    const int *state = m.sum_state.data() + run.first + from,
              *term = m.sum_term.data() + run.first_term + from * run.terms;
    with_constant_length<6>(run.terms,
                            [&](auto length) { add_terms(v, state, term, to - from, length, f); });
  }
}

// For one lane; the same sums in the same order as for several, and on however many threads: the
// same bits.
void rhs_by_states(const void* context, double* const* arrays) {
  const MassAction& m = *static_cast<const MassAction*>(context);
  const double *x = arrays[1], *p = arrays[2];
  static thread_local std::vector<double> rates;
  const std::size_t reactions = m.rate_slot.size();
  if (rates.size() < reactions + m.scaled.size()) rates.resize(reactions + m.scaled.size());
  double *v = rates.data(), *f = arrays[3];
  auto scale = [&] {
    for (std::size_t q = 0; q < m.scaled.size(); ++q)
      v[reactions + q] = m.scaled[q].coefficient * v[m.scaled[q].reaction];
  };
  if (InnerThreads::count() == 1 || static_cast<double>(m.sum_term.size()) < m.terms_for_threads) {
    find_rates_between(m, 0, reactions, x, p, v);
    scale();
    return add_between(m, 0, m.states, v, f);
  }
  ThreadPool& pool = ThreadPool::of(InnerThreads::count());
  auto begin = [&](std::size_t count, int part) {
    return count * static_cast<std::size_t>(part) / static_cast<std::size_t>(pool.parts());
  };
  pool.run([&](int part) {
    find_rates_between(m, begin(reactions, part), begin(reactions, part + 1), x, p, v);
  });
  scale();
  pool.run([&](int part) {
    const std::size_t states = m.states;
    add_between(m, static_cast<int>(begin(states, part)), static_cast<int>(begin(states, part + 1)),
                v, f);
  });
}

// How many effects the reactions of a run have below and above zero, all of them -1 or +1, where
// that is known when compiled; `Any` stands for all others.
struct Any {
  static constexpr bool known = false;
};
template <int l, int m>
struct Whole {
  static constexpr bool known = true;
  static constexpr int lost = l, made = m;
};

// Calls f with the shape of a run: for one lane the work between two ends of such short loops is
// little.
template <int W, class F>
void with_shape(const MassAction::Kind& kind, F&& f) {
  if constexpr (W == 1)
    if (kind.whole && kind.made < 4) {
      switch (4 * kind.lost + kind.made) {
        case 4 * 0 + 1:
          return f(Whole<0, 1>{});
        case 4 * 1 + 0:
          return f(Whole<1, 0>{});
        case 4 * 1 + 1:
          return f(Whole<1, 1>{});
        case 4 * 1 + 2:
          return f(Whole<1, 2>{});
        case 4 * 2 + 0:
          return f(Whole<2, 0>{});
        case 4 * 2 + 1:
          return f(Whole<2, 1>{});
        case 4 * 2 + 2:
          return f(Whole<2, 2>{});
      }
    }
  f(Any{});
}

// A derivative of a rate to the entries of the states that it changes.
template <int W, class Shape>
void add_slope(const Lanes<W>& v, const int* entry, int all, const double* coefficient, double* j,
               Shape shape) {
  if constexpr (shape.known) {
    for (int e = 0; e < shape.lost; ++e) j[entry[e]] -= v.v[0];
    for (int e = shape.lost; e < shape.lost + shape.made; ++e) j[entry[e]] += v.v[0];
  } else {
    for (int e = 0; e < all; ++e) {
      double* out = j + static_cast<std::size_t>(entry[e]) * W;
      for (int l = 0; l < W; ++l) out[l] += coefficient[e] * v.v[l];
    }
  }
}

template <int W, class Shape>
void add_slopes(const MassAction& m, const MassAction::Run& run, const double* x, const double* p,
                double* j, Shape shape) {
  const int order = run.kind.order, all = run.kind.lost + run.kind.made;
  const int *reactant = m.reactant.data() + run.reactant, *entry = m.entry.data() + run.entry;
  const double* coefficient = m.effect.data() + m.effect_start[run.first];
  for (std::size_t r = run.first; r < run.last; ++r, reactant += order, coefficient += all) {
    const double* k = p + static_cast<std::size_t>(m.rate_slot[r]) * W;
    for (int i = 0; i < order; ++i, entry += all)
      add_slope<W>(product<W>(k, reactant, order, i, x), entry, all, coefficient, j, shape);
  }
}

template <int W>
void jacobian(const void* context, double* const* arrays) {
  const MassAction& m = *static_cast<const MassAction*>(context);
  const double *x = arrays[1], *p = arrays[2];
  double* j = arrays[3];
  std::memset(j, 0, sizeof(double) * static_cast<std::size_t>(m.pattern.nonzeros()) * W);
  for (const MassAction::Run& run : m.runs)
    with_shape<W>(run.kind, [&](auto shape) { add_slopes<W>(m, run, x, p, j, shape); });
}

}  // namespace

Kernel mass_action_rhs(std::shared_ptr<const MassAction> tables, int lanes, Isa) {
  auto run = lanes == 1 ? rhs_by_states : lanes == 4 ? rhs<4> : rhs<8>;
  const void* context = tables.get();
  return Kernel::from_function(run, context, std::move(tables));
}

Kernel mass_action_jacobian(std::shared_ptr<const MassAction> tables, int lanes, Isa) {
  auto run = lanes == 1 ? jacobian<1> : lanes == 4 ? jacobian<4> : jacobian<8>;
  const void* context = tables.get();
  return Kernel::from_function(run, context, std::move(tables));
}

}  // namespace stiffit::internal
