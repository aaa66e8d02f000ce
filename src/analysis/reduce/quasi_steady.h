// Models without their fast species: each is taken to be at rest at all times, 0 = f (Briggs and
// Haldane's approximation in general), or without slow and abundant ones, which are held.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "symbolic/system.h"

namespace stiffit::internal {

struct QuasiSteadyRequest {
  std::vector<std::string> fast;      // names of species or variables
  std::vector<std::string> constant;  // held at their initial values
  bool composite = false;             // add NAME_composite: with the initial layer
};

// How a fast species gets its value.
struct QuasiSteadyRow {
  std::string name;
  enum class How {
    solved,     // a formula
    algebraic,  // 0 = f, solved along the run
    conserved,  // moves only with others of these: a sum is kept
  } how = How::solved;
  std::string formula;
};

struct QuasiSteadyModel {
  Model model;
  std::vector<QuasiSteadyRow> rows;
  std::vector<std::string> composites;  // fast species with a NAME_composite
};

// Throws InputError for names that are no states and for what cannot be reduced.
QuasiSteadyModel quasi_steady_model(const std::shared_ptr<const Model>& model,
                                    const QuasiSteadyRequest& request);

}  // namespace stiffit::internal
