// Problems for linear fits: a model, a table, what is unknown; and noise to put on the data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/splitmix.h"
#include "estimation/direct/linear_fit.h"

namespace stiffit::internal {

// `model` is a name of the library or a text.
FitProblem linear_problem(const std::string& model, const std::vector<std::string>& tables,
                          const std::string& estimate,
                          const std::vector<std::string>& observes = {});

// The text of a file of the reference solutions, with its first column called time; empty if they
// are not at hand.
std::string reference_table(const std::string& name);

// Normal numbers, the same on every machine.
class Noise {
 public:
  explicit Noise(unsigned long long seed) : random_(seed) {}
  double next();

 private:
  SplitMix random_;
  bool kept_ = false;
  double other_ = 0;
};

// The values of the measurements with noise of this size on all but those at time 0.
std::vector<double> noisy(const FitProblem& problem, double sd, unsigned long long seed);

struct Moments {
  double sum = 0, squares = 0;
  int count = 0;
  void add(double x) {
    sum += x;
    squares += x * x;
    ++count;
  }
  double mean() const { return sum / count; }
  double sd() const;
};

}  // namespace stiffit::internal
