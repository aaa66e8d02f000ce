// SPDX-License-Identifier: Apache-2.0
#include "compile/machine/instruction_selection.h"

#if defined(__x86_64__)

#include <utility>

#include "base/interrupt.h"
#include "compile/machine/vector_math.h"

namespace stiffit::internal {
namespace {

namespace x86 = asmjit::x86;
using Id = x86::Inst::Id;

constexpr InstructionPair add_pair{Id::kIdVaddpd, Id::kIdVaddsd};
constexpr InstructionPair sub_pair{Id::kIdVsubpd, Id::kIdVsubsd};
constexpr InstructionPair mul_pair{Id::kIdVmulpd, Id::kIdVmulsd};
constexpr InstructionPair div_pair{Id::kIdVdivpd, Id::kIdVdivsd};
constexpr InstructionPair min_pair{Id::kIdVminpd, Id::kIdVminsd};
constexpr InstructionPair max_pair{Id::kIdVmaxpd, Id::kIdVmaxsd};
constexpr InstructionPair compare_pair{Id::kIdVcmppd, Id::kIdVcmpsd};

// The forms 132, 213, 231.
constexpr InstructionPair fma_forms[] = {{Id::kIdVfmadd132pd, Id::kIdVfmadd132sd},
                                         {Id::kIdVfmadd213pd, Id::kIdVfmadd213sd},
                                         {Id::kIdVfmadd231pd, Id::kIdVfmadd231sd}};
constexpr InstructionPair fms_forms[] = {{Id::kIdVfmsub132pd, Id::kIdVfmsub132sd},
                                         {Id::kIdVfmsub213pd, Id::kIdVfmsub213sd},
                                         {Id::kIdVfmsub231pd, Id::kIdVfmsub231sd}};
constexpr InstructionPair fnma_forms[] = {{Id::kIdVfnmadd132pd, Id::kIdVfnmadd132sd},
                                          {Id::kIdVfnmadd213pd, Id::kIdVfnmadd213sd},
                                          {Id::kIdVfnmadd231pd, Id::kIdVfnmadd231sd}};

int number(x86::VCmpImm predicate) { return static_cast<int>(predicate); }

const int equal = number(x86::VCmpImm::kEQ_OQ), not_equal = number(x86::VCmpImm::kNEQ_UQ);
const int ordered_not_equal = number(x86::VCmpImm::kNEQ_OQ);

// All quiet, as events and piecewise conditions may well meet NaN.
int predicate_of(Op op) {
  switch (op) {
    case Op::lt:
      return number(x86::VCmpImm::kLT_OQ);
    case Op::le:
      return number(x86::VCmpImm::kLE_OQ);
    case Op::gt:
      return number(x86::VCmpImm::kGT_OQ);
    case Op::ge:
      return number(x86::VCmpImm::kGE_OQ);
    case Op::eq:
      return equal;
    default:
      return not_equal;
  }
}

Op mirrored(Op op) {
  switch (op) {
    case Op::lt:
      return Op::gt;
    case Op::le:
      return Op::ge;
    case Op::gt:
      return Op::lt;
    case Op::ge:
      return Op::le;
    default:
      return op;
  }
}

constexpr int downwards = 9, upwards = 10, towards_zero = 11;  // rounding, inexactness not raised

}  // namespace

InstructionSelection::InstructionSelection(Machine& machine, const EmitPlan& plan)
    : machine_(machine), plan_(plan), registers_(machine, plan) {}

void InstructionSelection::emit_all() {
  for (Value i = 0; i < plan_.code.size(); ++i) {
    const Planned& planned = plan_.code[i];
    if (planned.first_use == no_use && planned.instruction.op != TapeOp::store) continue;
    if (i % 1024 == 0) check_interrupt();
    registers_.begin(i);
    emit_one(i, planned);
    registers_.end();
  }
}

void InstructionSelection::emit_one(Value value, const Planned& planned) {
  switch (planned.instruction.op) {
    case TapeOp::constant:
      registers_.found_in_constant(value, planned.instruction.a);
      break;
    case TapeOp::load:
      load(value, planned);
      break;
    case TapeOp::store:
      store(planned);
      break;
    case TapeOp::add:
      binary(value, planned, add_pair, true);
      break;
    case TapeOp::sub:
      binary(value, planned, sub_pair, false);
      break;
    case TapeOp::mul:
      binary(value, planned, mul_pair, true);
      break;
    case TapeOp::div:
      binary(value, planned, div_pair, false);
      break;
    case TapeOp::neg:
      masked(value, planned, Id::kIdVxorpd, PoolMask::sign);
      break;
    case TapeOp::fma:
      multiply_add(value, planned, fma_forms);
      break;
    case TapeOp::fms:
      multiply_add(value, planned, fms_forms);
      break;
    case TapeOp::fnma:
      multiply_add(value, planned, fnma_forms);
      break;
    case TapeOp::apply:
      apply(value, planned);
      break;
  }
}

// Nothing is emitted yet, unless the element will be overwritten while the value is still needed.
void InstructionSelection::load(Value value, const Planned& planned) {
  const Instruction& in = planned.instruction;
  if (!planned.overwritten_in_use) {
    registers_.found_in_element(value, in.a, in.b);
    return;
  }
  const int reg = registers_.define(value, planned.first_use);
  machine_.load(reg, machine_.element(in.a, in.b));
}

void InstructionSelection::store(const Planned& planned) {
  const Instruction& in = planned.instruction;
  const int reg = registers_.fetch(in.c);
  machine_.store(machine_.element(in.a, in.b), reg);
  if (planned.next[0] != no_use && !registers_.has_home(in.c))
    registers_.found_in_element(in.c, in.a, in.b);
  registers_.release(planned);
}

int InstructionSelection::define(Value value, const Planned& planned) {
  return registers_.define(value, planned.first_use);
}

InstructionSelection::Pair InstructionSelection::operands_of(Value value, Planned planned,
                                                             bool may_swap) {
  Value a = planned.value[0], b = planned.value[1];
  auto stays_in_memory = [&](int k) {
    const Value v = planned.value[k];
    return a != b && !registers_.in_register(v) && registers_.better_in_memory(planned.next[k]);
  };
  registers_.pin(a);
  registers_.pin(b);
  bool b_in_memory = stays_in_memory(1);
  const bool swapped = may_swap && !b_in_memory && stays_in_memory(0);
  if (swapped) {
    std::swap(a, b);
    b_in_memory = true;
  }
  Pair pair;
  pair.swapped = swapped;
  pair.a = registers_.fetch(a);
  if (b_in_memory)
    pair.b = registers_.memory(b);
  else
    pair.b = machine_.vec(registers_.fetch(b));
  registers_.release(planned);
  pair.to = registers_.define(value, planned.first_use);
  return pair;
}

int InstructionSelection::binary(Value value, const Planned& planned, InstructionPair instruction,
                                 bool may_swap) {
  const Pair pair = operands_of(value, planned, may_swap);
  machine_.assembler.emit(machine_.id(instruction), machine_.vec(pair.to), machine_.vec(pair.a),
                          pair.b);
  return pair.to;
}

// The result takes the register of an operand that dies, and one operand may stay in memory:
//   231: x += y*m   132: x = x*m + y   213: x = x*y + m
void InstructionSelection::multiply_add(Value value, const Planned& planned,
                                        const InstructionPair (&forms)[3]) {
  const auto& operand = planned.value;
  const auto dies = [&](int k) { return planned.next[k] == no_use; };
  const auto once = [&](int k) {
    return operand[k] != operand[(k + 1) % 3] && operand[k] != operand[(k + 2) % 3];
  };
  for (int k = 0; k < 3; ++k) registers_.pin(operand[k]);
  // Leave in memory what lives on rather than what dies: the latter, loaded, becomes the result.
  int in_memory = -1;
  for (int k = 0; k < 3; ++k) {
    if (registers_.in_register(operand[k]) || !once(k)) continue;
    if (!registers_.better_in_memory(planned.next[k])) continue;
    if (dies(k) && !dies((k + 1) % 3) && !dies((k + 2) % 3)) continue;
    if (in_memory < 0 || (dies(in_memory) && !dies(k))) in_memory = k;
  }
  int reg[3] = {-1, -1, -1};
  for (int k = 0; k < 3; ++k)
    if (k != in_memory) reg[k] = registers_.fetch(operand[k]);
  const asmjit::Operand memory =
      in_memory < 0 ? asmjit::Operand() : asmjit::Operand(registers_.memory(operand[in_memory]));
  auto source = [&](int k) {
    return k == in_memory ? memory : asmjit::Operand(machine_.vec(reg[k]));
  };
  int target = -1;
  for (int k : {2, 0, 1})
    if (target < 0 && k != in_memory && dies(k)) target = k;
  int to;
  if (target < 0) {  // all live on: work on a copy of the addend
    to = define(value, planned);
    if (in_memory == 2)
      machine_.load(to, memory.as<Machine::Mem>());
    else
      machine_.move(to, reg[2]);
    registers_.release(planned);
    target = 2;
  } else {
    to = reg[target];
    registers_.release(planned);
    registers_.define_in(to, value, planned.first_use);
  }
  auto& assembler = machine_.assembler;
  if (target == 2) {
    const int last = in_memory == 0 ? 0 : 1;
    assembler.emit(machine_.id(forms[2]), machine_.vec(to), machine_.vec(reg[1 - last]),
                   source(last));
  } else if (const int other = 1 - target; other == in_memory) {
    assembler.emit(machine_.id(forms[0]), machine_.vec(to), machine_.vec(reg[2]), memory);
  } else {
    assembler.emit(machine_.id(forms[1]), machine_.vec(to), machine_.vec(reg[other]), source(2));
  }
}

void InstructionSelection::masked(Value value, const Planned& planned, Machine::Id bits,
                                  PoolMask mask) {
  const int from = unary_operand(planned);
  registers_.release(planned);
  const int to = define(value, planned);
  machine_.assembler.emit(bits, machine_.vec(to), machine_.vec(from), machine_.pool(mask));
}

void InstructionSelection::square_root(Value value, const Planned& planned) {
  const int from = unary_operand(planned);
  registers_.release(planned);
  const Machine::Vec to = machine_.vec(define(value, planned)), x = machine_.vec(from);
  if (machine_.scalar())
    machine_.assembler.emit(Id::kIdVsqrtsd, to, x, x);
  else
    machine_.assembler.emit(Id::kIdVsqrtpd, to, x);
}

void InstructionSelection::round(int to, int from, int mode) {
  const Machine::Vec d = machine_.vec(to), x = machine_.vec(from);
  if (machine_.scalar())
    machine_.assembler.emit(Id::kIdVroundsd, d, x, x, mode);
  else
    machine_.assembler.emit(machine_.masks() ? Id::kIdVrndscalepd : Id::kIdVroundpd, d, x, mode);
}

void InstructionSelection::test(asmjit::Operand to, int from, int predicate) {
  machine_.assembler.emit(machine_.id(compare_pair), to, machine_.vec(from),
                          machine_.pool(PoolMask::zero), predicate);
}

// All ones becomes 1.0: by its bits from the register, or by the mask.
void InstructionSelection::truth_to_number(int to, x86::KReg truth) {
  const Machine::Vec d = machine_.vec(to);
  if (machine_.masks())
    machine_.assembler.k(truth).z().vbroadcastsd(d, machine_.pool(PoolMask::one)._1to1());
  else
    machine_.assembler.vandpd(d, d, machine_.pool(PoolMask::one));
}

void InstructionSelection::compare(Value value, const Planned& planned) {
  const Op function = planned.instruction.function;
  const Pair pair = operands_of(value, planned, true);
  const int predicate = predicate_of(pair.swapped ? mirrored(function) : function);
  asmjit::Operand truth = machine_.vec(pair.to);
  if (machine_.masks()) truth = x86::k1;
  machine_.assembler.emit(machine_.id(compare_pair), truth, machine_.vec(pair.a), pair.b,
                          predicate);
  truth_to_number(pair.to, x86::k1);
}

// not, and, or, xor, implies of any numbers.
void InstructionSelection::logical(Value value, const Planned& planned) {
  const Op function = planned.instruction.function;
  auto& assembler = machine_.assembler;
  const bool masks = machine_.masks();
  auto truth_in = [&](int reg, x86::KReg k) {
    return masks ? asmjit::Operand(k) : asmjit::Operand(machine_.vec(reg));
  };
  if (function == Op::logical_not) {
    const int from = unary_operand(planned);
    registers_.release(planned);
    const int to = define(value, planned);
    test(truth_in(to, x86::k1), from, equal);
    truth_to_number(to, x86::k1);
    return;
  }
  const int a = registers_.fetch(planned.value[0]), b = registers_.fetch(planned.value[1]);
  const int left = registers_.temporary();
  test(truth_in(left, x86::k2), a, function == Op::implies ? equal : not_equal);
  registers_.release(planned);
  const int to = define(value, planned);
  test(truth_in(to, x86::k1), b, not_equal);
  Id bits = masks ? Id::kIdKorb : Id::kIdVorpd;
  if (function == Op::logical_and) bits = masks ? Id::kIdKandb : Id::kIdVandpd;
  if (function == Op::logical_xor) bits = masks ? Id::kIdKxorb : Id::kIdVxorpd;
  const asmjit::Operand result = truth_in(to, x86::k1);
  assembler.emit(bits, result, result, truth_in(left, x86::k2));
  truth_to_number(to, x86::k1);
}

void InstructionSelection::select(Value value, const Planned& planned) {
  const int yes = registers_.fetch(planned.value[0]);
  const int condition = registers_.fetch(planned.value[1]);
  const int no = registers_.fetch(planned.value[2]);
  auto& assembler = machine_.assembler;
  if (machine_.masks()) {
    test(x86::k1, condition, not_equal);
    registers_.release(planned);
    const int to = define(value, planned);
    assembler.k(x86::k1).vblendmpd(machine_.vec(to), machine_.vec(no), machine_.vec(yes));
    return;
  }
  const int truth = registers_.temporary();
  test(machine_.vec(truth), condition, not_equal);
  registers_.release(planned);
  const int to = define(value, planned);
  assembler.vblendvpd(machine_.vec(to), machine_.vec(no), machine_.vec(yes), machine_.vec(truth));
}

// One with the sign of a, unless a is zero or NaN.
void InstructionSelection::sign(Value value, const Planned& planned) {
  const Machine::Vec a = machine_.vec(unary_operand(planned));
  const Machine::Vec unit = machine_.vec(registers_.temporary());
  auto& assembler = machine_.assembler;
  assembler.vandpd(unit, a, machine_.pool(PoolMask::sign));
  assembler.vorpd(unit, unit, machine_.pool(PoolMask::one));
  const int from = static_cast<int>(a.id());
  if (machine_.masks()) {
    test(x86::k1, from, ordered_not_equal);
    registers_.release(planned);
    const int to = define(value, planned);
    assembler.k(x86::k1).vblendmpd(machine_.vec(to), a, unit);
    return;
  }
  const Machine::Vec truth = machine_.vec(registers_.temporary());
  test(truth, from, ordered_not_equal);
  registers_.release(planned);
  const int to = define(value, planned);
  assembler.vblendvpd(machine_.vec(to), a, unit, truth);
}

void InstructionSelection::apply(Value value, const Planned& planned) {
  const Op function = planned.instruction.function;
  switch (function) {
    case Op::sqrt:
      square_root(value, planned);
      break;
    case Op::abs:
      masked(value, planned, Id::kIdVandpd, PoolMask::magnitude);
      break;
    case Op::floor:
    case Op::ceil: {
      const int from = unary_operand(planned);
      registers_.release(planned);
      round(define(value, planned), from, function == Op::floor ? downwards : upwards);
      break;
    }
    case Op::quotient: {
      const int to = binary(value, planned, div_pair, false);
      round(to, to, towards_zero);
      break;
    }
    case Op::min:
    case Op::max: {
      Planned turned = planned;
      std::swap(turned.value[0], turned.value[1]);
      std::swap(turned.next[0], turned.next[1]);
      binary(value, turned, function == Op::min ? min_pair : max_pair, false);
      break;
    }
    case Op::lt:
    case Op::le:
    case Op::gt:
    case Op::ge:
    case Op::eq:
    case Op::ne:
      compare(value, planned);
      break;
    case Op::logical_not:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_xor:
    case Op::implies:
      logical(value, planned);
      break;
    case Op::select:
      select(value, planned);
      break;
    case Op::sign:
      sign(value, planned);
      break;
    default:
      call(value, planned);
      break;
  }
}

// Operands to registers 0 and 1, in an order in which no move destroys what another still needs.
// All other values are in memory by then, so register 2 is free for a swap.
void InstructionSelection::call(Value value, const Planned& planned) {
  registers_.save_for_call(planned);
  auto bring = [&](int to, Value operand) {
    const int from = registers_.register_of(operand);
    if (from >= 0)
      machine_.move(to, from);
    else
      machine_.load(to, registers_.memory(operand));
  };
  const Value a = planned.value[0];
  if (planned.operands == 1) {
    bring(0, a);
  } else {
    const Value b = planned.value[1];
    const int b_at = registers_.register_of(b);
    if (b_at == 0 && registers_.register_of(a) == 1) {
      machine_.move(2, 0);
      machine_.move(0, 1);
      machine_.move(1, 2);
    } else if (b_at == 0) {
      bring(1, b);
      bring(0, a);
    } else {
      bring(0, a);
      bring(1, b);
    }
  }
  registers_.forget_registers();
  registers_.release(planned);
  machine_.call(math_function(planned.instruction.function, machine_.lanes()));
  registers_.define_in(0, value, planned.first_use);
}

}  // namespace stiffit::internal

#endif
