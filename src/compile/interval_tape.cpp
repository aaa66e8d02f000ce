// SPDX-License-Identifier: Apache-2.0
#include "compile/interval_tape.h"

#include <algorithm>

namespace stiffit::internal {
namespace {

enum : std::uint32_t { time_array, state_array, parameter_array };

void insert_once(std::vector<int>& list, std::uint32_t element) {
  const int value = static_cast<int>(element);
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

}  // namespace

IntervalTape::IntervalTape(Tape tape) : tape_(std::move(tape)), place_(tape_.code.size(), 0) {
  for (std::size_t i = 0; i < tape_.code.size(); ++i) {
    const Instruction& in = tape_.code[i];
    if (in.op != TapeOp::load) continue;
    if (in.a == time_array) reads_time_ = true;
    if (in.a == parameter_array) insert_once(parameters_, in.b);
    if (in.a != state_array) continue;
    insert_once(states_, in.b);
    place_[i] = static_cast<int>(std::find(states_.begin(), states_.end(), static_cast<int>(in.b)) -
                                 states_.begin());
  }
}

template <class StateAt>
void IntervalTape::run_with(const Interval& time, StateAt&& state_at, const double* parameters,
                            Interval* results, std::vector<Interval>& scratch) const {
  scratch.resize(std::max(scratch.size(), tape_.code.size()));
  Interval* const v = scratch.data();
  for (std::size_t i = 0; i < tape_.code.size(); ++i) {
    const Instruction& in = tape_.code[i];
    switch (in.op) {
      case TapeOp::constant:
        v[i] = Interval::at(tape_.constants[in.a]);
        break;
      case TapeOp::load:
        v[i] = in.a == time_array    ? time
               : in.a == state_array ? state_at(i, in.b)
                                     : Interval::at(parameters[in.b]);
        break;
      case TapeOp::store:
        results[in.b] = v[in.c];
        break;
      case TapeOp::add:
        v[i] = v[in.a] + v[in.b];
        break;
      case TapeOp::sub:
        v[i] = v[in.a] - v[in.b];
        break;
      case TapeOp::mul:
        // A square is no product of two that vary by themselves.
        v[i] = in.a == in.b ? bounds_of(Op::pow, v[in.a], Interval::at(2), {}) : v[in.a] * v[in.b];
        break;
      case TapeOp::div:
        v[i] = v[in.a] / v[in.b];
        break;
      case TapeOp::neg:
        v[i] = -v[in.a];
        break;
      case TapeOp::fma:
      case TapeOp::fms:
      case TapeOp::fnma: {
        const Interval both =
            in.a == in.b ? bounds_of(Op::pow, v[in.a], Interval::at(2), {}) : v[in.a] * v[in.b];
        v[i] = in.op == TapeOp::fma   ? both + v[in.c]
               : in.op == TapeOp::fms ? both - v[in.c]
                                      : v[in.c] - both;
        break;
      }
      case TapeOp::apply:
        v[i] = bounds_of(in.function, v[in.a], v[in.b], v[in.c]);
        break;
    }
  }
}

void IntervalTape::run(const Interval& time, const double* states, const double* parameters,
                       Interval* results, std::vector<Interval>& scratch) const {
  run_with(
      time, [&](std::size_t, std::uint32_t element) { return Interval::at(states[element]); },
      parameters, results, scratch);
}

void IntervalTape::run(const Interval& time, const std::vector<Interval>& moving,
                       const double* parameters, Interval* results,
                       std::vector<Interval>& scratch) const {
  run_with(
      time, [&](std::size_t i, std::uint32_t) { return moving[place_[i]]; }, parameters, results,
      scratch);
}

}  // namespace stiffit::internal
