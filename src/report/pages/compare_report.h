// The pictures of `stiffit compare`, and its page: work against precision, and where each method
// is stable with the h*lambda that it met on the model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "report/plots/plot.h"
#include "stiffit/analysis.h"

namespace stiffit::internal {

// Every run that ended, by error and steps, and the timed ones by error and time.
std::vector<Plot> work_pictures(const std::string& model, const api::Comparison& comparison);

// Where a method is stable, by its own steps (StabilityTrial), with points on top.
Plot stability_picture(const std::string& method, const std::string& caption,
                       const std::vector<std::complex<double>>& points);
// One for each method whose steps were asked for.
std::vector<Plot> stability_pictures(const api::Comparison& comparison);

}  // namespace stiffit::internal
