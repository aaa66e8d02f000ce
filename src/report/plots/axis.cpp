// SPDX-License-Identifier: Apache-2.0
#include "report/plots/axis.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"

namespace stiffit::internal {
namespace {

// Of a linear axis: 1, 2 or 5 times a power of ten.
double round_step(double range, int wanted) {
  const double rough = range / std::max(wanted, 1);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

std::vector<Tick> linear_ticks(double low, double high, int wanted) {
  std::vector<Tick> ticks;
  const double step = round_step(high - low, wanted);
  if (!(step > 0) || !std::isfinite(step)) return ticks;
  const double first = std::ceil(low / step - 1e-9), last = std::floor(high / step + 1e-9);
  for (double k = first; k <= last && ticks.size() < 100; ++k) {
    const double value = k == 0 ? 0 : k * step;
    ticks.push_back({value, format_short(value, 6)});
  }
  return ticks;
}

std::string power_label(double exponent, bool negative) {
  const double value = std::pow(10, exponent);
  const std::string text =
      std::fabs(exponent) <= 3 ? format_short(value, 6) : "1e" + format_short(exponent, 4);
  return (negative ? "-" : "") + text;
}

std::vector<Tick> logarithmic_ticks(double low, double high, int wanted) {
  const double first = std::ceil(std::log10(low) - 1e-9),
               last = std::floor(std::log10(high) + 1e-9);
  if (last - first < 1) {
    // Within a decade powers of ten are too few.
    std::vector<Tick> ticks = linear_ticks(low, high, wanted);
    std::erase_if(ticks, [](const Tick& t) { return !(t.value > 0); });
    return ticks;
  }
  std::vector<Tick> ticks;
  const double every = std::max(1.0, std::ceil((last - first + 1) / wanted));
  for (double e = first - 1; e <= last; ++e) {
    const bool whole = e >= first;
    if (whole)
      ticks.push_back(
          {std::pow(10, e), std::fmod(e - first, every) == 0 ? power_label(e, false) : ""});
    if (last - first > 5) continue;
    for (int k = 2; k < 10; ++k)
      if (const double value = k * std::pow(10, e); value >= low && value <= high)
        ticks.push_back({value, ""});
  }
  return ticks;
}

std::vector<Tick> symmetric_ticks(double low, double high, int wanted) {
  if (std::max(-low, high) <= 5) return linear_ticks(low, high, wanted);
  const double decades = std::max(0.0, std::floor(std::log10(std::max(-low, 1.0)))) +
                         std::max(0.0, std::floor(std::log10(std::max(high, 1.0)))) + 3;
  const double every = std::max(1.0, std::ceil(decades / wanted));
  std::vector<Tick> ticks{{0, "0"}};
  for (double sign : {-1.0, 1.0})
    for (double e = 0; e <= std::log10(std::max(-low, high)) + 1e-9; ++e) {
      const double value = sign * std::pow(10, e);
      if (value < low * (1 + 1e-9) || value > high * (1 + 1e-9)) continue;
      ticks.push_back({value, std::fmod(e, every) == 0 ? power_label(e, sign < 0) : ""});
    }
  return ticks;
}

}  // namespace

Axis::Axis(AxisScale scale, double low, double high) : scale_(scale), low_(low), high_(high) {
  if (scale_ == AxisScale::logarithmic && !(low_ > 0)) low_ = high_ > 0 ? 1e-3 * high_ : 0.1;
  if (!std::isfinite(low_)) low_ = scale_ == AxisScale::logarithmic ? 0.1 : 0;
  if (!std::isfinite(high_) || !(high_ > low_)) {
    if (scale_ == AxisScale::logarithmic) {
      high_ = 3 * low_;
      low_ /= 3;
    } else {
      const double margin = low_ != 0 ? 0.5 * std::fabs(low_) : 1;
      high_ = low_ + margin;
      low_ -= margin;
    }
  }
}

double Axis::bend(double value) const {
  if (scale_ == AxisScale::logarithmic) return std::log10(value);
  return scale_ == AxisScale::symmetric ? std::asinh(value) : value;
}

double Axis::unbend(double bent) const {
  if (scale_ == AxisScale::logarithmic) return std::pow(10, bent);
  return scale_ == AxisScale::symmetric ? std::sinh(bent) : bent;
}

bool Axis::shows(double value) const {
  return std::isfinite(value) && (scale_ != AxisScale::logarithmic || value > 0);
}

double Axis::place(double value) const {
  const double from = bend(low_), to = bend(high_);
  return (bend(value) - from) / (to - from);
}

double Axis::value_at(double place) const {
  const double from = bend(low_), to = bend(high_);
  return unbend(from + place * (to - from));
}

std::vector<Tick> Axis::ticks(int wanted) const {
  if (scale_ == AxisScale::logarithmic) return logarithmic_ticks(low_, high_, wanted);
  if (scale_ == AxisScale::symmetric) return symmetric_ticks(low_, high_, wanted);
  return linear_ticks(low_, high_, wanted);
}

Axis axis_around(AxisScale scale, const std::vector<double>& values) {
  double low = INFINITY, high = -INFINITY;
  for (double v : values) {
    if (!std::isfinite(v) || (scale == AxisScale::logarithmic && !(v > 0))) continue;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  Axis tight(scale, low, high);
  if (scale == AxisScale::linear) {
    const double step = round_step(tight.high() - tight.low(), 5);
    return {scale, step * std::floor(tight.low() / step + 1e-9),
            step * std::ceil(tight.high() / step - 1e-9)};
  }
  const double margin = 0.04;
  return {scale, tight.value_at(-margin), tight.value_at(1 + margin)};
}

}  // namespace stiffit::internal
