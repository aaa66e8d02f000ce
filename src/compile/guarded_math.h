// libmvec guarded: written once on GCC vector types, included by one unit per instruction set after
// it has set its target and defined
//   Lanes           the vector of doubles
//   all_true(mask)  whether every lane of a comparison holds
//   STIFFIT_VECTOR(f), STIFFIT_VECTOR2(f)   libmvec's name of a function of one, two arguments
// Everything is local to that unit.
//
// libmvec of glibc 2.36 with AVX2 was measured within these domains on 1.6 million arguments per
// function, against long double: pow 1.0 ulp, log, log10 2.0, exp 2.6, sin, cos 3.4, tan 2.9 (also
// next to multiples of pi/2), the inverse and the hyperbolic functions 2.9 at most.
// SPDX-License-Identifier: Apache-2.0

namespace stiffit::internal {
namespace {

constexpr int lane_count = sizeof(Lanes) / 8;
using Truth = decltype(Lanes{} < Lanes{});

constexpr double smallest = std::numeric_limits<double>::min();
constexpr double largest = std::numeric_limits<double>::max();

inline Lanes magnitude(Lanes x) { return x < 0 ? -x : x; }
inline Truth between(double low, Lanes x, double high) { return (x >= low) & (x <= high); }
// At most `high` in magnitude, and zero or so large that nothing on the way is subnormal.
inline Truth ordinary(Lanes x, double high) {
  const Lanes m = magnitude(x);
  return (m <= high) & ((m == 0) | (m >= 1e-290));
}

// One row per function: libmvec's name, the domain in which it is asked, an argument inside it.
#define STIFFIT_GUARDED(NAME, DOMAIN, INSIDE)                      \
  extern "C" Lanes STIFFIT_VECTOR(NAME)(Lanes);                    \
  struct Guarded_##NAME {                                          \
    static Lanes call(Lanes x) { return STIFFIT_VECTOR(NAME)(x); } \
    static Truth safe(Lanes x) { return DOMAIN; }                  \
    static constexpr double inside = INSIDE;                       \
  };
STIFFIT_GUARDED(exp, between(-700, x, 700), 0)
STIFFIT_GUARDED(log, between(smallest, x, largest), 1)
STIFFIT_GUARDED(log10, between(smallest, x, largest), 1)
STIFFIT_GUARDED(sin, ordinary(x, 1e4), 0)
STIFFIT_GUARDED(cos, ordinary(x, 1e4), 0)
STIFFIT_GUARDED(tan, ordinary(x, 1e4), 0)
STIFFIT_GUARDED(asin, ordinary(x, 1), 0)
STIFFIT_GUARDED(acos, ordinary(x, 1), 0)
STIFFIT_GUARDED(atan, ordinary(x, 1e290), 0)
STIFFIT_GUARDED(sinh, ordinary(x, 700), 0)
STIFFIT_GUARDED(cosh, ordinary(x, 700), 0)
STIFFIT_GUARDED(tanh, ordinary(x, 1e290), 0)
STIFFIT_GUARDED(asinh, ordinary(x, 1e150), 0)
STIFFIT_GUARDED(acosh, between(1, x, 1e150), 1)
STIFFIT_GUARDED(atanh, ordinary(x, 1 - 1e-15), 0)
#undef STIFFIT_GUARDED
extern "C" Lanes STIFFIT_VECTOR2(pow)(Lanes, Lanes);

// The function of one argument `op`, of safe lanes by libmvec, of the others by evaluate().
template <class Guarded, Op op>
Lanes guarded(Lanes x) {
  const Truth safe = Guarded::safe(x);
  if (all_true(safe)) [[likely]]
    return Guarded::call(x);
  Lanes y = Guarded::call(safe ? x : Lanes{} + Guarded::inside);
  for (int l = 0; l < lane_count; ++l)
    if (!safe[l]) y[l] = evaluate(op, x[l]);
  return y;
}

// Positive normal bases; a result that is not normal is computed again, as are all other bases.
Lanes guarded_pow(Lanes x, Lanes y) {
  const Truth asked = between(smallest, x, largest) & (magnitude(y) <= 1e300);
  Lanes z;
  Truth safe;
  if (all_true(asked)) [[likely]] {
    z = STIFFIT_VECTOR2(pow)(x, y);
    safe = between(smallest, z, largest);
    if (all_true(safe)) [[likely]]
      return z;
  } else {
    z = STIFFIT_VECTOR2(pow)(asked ? x : Lanes{} + 1, asked ? y : Lanes{});
    safe = asked & between(smallest, z, largest);
  }
  for (int l = 0; l < lane_count; ++l)
    if (!safe[l]) z[l] = evaluate(Op::pow, x[l], y[l]);
  return z;
}

// 1/f(x) and f(1/x), as evaluate() has them.
template <class Guarded, Op op>
Lanes reciprocal(Lanes x) {
  return 1 / guarded<Guarded, op>(x);
}
template <class Guarded, Op op>
Lanes of_reciprocal(Lanes x) {
  return guarded<Guarded, op>(1 / x);
}

// Functions libmvec does not have.
template <Op op>
Lanes by_lane(Lanes x) {
  for (int l = 0; l < lane_count; ++l) x[l] = evaluate(op, x[l]);
  return x;
}
template <Op op>
Lanes by_lane2(Lanes x, Lanes y) {
  for (int l = 0; l < lane_count; ++l) x[l] = evaluate(op, x[l], y[l]);
  return x;
}

template <class Function>
const void* address(Function* function) {
  return reinterpret_cast<const void*>(function);
}

const void* guarded_function(Op op) {
  switch (op) {
    case Op::exp:
      return address(guarded<Guarded_exp, Op::exp>);
    case Op::ln:
      return address(guarded<Guarded_log, Op::ln>);
    case Op::log10:
      return address(guarded<Guarded_log10, Op::log10>);
    case Op::sin:
      return address(guarded<Guarded_sin, Op::sin>);
    case Op::cos:
      return address(guarded<Guarded_cos, Op::cos>);
    case Op::tan:
      return address(guarded<Guarded_tan, Op::tan>);
    case Op::sec:
      return address(reciprocal<Guarded_cos, Op::cos>);
    case Op::csc:
      return address(reciprocal<Guarded_sin, Op::sin>);
    case Op::cot:
      return address(reciprocal<Guarded_tan, Op::tan>);
    case Op::asin:
      return address(guarded<Guarded_asin, Op::asin>);
    case Op::acos:
      return address(guarded<Guarded_acos, Op::acos>);
    case Op::atan:
      return address(guarded<Guarded_atan, Op::atan>);
    case Op::asec:
      return address(of_reciprocal<Guarded_acos, Op::acos>);
    case Op::acsc:
      return address(of_reciprocal<Guarded_asin, Op::asin>);
    case Op::acot:
      return address(of_reciprocal<Guarded_atan, Op::atan>);
    case Op::sinh:
      return address(guarded<Guarded_sinh, Op::sinh>);
    case Op::cosh:
      return address(guarded<Guarded_cosh, Op::cosh>);
    case Op::tanh:
      return address(guarded<Guarded_tanh, Op::tanh>);
    case Op::sech:
      return address(reciprocal<Guarded_cosh, Op::cosh>);
    case Op::csch:
      return address(reciprocal<Guarded_sinh, Op::sinh>);
    case Op::coth:
      return address(reciprocal<Guarded_tanh, Op::tanh>);
    case Op::asinh:
      return address(guarded<Guarded_asinh, Op::asinh>);
    case Op::acosh:
      return address(guarded<Guarded_acosh, Op::acosh>);
    case Op::atanh:
      return address(guarded<Guarded_atanh, Op::atanh>);
    case Op::asech:
      return address(of_reciprocal<Guarded_acosh, Op::acosh>);
    case Op::acsch:
      return address(of_reciprocal<Guarded_asinh, Op::asinh>);
    case Op::acoth:
      return address(of_reciprocal<Guarded_atanh, Op::atanh>);
    case Op::factorial:
      return address(by_lane<Op::factorial>);
    case Op::pow:
      return address(guarded_pow);
    case Op::rem:
      return address(by_lane2<Op::rem>);
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace stiffit::internal
