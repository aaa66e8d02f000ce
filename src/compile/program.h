// A system of equations made runnable: the kernels an integrator calls, for one number of lanes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/thresholds.h"
#include "compile/interval_tape.h"
#include "compile/kernel.h"
#include "symbolic/system.h"

namespace stiffit::internal {

class TimeScan;  // time_scan.h

struct ProgramOptions {
  int lanes = 1;  // 1, 4 or 8
  Isa isa = best_isa();
  // Networks with more rate terms than this run from index tables instead of straight-line code
  // (which would no longer fit the instruction cache), if they are of mass action.
  int largest_straight_line = usual_straight_line();
  Thresholds thresholds;

  static int usual_straight_line();
};

// What a model with events or switches needs besides; one lane each, called rarely.
struct HybridProgram {
  struct Event {
    std::string name;
    bool has_delay = false, has_priority = false;
    bool initial_value = true, persistent = true, values_at_trigger = true;
    int first = 0;  // of its assignments in `assigned`
    int assignments = 0;
    std::vector<int> unsettles;  // modes that its assignments may change at once
  };
  struct Assignment {
    int state = 0;
  };
  // An event that leaves a state at the edge of its trigger (see holds.h).
  struct Hold {
    int event = 0;
    int mode = 0;       // the trigger's
    int slot = 0;       // the mode that is the hold itself
    IntervalTape root;  // of the trigger's mode
  };
  std::vector<Mode> modes;  // those of the system, then one per hold
  std::vector<Event> events;
  std::vector<Hold> holds;
  std::vector<Assignment> assigned;

  // All of {time, states, parameters, result}.
  Kernel roots;     // per mode
  Kernel slopes;    // per mode: d root/dt of a clock, else 0
  Kernel triggers;  // per event: 0 or 1
  // Per mode whose root is not linear in time: the root and its partial d/dt; else nothing.
  std::vector<IntervalTape> clock_bounds;
  Kernel delays;      // per event
  Kernel priorities;  // per event
  Kernel values;      // per assignment
  Kernel sizes;       // per assignment: what to multiply it by, as of before the event
  Kernel outputs;
  Kernel rhs;
  Kernel jacobian;
  Kernel prepare;              // {parameters}
  std::vector<int> algebraic;  // states whose equation is 0 = f
  // Fast reactions (see SystemEquilibrium).
  struct Fast {
    std::vector<int> states;  // at equilibrium
    Kernel residual;          // per such state
    struct Partial {
      int row, state;  // d residual[row] / d state
    };
    std::vector<Partial> partials;
    Kernel partial_values;
    std::vector<int> totals;
    Kernel amounts;       // per total: the amount behind it
    Kernel from_amounts;  // per total: its value, where the states stand for amounts
  } fast;
  // Delays: input k is the value of delay k as it was entry k of `lags` ago. Kernels with `now`
  // decide conditions by what they are given, the others by the modes.
  struct Delay {
    Kernel value, value_now;
    bool fixed_lag = false;  // depends on parameters alone
    // Its value, or how long ago, depends on other delayed values, which come before it.
    bool nested_value = false, nested_lag = false;
    bool sees_states = false;
    std::vector<int> inputs;               // delayed values in its value
    std::vector<int> modes;                // in its value, as places in `delay_modes`
    std::string text;                      // as people wrote it
    std::shared_ptr<const TimeScan> scan;  // of its value
  };
  std::vector<Delay> delayed;
  Kernel lags, lags_now;
  std::vector<int> delay_modes;  // in values or lags of delays
  std::vector<int> rhs_modes;    // in f
};

// All arrays are [element][lane]. Parameters are followed by derived ones (expressions of
// parameters alone), which `prepare` computes; call it whenever a parameter has changed.
struct Program {
  int lanes = 1;
  Isa isa = Isa::portable;
  Thresholds thresholds;  // that it was made with
  int states = 0;
  int parameters = 0;       // that a user can set
  int modes = 0;            // follow the parameters
  int inputs = 0;           // delayed values, follow the modes
  int parameter_slots = 0;  // with modes, inputs and derived ones
  bool autonomous = true;   // df/dt = 0
  bool from_tables = false;
  std::vector<int>
      nonnegative_states;  // states that are species of reactions: not negative by nature
  // Bases of powers of fractional order (symbolic/vanishing_powers.h): where one is used up.
  struct Vanishing {
    int state = -1;  // the base is that state; -1: another expression
    std::string name;
  };
  std::vector<Vanishing> vanishing;
  std::vector<double> mass;  // per state: 1, or 0 for an algebraic equation; empty: all ones
  Sparsity pattern;          // of the Jacobian
  std::vector<std::string> state_names;
  std::vector<double> parameter_values;  // the model's own, one each
  std::vector<std::string> output_names;
  std::vector<int> output_states;  // per output: the state that it is; empty: not all are states
  double start_time = 0;

  Kernel prepare;           // {parameters}
  Kernel initial;           // {parameters, states}
  Kernel rhs;               // {time, states, parameters, f}
  Kernel jacobian;          // {time, states, parameters, J values}
  Kernel time_derivative;   // {time, states, parameters, df/dt}
  Kernel outputs;           // {time, states, parameters, outputs}
  Kernel bases, bases_one;  // {time, states, parameters, per vanishing base}; in all lanes, in one

  std::shared_ptr<const HybridProgram> hybrid;  // null: nothing ever switches
  std::shared_ptr<const TimeScan> scan;         // of f; null: no part of it is time's alone

  // What three of the kernels were made from, to be written into larger ones. Null: too long.
  struct Tapes {
    Tape rhs, jacobian, time_derivative;
    Tape values;  // of the right-hand side, where no derivatives are asked for
  };
  std::shared_ptr<const Tapes> tapes;

  // What methods make of it when they first ask for it, shared by threads: series by their order.
  struct MadeLater {
    std::mutex mutex;
    std::map<int, Kernel> series;
  };
  std::shared_ptr<MadeLater> made_later = std::make_shared<MadeLater>();
};

// `system` may gain nodes (derivatives); its equations stay the same.
std::shared_ptr<const Program> compile(System& system, const std::vector<Output>& outputs,
                                       const ProgramOptions& options = {});

}  // namespace stiffit::internal
