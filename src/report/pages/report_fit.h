// The page of a fit: what was found, how sure it is, and all that a reader needs to judge it. Pages
// of profiles and of ensembles with data have their own parts in it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/fit_summary.h"
#include "report/posterior_tables.h"

namespace stiffit::internal {

struct FitReport {
  const FitSummary& fit;
  const ProblemObjective& objective;
  ObjectiveOptions options;                 // of its integrations
  const ProfileSummary* profile = nullptr;  // null: none
  const Posterior* posterior = nullptr;     // likewise
};

std::string fit_page(const FitReport& report);

// Writes it to that file (empty: none) and to the run's folder (null: none).
void write_fit_page(const FitReport& report, const std::string& file, const RunDirectory* folder);

}  // namespace stiffit::internal
