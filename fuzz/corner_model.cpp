// SPDX-License-Identifier: Apache-2.0
#include "corner_model.h"

#include <cmath>
#include <cstdio>
#include <numbers>

#include "base/splitmix.h"

namespace stiffit::internal {
namespace {

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed * 6007 + 29) {}

  CornerModel fractional();
  CornerModel switches();
  CornerModel delays();

 private:
  double between(double low, double high) { return low + (high - low) * random_.unit(); }
  double power(double low, double high) { return std::pow(10, between(low, high)); }

  SplitMix random_;
};

// A chain S0 => S1 => ... of which some laws are k S^a.
CornerModel Maker::fractional() {
  CornerModel m{"fractional", "", "", {}, 0};
  const int n = 2 + random_.below(3);
  const double size = power(-6, 6);
  double slowest = 0;
  for (int i = 0; i < n; ++i) {
    const double start = i == 0 || random_.chance(40) ? size * power(-0.5, 0.5) : 0;
    const std::string s = "S" + std::to_string(i),
                      to = i + 1 < n ? "S" + std::to_string(i + 1) : "";
    m.text += "species " + s + " = " + number(start) + "\n";
    m.simple += "species " + s + " = " + number(start) + "\n";
    m.shared.push_back(s);
    const double k = power(-0.5, 0.5);
    slowest = std::max(slowest, 1 / k);
    if (i > 0 && random_.chance(30)) {
      const std::string law = s + " => " + to + "; " + number(k) + "*" + s + "\n";
      m.text += law;
      m.simple += law;
      continue;
    }
    static const char* const orders[] = {"2/3", "1/2", "0.75", "0.8"};
    static const double values[] = {2.0 / 3, 0.5, 0.75, 0.8};
    const int which = random_.below(4);
    const double a = values[which];
    const double constant = k * std::pow(size, 1 - a);
    m.text += s + " => " + to + "; " + number(constant) + "*" + s + "^(" + orders[which] + ")\n";
    // s (s^2 + e^2)^((a-1)/2): what is left of the power below e is of first order.
    const std::string e = number(1e-14 * size);
    m.simple += s + " => " + to + "; " + number(constant) + "*" + s + "*(" + s + "^2 + " + e +
                "^2)^(" + number((a - 1) / 2) + ")\n";
  }
  m.end = slowest * between(2, 8);
  return m;
}

// A is made while a function of time is above a threshold, and lost.
CornerModel Maker::switches() {
  CornerModel m{"switches", "", "", {}, 0};
  const double period = power(-2, 2),
               share = random_.chance(50) ? between(0.2, 0.8) : power(-4, -1);
  const double first = period * random_.unit(), loss = power(-1, 1) / period, made = power(-3, 3);
  const int periods = 1 + random_.below(random_.chance(20) ? 3000 : 40);
  m.end = period * (periods + random_.unit());
  // cos(2 pi (t - first)/period) > cos(pi share): on around `first`, for `share` of the period.
  const double threshold = std::cos(std::numbers::pi * share);
  m.text = "A = 0; A' = piecewise(" + number(made) + ", cos(2*pi*(time - " + number(first) + ")/" +
           number(period) + ") > " + number(threshold) + ", 0) - " + number(loss) + "*A";
  // Between switches A relaxes: one state and no switch at all, as a table of what was added, would
  // need sums of exponentials; events at the known times do the same by another way.
  m.simple = "A = 0; u = " +
             std::string(std::cos(2 * std::numbers::pi * first / period) > threshold ? "1" : "0") +
             "; A' = u*" + number(made) + " - " + number(loss) + "*A\n";
  const double half = share * period / 2;
  for (int k = -1; k <= periods + 1; ++k) {
    const double on = first + k * period - half, off = first + k * period + half;
    if (on > 0 && on < m.end) m.simple += "at (time >= " + number(on) + "): u = 1\n";
    if (off > 0 && off < m.end) m.simple += "at (time >= " + number(off) + "): u = 0\n";
  }
  m.shared = {"A"};
  return m;
}

// B follows a pulse of time through one or two delays.
CornerModel Maker::delays() {
  CornerModel m{"delays", "", "", {}, 0};
  const double tau = power(-1, 1), second = random_.chance(50) ? power(-1, 1) : 0;
  const double from = between(0.1, 2),
               length = random_.chance(50) ? between(0.2, 2) : power(-3, -1), height = power(-2, 2),
               loss = power(-1, 0.5);
  m.end = from + length + tau + second + between(1, 4) / loss;
  auto pulse = [&](double shift) {
    return "piecewise(" + number(height) + ", time >= " + number(from + shift) + " && time < " +
           number(from + length + shift) + ", 0)";
  };
  const std::string through =
      second > 0 ? "delay(w, " + number(second) + ")" : "delay(u, " + number(tau) + ")";
  m.text = "u := " + pulse(0) + "\nw := delay(u, " + number(tau) + ")\nB = 0; B' = " + through +
           " - " + number(loss) + "*B";
  m.simple = "B = 0; B' = " + pulse(tau + second) + " - " + number(loss) + "*B";
  m.shared = {"B"};
  return m;
}

}  // namespace

CornerModel corner_model(std::uint64_t seed) {
  Maker maker(seed);
  switch (seed % corner_kinds) {
    case 0:
      return maker.fractional();
    case 1:
      return maker.switches();
    default:
      return maker.delays();
  }
}

}  // namespace stiffit::internal
