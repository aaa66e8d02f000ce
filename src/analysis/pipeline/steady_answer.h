// Where a model comes to rest, and whether it stays there: what `stiffit steady` finds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "analysis/steady/steady_state.h"

namespace stiffit::internal {

struct SteadyAnswer {
  SteadyState steady;
  std::string course;  // why the time course is no way there; empty: it is
  std::vector<std::complex<double>> eigenvalues;
  std::vector<std::string> warnings;
  std::vector<std::string> names;  // of the states
  std::vector<std::string> kinds;  // of each: amount, concentration, or nothing
};

// Throws InputError for a model that cannot be started.
SteadyAnswer steady_answer(const std::shared_ptr<const Model>& model, const SteadyOptions& options);

// In words: stable, unstable, neutral, or unknown (with delays J alone does not tell); and how it
// was found.
const char* stability(const SteadyAnswer& answer);
std::string how_found(const SteadyAnswer& answer);
// As JSON documents call it: "found", "grows", ...
const char* word_for(SteadyStatus status);

}  // namespace stiffit::internal
