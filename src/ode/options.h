// What to ask of an integration and what comes back, for every method.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <complex>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace stiffit::internal {

// What runs if nobody asks for another; method_registry.cpp.
std::string_view default_method();
// Of IntegrationOptions::scaled_atol.
extern const double usual_scaled_atol;

struct IntegrationOptions {
  std::string method{default_method()};
  // Relative tolerance per step (weighted root mean square over the states).
  double rtol = 1e-6;
  // Absolute tolerance in the states' own units. Negative: scaled per state from the largest
  // magnitude it has reached, `scaled_atol * rtol * max|x|`, so that no unit is special.
  double atol = -1;
  double scaled_atol = usual_scaled_atol;
  double fixed_step = 0;    // > 0: steps of this size, no error control
  double initial_step = 0;  // 0: chosen
  double max_step = std::numeric_limits<double>::infinity();
  long max_steps = 500000;  // accepted and rejected, between two switches
  // Of methods that have several; 0: their own. MethodEntry::largest_order is what they know.
  int max_order = 0;
  // With negative real parts, one of each pair: what fitted methods are fitted to. Empty: the
  // dominant one, estimated.
  std::vector<std::complex<double>> eigenvalues;
  unsigned long long seed = 1;  // of the order of simultaneous events of equal priority
  const std::atomic<bool>* interrupt = nullptr;  // set: stop at the next step
  std::function<void(double time)> progress;     // called now and then
};

struct Counters {
  long steps = 0, rejected = 0, f = 0, j = 0, lu = 0, newton = 0;
  Counters& operator+=(const Counters& other);
};

enum class Status {
  done,
  too_many_steps,
  step_too_small,  // the error test or Newton keeps failing
  not_finite,      // a derivative is not a number at the current state
  interrupted,
  unstable,  // fixed steps beyond what the method bears have blown the result up
};

// A species that fell below zero by more than tolerances allow.
struct BelowZero {
  int state = -1;  // -1: there is none
  double value = 0, time = 0;
  int others = 0;  // that many more did
};

struct Outcome {
  Status status = Status::done;
  double time = 0;     // reached
  int state = -1;      // the one to blame, or -1
  std::string detail;  // in words, for people
  Counters counters;
  std::string used;  // of a method that stands for several: which took how many steps
  BelowZero below_zero;
};

// The outcome in a sentence: what stopped it, when, and which state is to blame.
std::string describe(const Outcome& outcome, const std::vector<std::string>& state_names);
// Which species fell below zero, in a sentence; empty if none did.
std::string describe_below_zero(const Outcome& outcome,
                                const std::vector<std::string>& state_names);

}  // namespace stiffit::internal
