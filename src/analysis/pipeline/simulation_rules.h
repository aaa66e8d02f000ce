// How the options of time courses are read, shown and checked that are more than a number or a
// name. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <string>
#include <utility>
#include <vector>

#include "base/fields.h"
#include "stiffit/options.h"

namespace stiffit::internal {

// A name of 'stiffit methods'; the error has the nearest one.
FieldRule<std::string> integrator_name_rule();
// Parts between commas, one at least.
FieldRule<Texts> names_rule();
FieldRule<int> lanes_rule();
// size=NUMBER; NaN stands for none.
FieldRule<double> assumed_size_rule();
// -40, or -5+3i and -5-3i for a pair: the sign of the imaginary part does not matter.
FieldRule<std::vector<std::complex<double>>> eigenvalues_rule();
// name=dist(...), each time that the option is given.
FieldRule<std::vector<std::pair<std::string, std::string>>> sample_rule();
// name=lo:hi:n[:log], each time that the option is given.
FieldRule<std::vector<api::ScanAxis>> vary_rule();

}  // namespace stiffit::internal
