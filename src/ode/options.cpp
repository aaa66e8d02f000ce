// SPDX-License-Identifier: Apache-2.0
#include "ode/options.h"

#include "base/number.h"

namespace stiffit::internal {

extern constinit const double usual_scaled_atol = 1e-3;

Counters& Counters::operator+=(const Counters& o) {
  steps += o.steps;
  rejected += o.rejected;
  f += o.f;
  j += o.j;
  lu += o.lu;
  newton += o.newton;
  return *this;
}

std::string describe(const Outcome& outcome, const std::vector<std::string>& state_names) {
  if (outcome.status == Status::done) return "done";
  const std::string when = " at time " + format_number(outcome.time);
  const bool known =
      outcome.state >= 0 && static_cast<std::size_t>(outcome.state) < state_names.size();
  const std::string who = known ? state_names[outcome.state] : "";
  std::string text;
  switch (outcome.status) {
    case Status::too_many_steps:
      text = "gave up after " + std::to_string(outcome.counters.steps + outcome.counters.rejected) +
             " steps" + when;
      if (known) text += "; " + who + " changes fastest there";
      break;
    case Status::step_too_small:
      text = "the step became too small" + when;
      if (known) text += "; " + who + " changes fastest there";
      break;
    case Status::not_finite:
      text = "the equations have no finite value" + when;
      if (known) text += "; " + who + " is the first to blame";
      break;
    case Status::unstable:
      text = "the result has blown up: the steps are longer than the method bears";
      break;
    default:
      text = "interrupted" + when;
      break;
  }
  if (!outcome.detail.empty())
    return outcome.detail + (outcome.status == Status::unstable ? "" : when);
  return text;
}

std::string describe_below_zero(const Outcome& outcome,
                                const std::vector<std::string>& state_names) {
  const BelowZero& b = outcome.below_zero;
  if (b.state < 0 || static_cast<std::size_t>(b.state) >= state_names.size()) return {};
  std::string text = state_names[b.state] + " falls to " + format_number(b.value) + " at time " +
                     format_number(b.time);
  if (b.others > 0)
    text += ", and " + std::to_string(b.others) + " more species " +
            (b.others == 1 ? "falls" : "fall") + " below zero";
  return text + ": more than the tolerance allows";
}

}  // namespace stiffit::internal
