// What a fit means, in words.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "estimation/uncertainty/next_measurement.h"
#include "estimation/uncertainty/statistics.h"

namespace stiffit::internal {

// Both of the following, the first one first.
std::vector<std::string> plain_words(const FitStatistics& statistics,
                                     const MeasurementAdvice& next = {});

// Whether the model describes the data.
std::vector<std::string> adequacy_words(const Adequacy& adequacy);

// What is determined, what only in combination, what not, and what to measure next.
std::vector<std::string> parameter_words(const FitStatistics& statistics,
                                         const MeasurementAdvice& next = {});

// Noise of a size that the residuals give.
std::string noise_words(const FitStatistics& statistics);

}  // namespace stiffit::internal
