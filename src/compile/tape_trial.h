// For tests: random tapes, the memory they run on, and what they must compute.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "compile/kernel.h"

namespace stiffit::internal {

// Arrays of `elements` elements each, aligned to 64 bytes, with a guard behind each.
class TrialMemory {
 public:
  TrialMemory(int arrays, int elements, int lanes) : lanes_(lanes) {
    doubles_ = (static_cast<std::size_t>(elements) * lanes + 7) / 8 * 8 + guard;
    const std::size_t bytes = doubles_ * sizeof(double) * (arrays + 1);
    memory_.reset(static_cast<double*>(std::aligned_alloc(64, bytes)), std::free);
    size_ = doubles_ * arrays;
    for (std::size_t k = 0; k < size_; ++k) memory_.get()[k] = 12345;
    for (int k = 0; k < arrays; ++k) bases_.push_back(memory_.get() + doubles_ * k);
  }
  TrialMemory copy() const {
    const int arrays = static_cast<int>(bases_.size());
    TrialMemory other(arrays, static_cast<int>((doubles_ - guard) / lanes_), lanes_);
    for (std::size_t k = 0; k < size_; ++k) other.memory_.get()[k] = memory_.get()[k];
    return other;
  }
  double* const* arrays() { return bases_.data(); }
  double& at(int array, int element, int lane) {
    return bases_[array][static_cast<std::size_t>(element) * lanes_ + lane];
  }
  // The number of doubles whose bits differ; all NaNs are alike.
  int differences(const TrialMemory& other) const {
    int count = 0;
    for (std::size_t k = 0; k < size_; ++k) {
      const double x = memory_.get()[k], y = other.memory_.get()[k];
      count += std::bit_cast<std::uint64_t>(x) != std::bit_cast<std::uint64_t>(y) &&
               !(std::isnan(x) && std::isnan(y));
    }
    return count;
  }
  template <class Random>
  void fill(Random& random) {
    std::normal_distribution<double> normal(0, 3);
    const double special[] = {0.0,
                              -0.0,
                              1.0,
                              std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity(),
                              std::numeric_limits<double>::quiet_NaN(),
                              5e-324,
                              1e-310,
                              1e308};
    for (double* base : bases_)
      for (std::size_t k = 0; k < doubles_ - guard; ++k)
        base[k] = random() % 20 == 0 ? special[random() % std::size(special)] : normal(random);
  }

 private:
  static constexpr std::size_t guard = 8;
  int lanes_;
  std::size_t doubles_ = 0, size_ = 0;
  std::shared_ptr<double> memory_;
  std::vector<double*> bases_;
};

enum class TapeMix {
  exact,   // no fma and no called function: every way to run it gives the same bits
  native,  // fma too
  all,
};

struct TapeShape {
  int size = 50, arrays = 3, elements = 6;
  int reach = 1 << 30;  // operands are among the last so many values
  TapeMix mix = TapeMix::all;
};

// The same tape for the same numbers whatever compiles this: one draw per statement or in an order
// that the language fixes.
template <class Random>
Tape random_tape(Random& random, const TapeShape& shape) {
  static const Op exact[] = {
      Op::logical_not, Op::abs,    Op::floor,    Op::ceil,        Op::sqrt,       Op::sign,
      Op::min,         Op::max,    Op::quotient, Op::lt,          Op::le,         Op::gt,
      Op::ge,          Op::eq,     Op::ne,       Op::logical_and, Op::logical_or, Op::logical_xor,
      Op::implies,     Op::select, Op::neg,      Op::add,         Op::mul,        Op::sub};
  static const Op called[] = {Op::exp, Op::ln,   Op::sin,  Op::cos,       Op::tanh, Op::pow,
                              Op::rem, Op::sech, Op::asec, Op::factorial, Op::atan, Op::log10};
  Tape tape;
  tape.arrays = shape.arrays;
  std::vector<Value> values;
  auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  auto load = [&] {
    const int array = below(shape.arrays);
    return tape.load(array, below(shape.elements));
  };
  values.push_back(load());
  auto pick = [&] {
    const int count = static_cast<int>(values.size());
    return values[count - 1 - below(std::min(count, shape.reach))];
  };
  // Not a constant, also none that went through memory: a constant exponent is expanded, which
  // rounds in another way than the called function.
  auto may_be_constant = [&](const Instruction& in) {
    if (in.op != TapeOp::load) return in.op == TapeOp::constant;
    return std::any_of(tape.code.begin(), tape.code.end(), [&](const Instruction& other) {
      return other.op == TapeOp::store && other.a == in.a && other.b == in.b;
    });
  };
  auto pick_exponent = [&] {
    const Value value = pick();
    return may_be_constant(tape.code[value]) ? tape.neg(value) : value;
  };
  const int kinds = shape.mix == TapeMix::exact ? 11 : shape.mix == TapeMix::native ? 14 : 15;
  while (static_cast<int>(tape.code.size()) < shape.size) {
    const Value a = pick(), b = pick(), c = pick();
    switch (below(kinds)) {
      case 0: {
        const int whole = below(9) - 4;
        values.push_back(tape.constant(whole + 0.25 * below(4)));
        break;
      }
      case 1:
      case 2:
        values.push_back(load());
        break;
      case 3: {
        const int array = below(shape.arrays);
        tape.store(array, below(shape.elements), a);
        break;
      }
      case 4:
        values.push_back(tape.add(a, b));
        break;
      case 5:
        values.push_back(tape.sub(a, b));
        break;
      case 6:
        values.push_back(tape.mul(a, b));
        break;
      case 7:
        values.push_back(tape.div(a, b));
        break;
      case 8:
        values.push_back(tape.neg(a));
        break;
      case 9:
      case 10:
        values.push_back(tape.apply(exact[random() % std::size(exact)], a, b, c));
        break;
      case 11:
        values.push_back(tape.fma(a, b, c));
        break;
      case 12:
        values.push_back(tape.fms(a, b, c));
        break;
      case 13:
        values.push_back(tape.fnma(a, b, c));
        break;
      default: {
        const Op function = called[random() % std::size(called)];
        values.push_back(tape.apply(function, a, pick_exponent(), c));
      }
    }
  }
  for (int e = 0; e < shape.elements; ++e) tape.store(shape.arrays - 1, e, pick());
  return tape;
}

// What machine code must leave in memory, bit for bit: one rounding per fma, and for called
// functions whatever the kernel of that one function gives (vector_math_test.cpp checks those).
class TrialOracle {
 public:
  TrialOracle(int lanes, Isa isa) : lanes_(lanes), isa_(isa) {}

