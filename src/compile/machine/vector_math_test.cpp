// Every called function, in every width, against evaluate(): special values as in plain C, others
// to 4 ulp (one divided by a function: 8, as the quotient may cross a binade). A scalar kernel
// calls the same functions and must agree in every bit.
// SPDX-License-Identifier: Apache-2.0
#include "compile/machine/vector_math.h"

#include <gtest/gtest.h>

#include "compile/tape_trial.h"

namespace stiffit::internal {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<Op> called_functions() {
  std::vector<Op> ops;
  for (int k = static_cast<int>(Op::exp); k <= static_cast<int>(Op::factorial); ++k)
    ops.push_back(static_cast<Op>(k));
  ops.push_back(Op::pow);
  ops.push_back(Op::rem);
  return ops;
}

// In units of the last place of `expected`; huge where a special value was missed.
double error_in_ulp(double got, double expected) {
  if (std::isnan(expected) || std::isnan(got))
    return std::isnan(expected) && std::isnan(got) ? 0 : infinity;
  if (expected == 0 || std::isinf(expected))
    return got == expected && std::signbit(got) == std::signbit(expected) ? 0 : infinity;
  int exponent = 0;
  std::frexp(expected, &exponent);
  return std::abs(got - expected) / std::ldexp(1.0, std::max(exponent - 53, -1074));
}

double allowed_ulp(Op op, int lanes) {
  if (lanes == 1 || op == Op::factorial || op == Op::rem) return 0;
  const bool one_over = (op >= Op::sec && op <= Op::cot) || (op >= Op::sech && op <= Op::coth);
  return one_over ? 8 : 4;
}

// Runs the function on all pairs, `lanes` at a time.
void check(Op op, int lanes, Isa isa, const std::vector<std::pair<double, double>>& arguments) {
  ASSERT_NE(math_function(op, lanes == 8 && isa != Isa::avx512 ? 4 : lanes), nullptr);
  Tape tape;
  tape.store(0, 2, tape.apply(op, tape.load(0, 0), tape.load(0, 1)));
  const Kernel kernel = emit(tape, lanes, isa);
  TrialMemory memory(1, 3, lanes);
  for (std::size_t start = 0; start < arguments.size(); start += lanes) {
    for (int l = 0; l < lanes; ++l) {
      const auto& [x, y] = arguments[(start + l) % arguments.size()];
      memory.at(0, 0, l) = x;
      memory.at(0, 1, l) = y;
    }
    kernel(memory.arrays());
    for (int l = 0; l < lanes; ++l) {
      const double x = memory.at(0, 0, l), y = memory.at(0, 1, l), got = memory.at(0, 2, l);
      const double expected = evaluate(op, x, y);
      ASSERT_LE(error_in_ulp(got, expected), allowed_ulp(op, lanes))
          << name_of(op) << "(" << x << ", " << y << ") = " << got << ", not " << expected
          << ", lanes " << lanes << ", isa " << int(isa);
    }
  }
}

void check_everywhere(Op op, const std::vector<std::pair<double, double>>& arguments) {
  for (Isa isa : possible_isas())
    if (isa != Isa::portable)
      for (int lanes : {1, 4, 8}) check(op, lanes, isa, arguments);
}

TEST(VectorMath, SpecialValuesAreThoseOfC) {
  std::vector<double> special;
  for (double x : {0.0,
                   5e-324,
                   1e-310,
                   2.2250738585072014e-308,
                   1e-300,
                   1e-200,
                   1e-20,
                   0.1,
                   0.5,
                   0.9999999999999999,
                   1.0,
                   1.0000000000000002,
                   1.5,
                   2.0,
                   3.0,
                   10.0,
                   170.5,
                   699.9,
                   709.7,
                   710.5,
                   745.0,
                   746.0,
                   1e4,
                   1e5,
                   1e15,
                   1e22,
                   1e154,
                   1e300,
                   1.7976931348623157e308,
                   infinity}) {
    special.push_back(x);
    special.push_back(-x);
  }
  special.push_back(std::numeric_limits<double>::quiet_NaN());
  for (Op op : called_functions()) {
    std::vector<std::pair<double, double>> arguments;
    if (arity(op) == 2) {
      for (double x : special)
        for (double y : special) arguments.emplace_back(x, y);
    } else {
      for (std::size_t k = 0; k < special.size(); ++k) {
        for (int repeat = 0; repeat < 8; ++repeat) arguments.emplace_back(special[k], 0);
        for (int lane = 0; lane < 5; ++lane)  // among ordinary lanes, at every place
          arguments.emplace_back(lane == 0 ? special[k] : 0.25 * lane, 0);
      }
    }
    check_everywhere(op, arguments);
  }
}

TEST(VectorMath, OrdinaryValuesToFourUlp) {
  std::mt19937_64 random(20);
  std::uniform_real_distribution<double> exponent(-30, 30), narrow(-4, 4), power(-20, 20);
  for (Op op : called_functions()) {
    std::vector<std::pair<double, double>> arguments;
    for (int k = 0; k < 20000; ++k) {
      double x = k % 2 ? std::exp(exponent(random)) : std::exp(narrow(random));
      if (random() % 2 && op != Op::pow) x = -x;
      arguments.emplace_back(x, power(random));
    }
    check_everywhere(op, arguments);
  }
}

// Where the argument reduction of sin, cos and tan has the least left.
TEST(VectorMath, NextToMultiplesOfHalfPi) {
  std::vector<std::pair<double, double>> arguments;
  for (int k = 1; k < 7000; ++k) {
    const double x = k * 1.5707963267948966;
    arguments.insert(arguments.end(),
                     {{x, 0}, {std::nextafter(x, 0), 0}, {-std::nextafter(x, infinity), 0}});
  }
  for (Op op : {Op::sin, Op::cos, Op::tan}) check_everywhere(op, arguments);
}

// Powers whose results overflow, underflow or barely do not.
TEST(VectorMath, PowersAtTheEdges) {
  std::mt19937_64 random(21);
  std::uniform_real_distribution<double> size(-800, 800), log_base(-700, 700), near_one(0.9, 1.1);
  std::vector<std::pair<double, double>> arguments;
  for (int k = 0; k < 20000; ++k) {
    const double base = k % 2 ? std::exp(log_base(random)) : near_one(random);
    arguments.emplace_back(base, size(random) / std::log(base));
    arguments.emplace_back(-base, std::round(size(random) / std::log(base)));
  }
  check_everywhere(Op::pow, arguments);
}

}  // namespace
}  // namespace stiffit::internal
