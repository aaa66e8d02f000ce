// Checks of the fields that several options have, and what the rooms make of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include "base/option_error.h"
#include "model/model_settings.h"
#include "runtime/distributed/load_channel.h"
#include "stiffit/options.h"

namespace stiffit::api {

inline ModelSettings model_settings(const std::map<std::string, double>& set) {
  return {{set.begin(), set.end()}, not_set};
}

inline int threads_of(const RunOptions& run) { return run.threads > 0 ? run.threads : own_cores(); }

inline void require(bool good, const std::string& complaint) {
  if (!good) throw OptionError(complaint);
}

// Of the fields that several options have.
inline void check_numbers(double start, double end, long points, double rtol, double atol) {
  require(!std::isinf(start) && !std::isinf(end), "start and end are finite numbers");
  require(points >= 1 && points <= 100'000'000, "points is a whole number from 1 to 100000000");
  require(std::isfinite(rtol) && rtol > 0, "rtol is a number above 0");
  require(std::isfinite(atol) && atol != 0, "atol is a number above 0, or negative: scaled");
}

// Not a number: any.
inline double longest_step(double max_step) {
  require(std::isnan(max_step) || max_step > 0, "max_step is a number above 0");
  return std::isnan(max_step) ? std::numeric_limits<double>::infinity() : max_step;
}

inline void check_values(const std::map<std::string, double>& set) {
  for (const auto& [name, value] : set)
    require(std::isfinite(value), "the value of '" + name + "' is no finite number");
}

}  // namespace stiffit::api
