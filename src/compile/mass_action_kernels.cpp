// The loops over the tables, for any number of lanes.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <iterator>

#include "compile/mass_action.h"

namespace stiffit {
namespace {

template <int W>
struct Lanes {
  double v[W];
};

// rate = k * x1 * x2 * x3, absent reactants left out.
template <int W>
inline Lanes<W> product(const MassAction& m, std::size_t r, std::size_t skip, const double* x,
                        const double* p) {
  Lanes<W> out;
  const double* k = p + static_cast<std::size_t>(m.rate_slot[r]) * W;
  for (int l = 0; l < W; ++l) out.v[l] = k[l];
  for (std::size_t i = 0; i < MassAction::largest_order; ++i) {
    int s = m.reactant[r * MassAction::largest_order + i];
    if (s < 0) break;
    if (i == skip) continue;
    const double* y = x + static_cast<std::size_t>(s) * W;
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
  const int* reactant = m.reactant.data() + run.first * MassAction::largest_order;
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
    reactant += MassAction::largest_order;
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

template <int W>
void jacobian(const void* context, double* const* arrays) {
  const MassAction& m = *static_cast<const MassAction*>(context);
  const double *x = arrays[1], *p = arrays[2];
  double* j = arrays[3];
  std::memset(j, 0, sizeof(double) * static_cast<std::size_t>(m.pattern.nonzeros()) * W);
  for (std::size_t r = 0; r < m.rate_slot.size(); ++r)
    for (std::size_t k = 0; k < MassAction::largest_order; ++k) {
      std::size_t slot = r * MassAction::largest_order + k;
      if (m.reactant[slot] < 0) break;
      Lanes<W> v = product<W>(m, r, k, x, p);
      const double* c = m.effect.data() + m.effect_start[r];
      for (int e = m.entry_start[slot]; e < m.entry_start[slot + 1]; ++e, ++c) {
        double* out = j + static_cast<std::size_t>(m.entry[static_cast<std::size_t>(e)]) * W;
        for (int l = 0; l < W; ++l) out[l] += *c * v.v[l];
      }
    }
}

}  // namespace

Kernel mass_action_rhs(std::shared_ptr<const MassAction> tables, int lanes, Isa) {
  auto run = lanes == 1 ? rhs<1> : lanes == 4 ? rhs<4> : rhs<8>;
  const void* context = tables.get();
  return Kernel::from_function(run, context, std::move(tables));
}

Kernel mass_action_jacobian(std::shared_ptr<const MassAction> tables, int lanes, Isa) {
  auto run = lanes == 1 ? jacobian<1> : lanes == 4 ? jacobian<4> : jacobian<8>;
  const void* context = tables.get();
  return Kernel::from_function(run, context, std::move(tables));
}

}  // namespace stiffit