  void run(const Tape& tape, TrialMemory& memory) {
    std::vector<double> value(tape.code.size() * lanes_);
    auto at = [&](Value v, int l) -> double& { return value[std::size_t{v} * lanes_ + l]; };
    for (Value i = 0; i < tape.code.size(); ++i) {
      const Instruction& in = tape.code[i];
      if (in.op == TapeOp::apply && is_called(in.function)) {
        call(
            in, [&](Value v, int l) { return at(v, l); }, &at(i, 0));
        continue;
      }
      for (int l = 0; l < lanes_; ++l) {
        double& to = at(i, l);
        auto element = [&]() -> double& {
          return memory.at(static_cast<int>(in.a), static_cast<int>(in.b), l);
        };
        if (in.op == TapeOp::constant)
          to = tape.constants[in.a];
        else if (in.op == TapeOp::load)
          to = element();
        else if (in.op == TapeOp::store)
          element() = at(in.c, l);
        else
          to = arithmetic(in, at(in.a, l), at(in.b, l), at(in.c, l));
      }
    }
  }

 private:
  static bool is_called(Op op) {
    return (op >= Op::exp && op <= Op::factorial) || op == Op::pow || op == Op::rem;
  }
  static double arithmetic(const Instruction& in, double a, double b, double c) {
    switch (in.op) {
      case TapeOp::add:
        return a + b;
      case TapeOp::sub:
        return a - b;
      case TapeOp::mul:
        return a * b;
      case TapeOp::div:
        return a / b;
      case TapeOp::neg:
        return -a;
      case TapeOp::fma:
        return std::fma(a, b, c);
      case TapeOp::fms:
        return std::fma(a, b, -c);
      case TapeOp::fnma:
        return std::fma(-a, b, c);
      default:
        return evaluate(in.function, a, b, c);
    }
  }
  template <class At>
  void call(const Instruction& in, At at, double* to) {
    Kernel& kernel = kernels_[in.function];
    if (!kernel) {
      Tape tape;
      tape.store(0, 2, tape.apply(in.function, tape.load(0, 0), tape.load(0, 1)));
      kernel = make_kernel(tape, lanes_, isa_);
    }
    TrialMemory memory(1, 3, lanes_);
    const bool two = operand_count(in) == 2;
    for (int l = 0; l < lanes_; ++l) {
      memory.at(0, 0, l) = at(in.a, l);
      memory.at(0, 1, l) = two ? at(in.b, l) : 0;
    }
    kernel(memory.arrays());
    for (int l = 0; l < lanes_; ++l) to[l] = memory.at(0, 2, l);
  }

  int lanes_;
  Isa isa_;
  std::map<Op, Kernel> kernels_;
};

}  // namespace stiffit::internal
