// How stiff a model is along its solution, and what makes it so.
// S(t) = span/tau(t), tau = -1/Re(lambda) of the most negative eigenvalue (0 if there is none).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/stiffness/spectrum.h"
#include "ode/simulate.h"
#include "symbolic/system.h"

namespace stiffit::internal {

struct StiffnessRow {
  double time = 0;
  double index = 0;
  double tau = 0;  // infinity: nothing decays
  double lambda_min = 0, lambda_max = 0;
  int fastest = -1;  // the state that takes the largest part in the fastest mode
};

struct Share {
  std::string name;
  double share = 0;
};

// The bounds of the verdict (SPEC of the documents, Y 4).
constexpr double moderate_from = 100, stiff_from = 2000;
enum class Verdict { non_stiff, moderate, stiff };
const char* word(Verdict verdict);

struct Stiffness {
  std::vector<StiffnessRow> rows;  // as asked for
  double max_index = 0;            // of the rows
  StiffnessRow peak;               // the largest index, searched between the rows too
  double ratio = 0;                // lambda_M/lambda_m at the peak; NaN: not known
  double explicit_steps = 0;       // that Euler's method would need to stay stable: |h lambda| < 2
  Verdict verdict = Verdict::non_stiff;
  std::string recommended;                    // method
  std::vector<Share> species;                 // of the fastest mode at the peak, largest first
  std::vector<Share> reactions;               // likewise
  std::vector<std::complex<double>> at_peak;  // eigenvalues then, of small systems
  Outcome outcome;
};

// Of one trajectory; `request.times` are the rows.
// Reactions are named by `rate_names`, one per entry of system.rates.
Stiffness find_stiffness(System& system, const std::vector<std::string>& rate_names,
                         const Problem& problem, const Request& request,
                         const IntegrationOptions& options, double span);

}  // namespace stiffit::internal
