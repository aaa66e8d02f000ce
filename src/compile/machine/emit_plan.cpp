// SPDX-License-Identifier: Apache-2.0
#include "compile/machine/emit_plan.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {
namespace {

constexpr Value unknown = std::numeric_limits<Value>::max();

// Arithmetic may come as `apply` too; one form is enough further down.
Instruction normalised(Instruction in) {
  if (in.op != TapeOp::apply) return in;
  switch (in.function) {
    case Op::neg:
      in.op = TapeOp::neg;
      break;
    case Op::add:
      in.op = TapeOp::add;
      break;
    case Op::sub:
      in.op = TapeOp::sub;
      break;
    case Op::mul:
      in.op = TapeOp::mul;
      break;
    case Op::div:
      in.op = TapeOp::div;
      break;
    default:
      break;
  }
  return in;
}

// x to the n by squaring, 1 <= n <= 8: at most 3 roundings deep, below 4 ulp.
Value whole_power(Tape& tape, Value x, int n) {
  if (n == 1) return x;
  const Value half = whole_power(tape, x, n / 2);
  const Value even = tape.mul(half, half);
  return n % 2 == 0 ? even : tape.mul(even, x);
}

// x^y for a constant y, or `unknown` when it has to be called. As in C for every argument, except
// - y = -2, -3, -4: a result below 1e-308 may become 0 where C has a subnormal number;
// - y = 0.5, -0.5, 1.5: C gives pow(-inf, y) = +inf or 0, here it is NaN, as for other negative x.
//   (Adding zero first turns -0 into +0, as C has it.)
Value expand_power(Tape& tape, Value x, double y) {
  if (y == 0) return tape.constant(1);  // even for NaN
  if (y == std::trunc(y) && y >= 1 && y <= 8) return whole_power(tape, x, static_cast<int>(y));
  if (y == std::trunc(y) && y >= -4 && y <= -1)
    return tape.div(tape.constant(1), whole_power(tape, x, static_cast<int>(-y)));
  if (y == 0.5 || y == -0.5 || y == 1.5) {
    const Value base = tape.add(x, tape.constant(0));
    const Value root = tape.apply(Op::sqrt, base);
    if (y == 0.5) return root;
    return y == 1.5 ? tape.mul(base, root) : tape.div(tape.constant(1), root);
  }
  return unknown;
}

// Where the elements of each array stand in one numbering of all elements.
struct Locations {
  std::vector<std::size_t> start;
  std::size_t size = 0;

  explicit Locations(const Tape& tape) {
    start.assign(static_cast<std::size_t>(tape.arrays) + 1, 0);
    for (const Instruction& in : tape.code)
      if (in.op == TapeOp::load || in.op == TapeOp::store)
        start[in.a + 1] = std::max(start[in.a + 1], std::size_t{in.b} + 1);
    for (std::size_t k = 1; k < start.size(); ++k) start[k] += start[k - 1];
    size = start.back();
  }
  std::size_t operator()(const Instruction& in) const { return start[in.a] + in.b; }
};

// The tape again with known loads replaced and powers expanded.
Tape simplified(const Tape& tape, const Locations& location) {
  Tape out;
  out.arrays = tape.arrays;
  out.code.reserve(tape.code.size());
  std::vector<Value> now(tape.code.size(), unknown);  // the new number of each value
  std::vector<Value> held(location.size, unknown);    // what an element is known to hold
  for (std::size_t i = 0; i < tape.code.size(); ++i) {
    Instruction in = normalised(tape.code[i]);
    switch (in.op) {
      case TapeOp::constant:
        now[i] = out.constant(tape.constants[in.a]);
        continue;
      case TapeOp::load: {
        Value& known = held[location(in)];
        if (known == unknown) {
          known = static_cast<Value>(out.code.size());
          out.code.push_back(in);
        }
        now[i] = known;
        continue;
      }
      case TapeOp::store: {
        in.c = now[in.c];
        held[location(in)] = in.c;
        out.code.push_back(in);
        continue;
      }
      default:
        break;
    }
    const int operands = operand_count(in);
    if (operands > 0) in.a = now[in.a];
    if (operands > 1) in.b = now[in.b];
    if (operands > 2) in.c = now[in.c];
    if (in.op == TapeOp::apply) {
      if (in.function == Op::pow && out.code[in.b].op == TapeOp::constant)
        now[i] = expand_power(out, in.a, out.constants[out.code[in.b].a]);
      if (operands == 0 || in.function == Op::delay || in.function == Op::rate_of)
        now[i] = out.constant(evaluate(in.function, 0));  // NaN: nothing a tape can compute
      if (now[i] != unknown) continue;
    }
    now[i] = static_cast<Value>(out.code.size());
    out.code.push_back(in);
  }
  return out;
}

}  // namespace

bool is_called(Op function) {
  switch (function) {
    case Op::logical_not:
    case Op::abs:
    case Op::floor:
    case Op::ceil:
    case Op::sqrt:
    case Op::sign:
    case Op::min:
    case Op::max:
    case Op::quotient:
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
    case Op::eq:
    case Op::ne:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_xor:
    case Op::implies:
    case Op::select:
      return false;
    default:
      return true;
  }
}

EmitPlan make_emit_plan(const Tape& tape) {
  const Locations location(tape);
  Tape simple = simplified(tape, location);
  EmitPlan plan;
  plan.arrays = simple.arrays;
  plan.constants = std::move(simple.constants);
  plan.code.resize(simple.code.size());
  std::vector<std::uint32_t> next_use(simple.code.size(), no_use), last_use(next_use);
  std::vector<std::uint32_t> stored_at(location.size, no_use);
  for (std::size_t i = simple.code.size(); i-- > 0;) {
    const Instruction& in = simple.code[i];
    PlannedInstruction& planned = plan.code[i];
    planned.instruction = in;
    if (in.op == TapeOp::store) {
      std::uint32_t& stored = stored_at[location(in)];
      if (stored != no_use) {  // a later one overwrites it, and nobody reads it from memory
        planned.instruction.op = TapeOp::constant;  // unused, hence skipped
        continue;
      }
      stored = static_cast<std::uint32_t>(i);
      planned.value[0] = in.c;
    } else {
      planned.first_use = next_use[i];
      if (planned.first_use == no_use) continue;
      planned.value = {in.a, in.b, in.c};
    }
    if (in.op == TapeOp::load) planned.overwritten_in_use = stored_at[location(in)] < last_use[i];
    planned.operands = operand_count(in);
    plan.calls |= in.op == TapeOp::apply && is_called(in.function);
    for (int k = 0; k < planned.operands; ++k) planned.next[k] = next_use[planned.value[k]];
    for (int k = 0; k < planned.operands; ++k) {
      next_use[planned.value[k]] = static_cast<std::uint32_t>(i);
      if (last_use[planned.value[k]] == no_use)
        last_use[planned.value[k]] = static_cast<std::uint32_t>(i);
    }
  }
  return plan;
}

}  // namespace stiffit::internal
