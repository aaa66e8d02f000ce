// SPDX-License-Identifier: Apache-2.0
#include "corner_model.h"

#include <cmath>
#include <cstdio>
#include <functional>
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

  CornerModel units();
  CornerModel regrowth();
  CornerModel fractional();
  CornerModel switches();
  CornerModel delays();

 private:
  double between(double low, double high) { return low + (high - low) * random_.unit(); }
  double power(double low, double high) { return std::pow(10, between(low, high)); }
  CornerModel cells();
  CornerModel predators();

  SplitMix random_;
};

// The same right-hand sides twice, x_i = c_i s_i. A ring of conversions, so that every species is
// fed, with pairs that react and one that is made and lost.
CornerModel Maker::units() {
  CornerModel m{"units", "", "", {}, power(0, 2)};
  const int n = 3 + random_.below(4);
  struct Term {
    int species;  // whose equation
    double sign;
    std::string before;  // constant
    std::vector<int> factors;
  };
  std::vector<Term> terms;
  auto react = [&](double k, const std::vector<int>& from, const std::vector<int>& to) {
    for (int i : from) terms.push_back({i, -1, number(k), from});
    for (int i : to) terms.push_back({i, 1, number(k), from});
  };
  for (int i = 0; i < n; ++i) react(power(-1, 3), {i}, {(i + 1) % n});
  for (int r = 0; r < n; ++r)
    react(power(-2, 2), {random_.below(n), random_.below(n)}, {random_.below(n), random_.below(n)});
  const int made = random_.below(n);
  terms.push_back({made, 1, number(power(-2, 0)), {}});
  terms.push_back({made, -1, number(power(-2, 0)), {made}});
  std::vector<double> unit;
  for (int i = 0; i < n; ++i) {
    unit.push_back(random_.chance(50) ? 1 : power(-30, 30));
    const std::string own = "S" + std::to_string(i);
    m.same.push_back({"X" + std::to_string(i), own, unit.back(), false});
    const double start = random_.chance(40) ? 0 : power(-1, 0.5);
    m.text += "X" + std::to_string(i) + " = " + number(start * unit.back()) + "; ";
    m.simple += own + " = " + number(start) + "; ";
  }
  for (int i = 0; i < n; ++i) {
    std::string plain, scaled;
    for (const Term& t : terms) {
      if (t.species != i) continue;
      const std::string sign = t.sign < 0 ? " - " : " + ";
      plain += sign + t.before;
      scaled += sign + number(unit[static_cast<std::size_t>(i)]) + "*" + t.before;
      for (int f : t.factors) {
        plain += "*S" + std::to_string(f);
        scaled += "*(X" + std::to_string(f) + "/" + number(unit[static_cast<std::size_t>(f)]) + ")";
      }
    }
    m.simple += "\nS" + std::to_string(i) + "' = 0" + plain;
    m.text += "\nX" + std::to_string(i) + "' = 0" + scaled;
  }
  return m;
}

// N' = N (mu (1 - N/K) - kill(t)), kill a sum of smooth doses; its nutrient follows.
CornerModel Maker::cells() {
  CornerModel m{"regrowth", "", "", {}, 0};
  const double mu = power(-1, 0.5), capacity = power(0, 9), start = capacity * power(-3, 0);
  m.end = between(60, 120) / mu;
  std::string kill;
  for (int doses = 1 + random_.below(2); doses > 0; --doses) {
    const double fall = between(14, 32);  // in units of e
    const double width = between(2, 4) / mu, at = m.end * between(0.1, 0.4);
    kill += (kill.empty() ? "" : " + ") + number(fall / (width * std::sqrt(std::numbers::pi))) +
            "*exp(-((time - " + number(at) + ")/" + number(width) + ")^2)";
  }
  m.text = "N = " + number(start) + "; N' = N*(" + number(mu) + "*(1 - N/" + number(capacity) +
           ") - (" + kill + "))";
  m.simple = "L = " + number(std::log(start / capacity)) + "; L' = " + number(mu) +
             "*(1 - exp(L)) - (" + kill + ")";
  m.same = {{"N", "L", capacity, true}};
  return m;
}

// Lotka and Volterra far from the centre: troughs of 1e-3 to 1e-12 of the peaks.
CornerModel Maker::predators() {
  CornerModel m{"regrowth", "", "", {}, 0};
  const double growth = power(-0.3, 0.3), loss = power(-0.3, 0.3), x0 = power(0.3, 1.2),
               y0 = power(0.3, 1.2), cx = power(-9, 9), cy = power(-9, 9);
  m.end = between(10, 40) / std::sqrt(growth * loss);
  m.text = "X = " + number(x0 * cx) + "; Y = " + number(y0 * cy) + "\nX' = " + number(growth) +
           "*X*(1 - Y/" + number(cy) + ")\nY' = " + number(loss) + "*Y*(X/" + number(cx) + " - 1)";
  m.simple = "x = " + number(std::log(x0)) + "; y = " + number(std::log(y0)) +
             "\nx' = " + number(growth) + "*(1 - exp(y))\ny' = " + number(loss) + "*(exp(x) - 1)";
  m.same = {{"X", "x", cx, true}, {"Y", "y", cy, true}};
  return m;
}

CornerModel Maker::regrowth() { return random_.chance(60) ? cells() : predators(); }

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
    m.same.push_back({s, s, 1, false});
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
  m.same = {{"A", "A", 1, false}};
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
  m.same = {{"B", "B", 1, false}};
  return m;
}

}  // namespace

CornerModel corner_model(std::uint64_t seed) {
  Maker maker(seed);
  switch (seed % corner_kinds) {
    case 0:
      return maker.units();
    case 1:
      return maker.regrowth();
    case 2:
      return maker.fractional();
    case 3:
      return maker.switches();
    default:
      return maker.delays();
  }
}

}  // namespace stiffit::internal
