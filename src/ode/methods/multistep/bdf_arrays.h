// Whole-array work of a BDF step on every lane: predict, correct, norms. Lanes may be of different
// orders: what lies above a lane's order is zero in its Nordsieck array and its coefficients, so
// that one order serves all. Included once per instruction set; no include guard.
// SPDX-License-Identifier: Apache-2.0

namespace stiffit::internal::STIFFIT_ISA_NAMESPACE {

struct BdfArrays {
  static constexpr int top = bdf::largest_order;
  explicit BdfArrays(std::size_t size)
      : predicted(size),
        predicted_slope(size),
        scale(size),
        e(size),
        e_before(size),
        f(size),
        f_predicted(size),
        change(size) {
    for (auto& a : past) a = AlignedArray(size);
  }
  AlignedArray past[top + 1];               // z_1 ...; past[0] is unused, z_0 is the group's y
  AlignedArray predicted, predicted_slope;  // y and h y' at the end of the step being tried
  AlignedArray scale;                       // 1 / error allowed
  AlignedArray e, e_before;                 // y_new - predicted: of this step and the one before
  AlignedArray f, f_predicted, change;
};

// Numbers of a step, a row of lanes for each.
template <int W>
struct BdfNumbers {
  static constexpr int rows = bdf::largest_order + 1;
  alignas(64) double power[rows][W];   // of h over the one that `past` is scaled to
  alignas(64) double lambda[rows][W];  // 0 above the lane's order
  alignas(64) double inverse_h[W], relaxation[W];
};

// The rows as vectors.
template <int W>
struct BdfFactors {
  static constexpr int parts = PerLane<W>::count;
  Vector v[BdfNumbers<W>::rows][parts];
  explicit BdfFactors(const double (&rows)[BdfNumbers<W>::rows][W]) {
    for (int j = 0; j < BdfNumbers<W>::rows; ++j)
      for (int p = 0; p < parts; ++p)
        for (int k = 0; k < width; ++k) v[j][p][k] = rows[j][(p * width + k) % W];
  }
  const Vector& of(int row, long chunk) const { return v[row][parts == 1 ? 0 : chunk % parts]; }
};

// Lanes as vectors of ones and zeros; all ones for a single lane.
template <int W>
struct ChosenLanes {
  Mask v[PerLane<W>::count];
  explicit ChosenLanes(unsigned lanes) {
    for (int p = 0; p < PerLane<W>::count; ++p)
      v[p] = W > width ? chosen_lanes(lanes >> (p * width)) : chosen_lanes<W>(lanes);
  }
  Vector pick(long chunk, Vector chosen, Vector other) const {
    if constexpr (W == 1) return chosen;
    return v[PerLane<W>::count == 1 ? 0 : chunk % PerLane<W>::count] ? chosen : other;
  }
};

// Sums of squares of each lane.
template <int W>
struct LaneSums {
  static constexpr int parts = PerLane<W>::count;
  Vector sums[parts] = {};
  void add(long chunk, Vector x) { sums[parts == 1 ? 0 : chunk % parts] += x * x; }
  // Root mean squares over n states; 0 where there is none.
  void norms(int n, double* result) const {
    for (int l = 0; l < W; ++l) result[l] = 0;
    for (int p = 0; p < parts; ++p)
      for (int k = 0; k < width; ++k) result[(p * width + k) % W] += sums[p][k];
    for (int l = 0; l < W; ++l) result[l] = n > 0 ? __builtin_sqrt(result[l] / n) : 0;
  }
};

// The Nordsieck array moved on by the step, v[0] given: v[j] = z_j at its end.
template <int W, int Q>
inline void bdf_move(Vector* v, const double* const* z, const BdfFactors<W>& power, long chunk) {
  for (int j = 1; j <= Q; ++j) v[j] = at(z[j], chunk) * power.of(j, chunk);
  for (int k = 1; k <= Q; ++k)
    for (int j = Q; j >= k; --j) v[j - 1] += v[j];
}

// y and h y' at the end of the step, and what error is allowed: rtol*(max(|y|, |predicted y|) +
// floor*largest) + absolute.
template <int W, int Q>
void bdf_predict(BdfArrays& a, const double* y, int n, const BdfNumbers<W>& numbers,
                 const double* largest, double rtol, double floor, const double* absolute) {
  const PerLane<W> slack(absolute);
  const BdfFactors<W> power(numbers.power);
  const double* z[Q + 1];
  for (int j = 1; j <= Q; ++j) z[j] = a.past[j].data();
  double *p = a.predicted.data(), *slope = a.predicted_slope.data(), *scale = a.scale.data();
  const Vector tiny = Vector{} + 1e-300;
  const long count = chunks<W>(n);
  for (long c = 0; c < count; ++c) {
    const Vector now = at(y, c);
    Vector v[Q + 1];
    v[0] = now;
    bdf_move<W, Q>(v, z, power, c);
    at(p, c) = v[0];
    at(slope, c) = v[1];
    const Vector size = larger(magnitude(now), magnitude(v[0]));
    at(scale, c) = 1 / larger(rtol * (size + floor * at(largest, c)) + slack.of(c), tiny);
  }
}

// The product in x is rounded as it stands: of two products in a sum the compiler would choose
// which to fuse with the addition.
inline void keep_rounded([[maybe_unused]] Vector& x) {
#if defined(__clang__)  // does not know the wider registers here: it has no target pragma
  asm("" : "+m"(x));
#elif defined(__x86_64__)
  asm("" : "+x"(x));
#endif
}

// past, moved on by the step, plus lambda e; z_0 is already in the group's y_new.
template <int W, int Q>
void bdf_correct(BdfArrays& a, int n, const BdfNumbers<W>& numbers, unsigned lanes) {
  double* z[Q + 1];
  for (int j = 1; j <= Q; ++j) z[j] = a.past[j].data();
  const double* e = a.e.data();
  const ChosenLanes<W> chosen(lanes);
  const BdfFactors<W> power(numbers.power), lambda(numbers.lambda);
  const long count = chunks<W>(n);
  for (long c = 0; c < count; ++c) {
    Vector v[Q + 1] = {};
    bdf_move<W, Q>(v, z, power, c);
    keep_rounded(v[Q]);
    for (int j = 1; j <= Q; ++j) {
      Vector& own = at(z[j], c);
      own = chosen.pick(c, v[j] + lambda.of(j, c) * at(e, c), own);
    }
  }
}

// change = f - (h y' of the formula)/h: what Newton has to bring to zero.
template <int W>
void bdf_residual(BdfArrays& a, int n, const double* f, const BdfNumbers<W>& numbers, bool first) {
  const double *slope = a.predicted_slope.data(), *e = a.e.data();
  double* out = a.change.data();
  const PerLane<W> inverse_h(numbers.inverse_h), lead(numbers.lambda[1]);
  const long count = chunks<W>(n);
  if (first)  // e is zero
    for (long c = 0; c < count; ++c) at(out, c) = at(f, c) - inverse_h.of(c) * at(slope, c);
  else
    for (long c = 0; c < count; ++c)
      at(out, c) = at(f, c) - inverse_h.of(c) * (at(slope, c) + lead.of(c) * at(e, c));
}

// e += relaxation*change on these lanes, y_new follows; norms of both.
template <int W, bool First>
void bdf_update(BdfArrays& a, int n, const BdfNumbers<W>& numbers, unsigned lanes, double* y_new,
                double* norm_of_change, double* norm_of_e) {
  const double *p = a.predicted.data(), *change = a.change.data(), *scale = a.scale.data();
  double* e = a.e.data();
  const PerLane<W> factor(numbers.relaxation);
  const ChosenLanes<W> chosen(lanes);
  LaneSums<W> of_change, of_e;
  const long count = chunks<W>(n);
  for (long c = 0; c < count; ++c) {
    Vector step = factor.of(c) * at(change, c);
    Vector sum = First ? step : at(e, c) + step;
    at(e, c) = chosen.pick(c, sum, at(e, c));
    at(y_new, c) = chosen.pick(c, at(p, c) + sum, at(y_new, c));
    of_change.add(c, step * at(scale, c));
    of_e.add(c, sum * at(scale, c));
  }
  of_change.norms(n, norm_of_change);
  of_e.norms(n, norm_of_e);
}

template <int W>
double bdf_norm(const BdfArrays& a, int n, const double* x, int lane) {
  LaneSums<W> sum;
  const long count = chunks<W>(n);
  for (long c = 0; c < count; ++c) sum.add(c, at(x, c) * at(a.scale.data(), c));
  double norms[W];
  sum.norms(n, norms);
  return norms[lane];
}

// Norm of x - factor*y.
template <int W>
double bdf_norm_of_difference(const BdfArrays& a, int n, const double* x, double factor,
                              const double* y, int lane) {
  LaneSums<W> sum;
  const long count = chunks<W>(n);
  for (long c = 0; c < count; ++c)
    sum.add(c, (at(x, c) - factor * at(y, c)) * at(a.scale.data(), c));
  double norms[W];
  sum.norms(n, norms);
  return norms[lane];
}

}  // namespace stiffit::internal::STIFFIT_ISA_NAMESPACE
