// The pictures of `stiffit compare`, and its page: work against precision, and where each method
// is stable with the h*lambda that it met on the model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "analysis/compare/compare.h"
#include "report/plots/plot.h"

namespace stiffit::internal {

// Every run that ended, by error and steps, and the timed ones by error and time.
std::vector<Plot> work_pictures(const std::string& model, const CompareResult& result,
                                const CompareOptions& options);

// h*lambda of a run at the times of the reference: all eigenvalues of the Jacobian there (of large
// systems both ends of the spectrum) times the step that covers the time.
std::vector<std::complex<double>> steps_times_eigenvalues(const Problem& problem,
                                                          const ReferenceSolution& reference,
                                                          const std::string& method,
                                                          const WorkPoint& run,
                                                          const CompareOptions& options);

// Where a method is stable, by its own steps (StabilityTrial), with points on top.
Plot stability_picture(const std::string& method, const std::string& caption,
                       const std::vector<std::complex<double>>& points);
// One for each method that takes fixed steps, with the cheapest run for the loosest error reached.
std::vector<Plot> stability_pictures(const Problem& problem, const ReferenceSolution& reference,
                                     const CompareResult& result, const CompareOptions& options);

}  // namespace stiffit::internal
