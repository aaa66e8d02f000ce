// A flux-balance problem (SBML fbc): which steady fluxes, within bounds, are best. It stands beside
// the kinetics of a model and shares its reactions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stiffit::internal {

struct FluxBound {
  enum class Side { lower, upper, both };
  std::int32_t reaction = -1;
  Side side = Side::lower;
  std::int32_t parameter = -1;  // >= 0: its value is the bound (fbc version 2)
  double value = 0;             // otherwise (version 1)
};

struct FluxObjective {
  struct Term {
    std::int32_t reaction = -1;
    double coefficient = 0;
  };
  std::string id;
  bool maximize = true;
  std::vector<Term> terms;
};

struct FluxBalance {
  std::vector<FluxBound> bounds;  // what has none is unbounded
  std::vector<FluxObjective> objectives;
  std::int32_t active = 0;  // the objective that is meant
};

}  // namespace stiffit::internal
