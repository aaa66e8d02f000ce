// The derivatives of a state by many directions, side by side in lanes, and how a step moves them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "sensitivity/linearised_step.h"

namespace stiffit::internal {

class Tangents {
 public:
  Tangents(const SensitivityProblem& problem, std::size_t directions);
  virtual ~Tangents() = default;

  int directions() const { return directions_; }
  // As many as there is memory for. All derivatives are zero then.
  void begin(std::span<const Direction> directions);
  // ds_i/d(theta_k) as it stands.
  double& s(std::size_t state, std::size_t direction) {
    return s_[direction / lanes_ * size_ + state * lanes_ + direction % lanes_];
  }
  // d(parameter)/d(theta_k)
  double shift(std::size_t parameter, std::size_t direction) const {
    return shifts_[parameter * static_cast<std::size_t>(directions_) + direction];
  }
  bool finite() const { return finite_; }             // all of the step just made
  void write(double* out) const;                      // [state][direction]
  virtual void write(double theta, double* out) = 0;  // within the step just made
  virtual bool step(const LinearisedStep& step) = 0;  // false: singular
  virtual void accept() = 0;
  virtual void land(double theta) = 0;  // to this share of the step instead
  // The embedded error of the step in units of `allowed`, the largest of all directions.
  struct Tolerance {
    double rtol, floor;
    const double* absolute;       // [state], to be divided by the direction's own size
    const double* inverse_sizes;  // [direction], of whole chunks, aligned
  };
  virtual double error(const Tolerance& tolerance) = 0;
  std::size_t padded_directions() const { return chunks_ * lanes_; }

 protected:
  void write_chunked(const double* chunked, double* out) const;

  const SensitivityProblem& problem_;
  std::size_t n_, lanes_, chunks_, size_;  // size_: of a chunk, n * lanes and a little
  int directions_;
  std::vector<double> shifts_;  // [parameter][direction]
  AlignedArray s_, s_new_, largest_;
  AlignedArray rest_, work_, jacobian_, diagonal_;
  std::unique_ptr<LinearSolver> solver_;
  // Of each chunk: which entries of df/dp meet a parameter that moves, by rows, and the lanes'
  // shifts of that parameter.
  struct Forcing {
    struct Term {
      int row, entry, shift;
    };
    std::vector<Term> terms;
    AlignedArray shifts;
  };
  std::vector<Forcing> forcing_;
  std::vector<int> number_;  // of each parameter among those of a chunk, or -1
  bool finite_ = true;
};

// What Tangents does with the steps of Rodas5P.
std::unique_ptr<Tangents> make_tangents(const SensitivityProblem& problem, std::size_t directions);

}  // namespace stiffit::internal
