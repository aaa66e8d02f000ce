// A design of further measurements and what it brings, as a sentence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "estimation/uncertainty/next_measurement.h"

namespace stiffit::internal {

// `several`: experiments are named.
std::string design_words(const MeasurementDesign& design, bool several);

}  // namespace stiffit::internal
