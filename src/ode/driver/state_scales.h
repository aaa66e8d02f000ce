// What absolute tolerances are measured by, state by state, each in its own unit: no state is ever
// compared with another, so that the same system in other units is solved in the same way. Under
// x_i -> c_i x_i, f_i and J_ij x_j change by c_i, and all that is here is made of those.
//
// The scale of a state is the largest size it has had. Besides:
// - A state that has been nothing so far is taken for what its inflow would make of it until it has
//   shown its size, or those far down a chain (x ~ t^10) would have to be right in all digits from
//   the first step on.
// - Where large flows cancel, their rounding is no error: a state that only such noise moves is
//   measured by the flows through it. The same for inputs that are small differences of large
//   numbers, 1 + sin(t) near its zeros.
// - A state that is nothing and that nothing feeds has no scale of its own: until something does,
//   what rounding makes of it beside the largest of all is nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ode/stepper.h"

namespace stiffit::internal {

// Of one lane, for a run that goes on from where another ended; empty: nothing is expected.
struct KeptScales {
  std::vector<double> reached, expected, promised, rest, jitter;  // per state
  std::vector<char> orphan;
  int settling = 0, until_look = 0;
  bool orphans = false, noisy = false;
};

class StateScales {
 public:
  explicit StateScales(LaneGroup& group);
  // The lane's state is new, group.largest is up to date: scales for those that never were
  // anything.
  void begin(int lane);
  // Derivatives go along, which may be small where states are not.
  void follow_derivatives() { followed_ = true; }
  KeptScales keep(int lane) const;
  void go_on(int lane, const KeptScales& kept);
  // The lane goes on from a new state, where its slope is this.
  void moved(int lane, const double* slope);
  // After steps were taken or one was rejected, group.largest being up to date.
  void accepted(LaneMask lanes);
  void rejected(int lane);
  // A method that tries no shorter steps has failed: whether noise that was not known is why.
  bool explain_failure(int lane);
  // It is nothing and nothing feeds it: its scale is none of its own.
  bool is_orphan(std::size_t state, int lane) const {
    return !orphan_.empty() && orphan_[at(state, lane)];
  }

 private:
  static constexpr int steps_between_looks = 64, rejections_to_look = 3;  // at noise
  static constexpr int many_rejections = 8;  // from one look to the next
  struct Lane {
    int settling = 0;           // steps left with expected sizes
    long look_at = 0;           // the number of steps at which the noise is looked at
    int rejections = 0;         // in a row
    long rejected = 0;          // in all, up to the last look
    double tried = 0;           // the longest of the steps rejected in a row
    bool orphans = false;       // there are states that nothing feeds
    bool noisy = false;         // noise counts in some state
    bool fading_noise = false;  // and falls with it
    long expected_at = -1;      // the number of steps at which sizes were last expected
  };

  void compare_with_largest(int lane);
  bool joined() const { return program_.inputs > 0 || !program_.mass.empty(); }
  // `ahead`: as of the end of the step that was tried.
  void expect(int lane, bool ahead);
  bool spread(int lane);
  void take_shortest_step(int lane, double shortest);
  bool is_newborn(std::size_t state, int lane) const;
  bool look_later(int lane, int& tried);
  bool has_unknown(int lane) const;
  bool expects_the_same(int lane) const;
  void follow(int lane);
  long steps_to_look(int lane) const;
  void judge_orphans(int lane);
  void follow_noise(int lane);
  long rejected_since_look(int lane) const;
  double rounding_unit() const;
  bool settle(int lane);
  bool look(int lane);  // at noise; true if there is more of it than was allowed for
  void find_noise_of_inputs(int lane, double h);
  bool find_stair(int lane, double window);
  void rates_at(int lane, double t);
  void prepare();
  void differentiate(double* t, double* y);
  std::size_t at(std::size_t state, int lane) const {
    return state * static_cast<std::size_t>(group_.lanes) + static_cast<std::size_t>(lane);
  }

  // Tolerances are not scaled: nothing to do.
  bool idle() const {
    return !group_.scaled_tolerance() || group_.n == 0 || group_.options.fixed_step > 0;
  }

  LaneGroup& group_;
  const Program& program_;
  std::vector<Lane> lanes_;
  LaneMask busy_ = 0;        // lanes of which every step is followed
  long rounds_to_look_ = 0;  // no lane is looked at before so many rounds
  bool renewed_ = false;     // that is to be found anew
  bool followed_ = false;
  // [state][lane], while settling or noisy; expected sizes fade from `promised_` to `rest_`.
  AlignedArray reached_, expected_, promised_, rest_;
  AlignedArray relative_;                         // noise of what may grow again, of its value
  std::vector<char> orphan_;                      // [state][lane]
  std::vector<char> faint_;                       // [state] to be looked at anew
  AlignedArray time_, trial_, slope_, jacobian_;  // [element][lane]
  std::vector<double> size_, passing_, inflow_, yield_, linear_, diagonal_;  // [state]
  std::vector<double> jitter_;  // [state][lane] noise of the rates, by what depends on time
  std::vector<int> known_;
};

}  // namespace stiffit::internal
