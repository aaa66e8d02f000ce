// Where a run stands at the end of its output: all that the rest of it depends on, so that a run in
// parts is the run as a whole. Only the method's own past (step size, order) begins anew.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "ode/delays/history.h"
#include "ode/driver/state_scales.h"
#include "ode/events/event_handler.h"
#include "ode/simulate.h"

namespace stiffit::internal {

struct Continuation {
  std::shared_ptr<const Program> program;  // what `switching` and `history` refer to
  double time = 0;
  std::vector<double> states, parameters;
  std::vector<double> largest;         // per state: the scale of its tolerance
  KeptScales scales;                   // what that scale is made of
  std::optional<EventHandler> events;  // modes, triggers, events that wait, the dice
  std::optional<History> history;      // what delays look back at
  // Time, states and parameters have been set anew since, from outside: the run begins there, with
  // what holds then and the events of that moment. Triggers are not armed again, events that wait
  // and the past stay.
  bool changed = false;
};

inline void check_continuation(const Problem& problem, const Request& request) {
  if (request.from && request.from->program != problem.program)
    throw std::invalid_argument("a run goes on with the program it was begun with");
}

inline double start_of(const Request& request) {
  return request.from ? request.from->time : request.start;
}

inline const std::vector<double>& parameters_of(const Program& program, const Request& request) {
  if (request.from) return request.from->parameters;
  return request.parameters.empty() ? program.parameter_values : request.parameters;
}

}  // namespace stiffit::internal
