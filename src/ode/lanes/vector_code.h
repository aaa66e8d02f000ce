// Whole-array arithmetic for steps: linear combinations, per-lane factors, error norms. Arrays are
// [element][lane], aligned and padded to whole vectors (see aligned_array.h). Included once per
// instruction set by foreach_isa.h; no include guard. SPDX-License-Identifier: Apache-2.0

namespace stiffit::internal::STIFFIT_ISA_NAMESPACE {

constexpr int width = STIFFIT_VECTOR_BYTES / 8;
typedef double Vector __attribute__((vector_size(STIFFIT_VECTOR_BYTES), may_alias));
typedef long Mask __attribute__((vector_size(STIFFIT_VECTOR_BYTES), may_alias));

inline Vector& at(double* base, long chunk) { return reinterpret_cast<Vector*>(base)[chunk]; }
inline const Vector& at(const double* base, long chunk) {
  return reinterpret_cast<const Vector*>(base)[chunk];
}
inline Vector magnitude(Vector x) {
  return reinterpret_cast<Vector>(reinterpret_cast<Mask>(x) & 0x7fffffffffffffffL);
}
inline Vector larger(Vector a, Vector b) { return a > b ? a : b; }

// A number per lane laid out as vectors: chunk c of an array belongs to of(c).
template <int W>
struct PerLane {
  static constexpr int count = W > width ? W / width : 1;
  Vector v[count];
  explicit PerLane(const double* lanes) {
    for (int c = 0; c < count; ++c)
      for (int k = 0; k < width; ++k) v[c][k] = lanes[(c * width + k) % W];
  }
  const Vector& of(long chunk) const { return v[count == 1 ? 0 : chunk % count]; }
};

// A number per lane from one place to another, as whole vectors where there are any.
template <int W>
inline void copy_per_lane(double* to, const double* from) {
  if constexpr (W >= width)
    for (int c = 0; c < W / width; ++c) at(to, c) = at(from, c);
  else
    for (int l = 0; l < W; ++l) to[l] = from[l];
}

template <int W>
inline long chunks(int n) {
  return (static_cast<long>(n) * W + width - 1) / width;
}

// out = y + sum of a[j] * k[j], j < S; S is known when compiled, so the loop unrolls.
template <int S>
inline void combine(long count, double* out, const double* y, const double* const* k,
                    const double* a) {
  for (long c = 0; c < count; ++c) {
    Vector sum = at(y, c);
    for (int j = 0; j < S; ++j) sum += a[j] * at(k[j], c);
    at(out, c) = sum;
  }
}

// Per lane: the weighted root mean square of `e`. rtol*(max(|y|,|y_new|) + floor*largest) +
// absolute.
template <int W>
inline void error_norm(int n, const double* e, const double* y, const double* y_new,
                       const double* largest, double rtol, double floor, const double* absolute,
                       double* result) {
  const long count = chunks<W>(n);
  PerLane<W> slack(absolute);
  Vector sums[PerLane<W>::count];
  for (auto& s : sums) s = Vector{};
  for (long c = 0; c < count; ++c) {
    Vector size = larger(magnitude(at(y, c)), magnitude(at(y_new, c)));
    Vector scale = rtol * (size + floor * at(largest, c)) + slack.of(c);
    Vector ratio = at(e, c) / scale;
    sums[PerLane<W>::count == 1 ? 0 : c % PerLane<W>::count] += ratio * ratio;
  }
  double total[W];
  for (int l = 0; l < W; ++l) total[l] = 0;
  for (int c = 0; c < PerLane<W>::count; ++c)
    for (int k = 0; k < width; ++k) total[(c * width + k) % W] += sums[c][k];
  for (int l = 0; l < W; ++l) result[l] = n ? __builtin_sqrt(total[l] / n) : 0;
}

// Which lanes of x are finite everywhere (x - x is 0 only then).
template <int W>
inline unsigned finite_lanes(int n, const double* x) {
  const long count = chunks<W>(n);
  Vector sums[PerLane<W>::count];
  for (auto& s : sums) s = Vector{};
  for (long c = 0; c < count; ++c)
    sums[PerLane<W>::count == 1 ? 0 : c % PerLane<W>::count] += at(x, c) - at(x, c);
  unsigned good = (1u << W) - 1;
  for (int c = 0; c < PerLane<W>::count; ++c)
    for (int k = 0; k < width; ++k)
      if (!(sums[c][k] == 0)) good &= ~(1u << ((c * width + k) % W));
  return good;
}

// All ones in element k if bit k % W is set.
template <int W = width>
inline Mask chosen_lanes(unsigned lanes) {
  Mask bit;
  for (int k = 0; k < width; ++k) bit[k] = 1L << (k % W);
  return (bit & static_cast<long>(lanes)) != 0;
}

// A bit per element: its sign, which is all that masks have.
inline unsigned sign_bits(Mask mask) {
#if defined(__x86_64__) && STIFFIT_VECTOR_BYTES == 64
  typedef long long Words __attribute__((vector_size(64)));
  return __builtin_ia32_cvtq2mask512(reinterpret_cast<Words>(mask));
#elif defined(__x86_64__) && STIFFIT_VECTOR_BYTES == 32
  typedef double Doubles __attribute__((vector_size(32)));
  return static_cast<unsigned>(__builtin_ia32_movmskpd256(reinterpret_cast<Doubles>(mask)));
#elif defined(__x86_64__)
  typedef double Doubles __attribute__((vector_size(16)));
  return static_cast<unsigned>(__builtin_ia32_movmskpd(reinterpret_cast<Doubles>(mask)));
#else
  unsigned bits = 0;
  for (int k = 0; k < width; ++k) bits |= static_cast<unsigned>(mask[k] < 0) << k;
  return bits;
#endif
}

// The lanes of an array's chunk in which an element is marked; of an array with a number per lane
// what is behind the last lane does not count.
template <int W, bool PerLaneArray = false>
inline unsigned lanes_of(Mask mask) {
  unsigned bits = sign_bits(mask);
  if constexpr (W < width) {
    if constexpr (!PerLaneArray)
      for (int shift = width / 2; shift >= W; shift /= 2) bits |= bits >> shift;
    bits &= (1u << W) - 1;
  }
  return bits;
}

// to = from on the lanes of the mask.
template <int W>
inline void copy_lanes(int n, unsigned lanes, double* to, const double* from) {
  constexpr int parts = PerLane<W>::count;
  Mask chosen[parts];
  for (int p = 0; p < parts; ++p)
    chosen[p] = W > width ? chosen_lanes(lanes >> (p * width)) : chosen_lanes<W>(lanes);
  const long count = chunks<W>(n);
  for (long c = 0; c < count; ++c)
    at(to, c) = chosen[parts == 1 ? 0 : c % parts] ? at(from, c) : at(to, c);
}

}  // namespace stiffit::internal::STIFFIT_ISA_NAMESPACE
