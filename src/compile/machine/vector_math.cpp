// SPDX-License-Identifier: Apache-2.0
#include "compile/machine/vector_math.h"

#if defined(__x86_64__)

#include <cmath>

namespace stiffit::internal {
namespace {

template <Op op>
double evaluate1(double a) {
  return evaluate(op, a);
}
template <Op op>
double evaluate2(double a, double b) {
  return evaluate(op, a, b);
}

const void* address(double (*function)(double)) { return reinterpret_cast<const void*>(function); }
const void* address(double (*function)(double, double)) {
  return reinterpret_cast<const void*>(function);
}

// The functions of a model's rates go to libm directly, the rare ones through evaluate().
const void* scalar_function(Op op) {
  switch (op) {
    case Op::exp:
      return address(::exp);
    case Op::ln:
      return address(::log);
    case Op::log10:
      return address(::log10);
    case Op::sin:
      return address(::sin);
    case Op::cos:
      return address(::cos);
    case Op::tan:
      return address(::tan);
    case Op::sec:
      return address(evaluate1<Op::sec>);
    case Op::csc:
      return address(evaluate1<Op::csc>);
    case Op::cot:
      return address(evaluate1<Op::cot>);
    case Op::asin:
      return address(::asin);
    case Op::acos:
      return address(::acos);
    case Op::atan:
      return address(::atan);
    case Op::asec:
      return address(evaluate1<Op::asec>);
    case Op::acsc:
      return address(evaluate1<Op::acsc>);
    case Op::acot:
      return address(evaluate1<Op::acot>);
    case Op::sinh:
      return address(::sinh);
    case Op::cosh:
      return address(::cosh);
    case Op::tanh:
      return address(::tanh);
    case Op::sech:
      return address(evaluate1<Op::sech>);
    case Op::csch:
      return address(evaluate1<Op::csch>);
    case Op::coth:
      return address(evaluate1<Op::coth>);
    case Op::asinh:
      return address(::asinh);
    case Op::acosh:
      return address(::acosh);
    case Op::atanh:
      return address(::atanh);
    case Op::asech:
      return address(evaluate1<Op::asech>);
    case Op::acsch:
      return address(evaluate1<Op::acsch>);
    case Op::acoth:
      return address(evaluate1<Op::acoth>);
    case Op::factorial:
      return address(evaluate1<Op::factorial>);
    case Op::pow:
      return address(::pow);
    case Op::rem:
      return address(evaluate2<Op::rem>);
    default:
      return nullptr;
  }
}

}  // namespace

const void* math_function(Op op, int lanes) {
  if (lanes == 1) return scalar_function(op);
  return lanes == 4 ? math_function_avx2(op) : math_function_avx512(op);
}

}  // namespace stiffit::internal

#else

namespace stiffit::internal {

const void* math_function(Op, int) { return nullptr; }

}  // namespace stiffit::internal

#endif
