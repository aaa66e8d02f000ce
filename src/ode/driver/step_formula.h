// The arithmetic of step control for a number or for a vector of lanes: Vector is double and Bits
// unsigned long, or vectors of those, in the namespace STIFFIT_ISA_NAMESPACE. No call, no branch,
// and powers where a user of roots would divide: the next step waits for these. No include guard.
// SPDX-License-Identifier: Apache-2.0

namespace stiffit::internal::STIFFIT_ISA_NAMESPACE {

inline Vector within(Vector x, double low, double high) {
  const Vector least = Vector{} + low, most = Vector{} + high;
  x = x < least ? least : x;
  return x > most ? most : x;
}

// Logarithm and power of two to about 1e-4.
inline Vector rough_log2(Vector x) {
  constexpr double two_to_52 = 4503599627370496.0;  // its last bit is one
  const Bits bits = __builtin_bit_cast(Bits, within(x, 1e-290, 1e290));
  const Vector exponent =
      __builtin_bit_cast(Vector, (bits >> 52) | 0x4330000000000000L) - (two_to_52 + 1023);
  const Vector m = __builtin_bit_cast(Vector, (bits & 0xfffffffffffffL) | 0x3ff0000000000000L);
  // The series of the inverse hyperbolic tangent.
  const Vector z = (m - 1) / (m + 1), z2 = z * z;
  return exponent + 2.8853900817779268 * z * (1 + z2 * (1.0 / 3 + z2 * 0.2));
}

inline Vector rough_exp2(Vector x) {
  constexpr double to_whole = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds
  x = within(x, -1000.0, 1000.0);
  const Vector shifted = x + to_whole;
  const Vector u = (x - (shifted - to_whole)) * 0.69314718055994531;
  const Vector fraction = 1 + u * (1 + u * (0.5 + u * (1.0 / 6 + u * (1.0 / 24))));
  return fraction * __builtin_bit_cast(Vector, (__builtin_bit_cast(Bits, shifted) + 1023) << 52);
}

// What a step that passed leaves for the choice of the next.
struct StepMemory {
  Vector inverse;  // 1/h of the last accepted step; 0: there is none
  Vector size;     // log2 of its error
  Vector cap;      // the next step may grow by this much: 1 after a rejection
};

// The next step after one of size h that passed.
inline Vector step_after(Vector h, Vector error, double share, StepMemory& memory) {
  const Vector size = rough_log2(error);
  Vector factor = within(step_safety * rough_exp2(-share * size), step_smallest, step_largest);
  const Vector exponent = share * (memory.size - 2 * size);
  Vector predicted = h * memory.inverse * step_safety * rough_exp2(exponent);
  predicted = within(predicted, step_smallest, step_largest);
  predicted = memory.inverse > 0 ? predicted : Vector{} + step_largest;
  factor = predicted < factor ? predicted : factor;
  factor = memory.cap < factor ? memory.cap : factor;
  const Vector least = Vector{} + -6.6438561897747247;  // 1e-2
  memory = {1 / h, size < least ? least : size, Vector{} + step_largest};
  return h * factor;
}

}  // namespace stiffit::internal::STIFFIT_ISA_NAMESPACE
