// The portable way to run a tape: one switch per instruction, lanes inside. The values of the tape
// are given places in a small scratch buffer, a place being free again after the last use of its
// value, so that the working set stays in the cache. The buffer belongs to the thread; the program
// itself is immutable, so a kernel may run on many threads.
// fma, fms and fnma round twice here, and once in machine code: the only arithmetic in which the
// two differ.
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <stdexcept>
#include <vector>

#include "compile/kernel.h"

namespace stiffit::internal {
namespace {

struct Step {
  TapeOp op;
  Op function;
  std::uint32_t to, a, b, c;  // places, except for array, element and constant numbers
};

struct Program {
  std::vector<Step> steps;
  std::vector<double> constants;
  std::uint32_t places = 0;
};

// L doubles that may stand anywhere a double may.
template <int L>
struct Pack {
  typedef double Type __attribute__((vector_size(8 * L), aligned(8), may_alias));
};
template <>
struct Pack<1> {
  using Type = double;
};

template <int L>
void apply_function(Op function, double* to, const double* a, const double* b, const double* c) {
  for (int l = 0; l < L; ++l) to[l] = evaluate(function, a[l], b[l], c[l]);
}

template <int L>
void run_program(const void* context, double* const* arrays) {
  using V = typename Pack<L>::Type;
  const Program& program = *static_cast<const Program*>(context);
  static thread_local std::vector<double> scratch;
  if (scratch.size() < program.places * std::size_t{L}) scratch.resize(program.places * L);
  double* const base = scratch.data();
  auto at = [base](std::uint32_t place) -> V& {
    return *reinterpret_cast<V*>(base + std::size_t{place} * L);
  };
  auto element = [arrays](const Step& s) -> V& {
    return *reinterpret_cast<V*>(arrays[s.a] + std::size_t{s.b} * L);
  };
  for (const Step& s : program.steps) {
    switch (s.op) {
      case TapeOp::constant:
        for (int l = 0; l < L; ++l) base[std::size_t{s.to} * L + l] = program.constants[s.a];
        break;
      case TapeOp::load:
        at(s.to) = element(s);
        break;
      case TapeOp::store:
        element(s) = at(s.c);
        break;
      case TapeOp::add:
        at(s.to) = at(s.a) + at(s.b);
        break;
      case TapeOp::sub:
        at(s.to) = at(s.a) - at(s.b);
        break;
      case TapeOp::mul:
        at(s.to) = at(s.a) * at(s.b);
        break;
      case TapeOp::div:
        at(s.to) = at(s.a) / at(s.b);
        break;
      case TapeOp::neg:
        at(s.to) = -at(s.a);
        break;
      case TapeOp::fma:
        at(s.to) = at(s.a) * at(s.b) + at(s.c);
        break;
      case TapeOp::fms:
        at(s.to) = at(s.a) * at(s.b) - at(s.c);
        break;
      case TapeOp::fnma:
        at(s.to) = at(s.c) - at(s.a) * at(s.b);
        break;
      case TapeOp::apply:
        apply_function<L>(s.function, base + std::size_t{s.to} * L, base + std::size_t{s.a} * L,
                          base + std::size_t{s.b} * L, base + std::size_t{s.c} * L);
        break;
    }
  }
}

// Gives each value a place, from the last one backwards: the first use met is the last one.
Program make_program(Tape tape) {
  Program program;
  const std::size_t size = tape.code.size();
  constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  std::vector<std::uint32_t> place(size, nowhere), free;
  auto take = [&](std::uint32_t value) {
    if (place[value] != nowhere) return;
    if (free.empty()) {
      place[value] = program.places++;
    } else {
      place[value] = free.back();
      free.pop_back();
    }
  };
  program.steps.resize(size);
  for (std::size_t i = size; i-- > 0;) {
    const Instruction& in = tape.code[i];
    Step& step = program.steps[i];
    step = {in.op, in.function, 0, in.a, in.b, in.c};
    const int operands = operand_count(in);
    if (in.op == TapeOp::store) {
      take(in.c);
      step.c = place[in.c];
      continue;
    }
    if (place[i] == nowhere) {  // nobody uses it, yet it needs somewhere to go
      take(static_cast<std::uint32_t>(i));
    }
    step.to = place[i];
    free.push_back(place[i]);
    if (in.op == TapeOp::constant || in.op == TapeOp::load) continue;
    std::uint32_t* const fields[] = {&step.a, &step.b, &step.c};
    for (int k = 0; k < operands; ++k) {
      take(*fields[k]);
      *fields[k] = place[*fields[k]];
    }
    for (int k = operands; k < 3; ++k) *fields[k] = 0;
  }
  program.constants = std::move(tape.constants);
  return program;
}

}  // namespace

Kernel interpret(Tape tape, int lanes) {
  auto program = std::make_shared<const Program>(make_program(std::move(tape)));
  Kernel kernel;
  kernel.context_ = program.get();
  kernel.owner_ = std::move(program);
  switch (lanes) {
    case 1:
      kernel.run_ = run_program<1>;
      break;
    case 4:
      kernel.run_ = run_program<4>;
      break;
    case 8:
      kernel.run_ = run_program<8>;
      break;
    default:
      throw std::invalid_argument("a kernel has 1, 4 or 8 lanes");
  }
  return kernel;
}

}  // namespace stiffit::internal
