// The option `--estimate name[=start][:low:high[:log|lin]],...`: what is unknown, where to begin
// and where to look. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "model/fit_problem.h"

namespace stiffit::internal {

struct Estimate {
  std::string name;
  std::optional<double> start, low, high;
  std::optional<Scale> scale;
  Span span;  // all of it
  Diagnostics* diagnostics = nullptr;
};

// Reads the source of `diagnostics`, which has to outlive the result.
std::vector<Estimate> parse_estimates(Diagnostics& diagnostics);

// Fills in what the option leaves open: the start from the model, the bounds from the start, the
// scale from the bounds. `estimate` may be null: nothing was said.
struct UnknownDefaults {
  double start = not_set;     // the model's value
  bool not_negative = false;  // a concentration or size
  double largest_datum = 1;   // the reach of a start at zero
};
ProblemParameter settle_unknown(const std::string& id, const Estimate* estimate,
                                const UnknownDefaults& defaults, Diagnostics& diagnostics,
                                Span span);

}  // namespace stiffit::internal
