// On which scale a parameter is estimated: theta = value, ln value, or log10 value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace stiffit::internal {

enum class Scale { lin, log, log10 };

inline double to_theta(double value, Scale scale) {
  return scale == Scale::lin ? value : scale == Scale::log ? std::log(value) : std::log10(value);
}

inline double from_theta(double theta, Scale scale) {
  return scale == Scale::lin   ? theta
         : scale == Scale::log ? std::exp(theta)
                               : std::pow(10.0, theta);
}

// d value / d theta, at a value.
inline double theta_slope(double value, Scale scale) {
  return scale == Scale::lin ? 1.0 : scale == Scale::log ? value : value * 2.302585092994045684;
}

inline const char* scale_name(Scale scale) {
  return scale == Scale::lin ? "lin" : scale == Scale::log ? "log" : "log10";
}

}  // namespace stiffit::internal
