// What a switch does to derivatives, as a sequence of small linear operations; one sequence serves
// the forward sensitivities as it is and the adjoint backwards.
//
// At a switch whose time T moves with the directions, the derivative of x(T) is X = S + x' dT. In
// this frame jumps are plain: X+ = dg/dx X + dg/dt dT + dg/dp d. The frame is left again with the
// slope after it. dT follows from the root r that was crossed: dr/dx S + dr/dp d + (dr/dt + dr/dx
// x') dT = 0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ode/observer.h"
#include "sensitivity/problem.h"

namespace stiffit::internal {

// slot[target] = sum of factor * slot + sum of factor * d(parameter). Slots 0 ... n-1 are the
// states, others are made as needed.
struct JumpRow {
  int target = 0;
  std::vector<std::pair<int, double>> slots, parameters;
};

class JumpRecorder : public StepObserver {
 public:
  explicit JumpRecorder(const SensitivityProblem& problem);

  void arrive(const EventHandler& s) override;
  void mode_changes(const EventHandler& s, std::size_t k) override;
  void triggered(const EventHandler& s, int event, int ticket) override;
  void executes(const EventHandler& s, int event, int ticket, const double* value,
                const double* size) override;
  void algebraic_solved(const EventHandler& s) override;
  void departed(const EventHandler& s) override;
  std::string trouble() const override { return trouble_; }
  // How large each state becomes (see magnitudes.h); empty: not known.
  void scale_by(std::vector<double> largest) { scale_ = std::move(largest); }
  void magnitudes(double* largest) override {
    for (std::size_t i = 0; i < scale_.size(); ++i) largest[i] = std::max(largest[i], scale_[i]);
  }

 protected:
  virtual void apply(const JumpRow& row) = 0;
  virtual void parameters_changed(const double* parameters_and_modes) = 0;
  void begin_jumps();
  // Back to derivatives at a fixed time, for output in the middle of a switch.
  void leave_frame();

  const SensitivityProblem& problem_;
  std::string trouble_;

 private:
  static constexpr int fixed_time = -1, not_crossed = -2;
  struct Ticket {
    int time;   // the slot of its dT
    int value;  // the first slot of its captured values, or -1
  };
  struct Derivatives {
    std::vector<double> state, parameter, time;
  };

  void load_parameters(const EventHandler& s);
  const Derivatives& evaluate(const FunctionKernel& function, const EventHandler& s);
  std::vector<double> slope(const EventHandler& s);
  // Rows for the unknowns of 0 = f from everything else: [unknown][state, parameter, time].
  struct Algebraic {
    std::vector<double> state, parameter, time;  // [unknown][...]
  };
  Algebraic solve_algebraic(const EventHandler& s);
  void enter_frame(const EventHandler& s, int time);
  void add_function(JumpRow& row, const FunctionKernel& function, const Derivatives& d,
                    std::size_t k, double factor) const;
  int new_slot() { return next_slot_++; }

  const Program& program_;
  std::vector<double> scale_;
  std::size_t n_;
  int next_slot_ = 0;
  int frame_ = fixed_time;  // the slot of dT, or fixed_time
  const EventHandler* here_ = nullptr;
  std::vector<int> crossed_;  // per mode: the slot of its dT, fixed_time, or not_crossed
  std::map<int, Ticket> tickets_;
  AlignedArray parameters_;
  Derivatives derivatives_;
  JumpRow row_;
};

}  // namespace stiffit::internal
