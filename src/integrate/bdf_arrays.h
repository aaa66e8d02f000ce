// Whole-array work of a BDF step: predict, correct, norms. Included once per instruction set; no
// include guard.
// SPDX-License-Identifier: Apache-2.0

namespace stiffit::STIFFIT_ISA_NAMESPACE {

struct BdfArrays {
  static constexpr int top = bdf::largest_order;
  explicit BdfArrays(std::size_t size)
      : scale(size), e(size), e_before(size), f(size), f_predicted(size), change(size) {
    for (auto& a : past) a = AlignedArray(size);
    for (auto& a : predicted) a = AlignedArray(size);
  }
  AlignedArray past[top + 1];       // z_1 ...; past[0] is unused, z_0 is the group's y
  AlignedArray predicted[top + 1];  // at the end of the step being tried
  AlignedArray scale;               // 1 / error allowed
  AlignedArray e, e_before;         // y_new - predicted[0]: of this step and the one before
  AlignedArray f, f_predicted, change;
};

inline double sum_of(Vector v) {
  double total = 0;
  for (int k = 0; k < width; ++k) total += v[k];
  return total;
}

// predicted = past moved on by a step, `ratio` times as long as the one `past` is scaled to; and
// what error is allowed: rtol*(max(|y|, |predicted y|) + floor*largest) + absolute.
template <int Q>
inline void bdf_predict(BdfArrays& a, const double* y, long count, double ratio, double* y_new,
                        const double* largest, double rtol, double floor, double absolute) {
  double power[Q + 1];
  power[0] = 1;
  for (int j = 1; j <= Q; ++j) power[j] = power[j - 1] * ratio;
  const double* z[Q + 1];
  double* p[Q + 1];
  for (int j = 0; j <= Q; ++j) {
    z[j] = j ? a.past[j].data() : y;
    p[j] = a.predicted[j].data();
  }
  double* scale = a.scale.data();
  const Vector tiny = Vector{} + 1e-300;
  for (long c = 0; c < count; ++c) {
    Vector v[Q + 1];
    v[0] = at(z[0], c);
    Vector size = magnitude(v[0]);
    for (int j = 1; j <= Q; ++j) v[j] = at(z[j], c) * power[j];
    for (int k = 1; k <= Q; ++k)
      for (int j = Q; j >= k; --j) v[j - 1] += v[j];
    for (int j = 0; j <= Q; ++j) at(p[j], c) = v[j];
    at(y_new, c) = v[0];
    size = larger(size, magnitude(v[0]));
    at(scale, c) = 1 / larger(rtol * (size + floor * at(largest, c)) + absolute, tiny);
  }
}

// past = predicted + lambda e; z_0 is already in the group's y_new.
template <int Q>
inline void bdf_correct(BdfArrays& a, long count, const double* lambda) {
  const double* e = a.e.data();
  for (int j = 1; j <= Q; ++j) {
    const double* p = a.predicted[j].data();
    double* z = a.past[j].data();
    const double factor = lambda[j];
    for (long c = 0; c < count; ++c) at(z, c) = at(p, c) + factor * at(e, c);
  }
}

// change = f - (h y' of the formula)/h: what Newton has to bring to zero.
inline void bdf_residual(BdfArrays& a, long count, const double* f, double inverse_h, double lead) {
  const double *slope = a.predicted[1].data(), *e = a.e.data();
  double* out = a.change.data();
  for (long c = 0; c < count; ++c)
    at(out, c) = at(f, c) - inverse_h * (at(slope, c) + lead * at(e, c));
}

struct BdfNorms {
  double change, e;
};

// e += factor*change, y_new follows.
inline BdfNorms bdf_update(BdfArrays& a, int n, long count, double factor, double* y_new) {
  const double *p = a.predicted[0].data(), *change = a.change.data(), *scale = a.scale.data();
  double* e = a.e.data();
  Vector of_change{}, of_e{};
  for (long c = 0; c < count; ++c) {
    Vector step = factor * at(change, c);
    Vector sum = at(e, c) + step;
    at(e, c) = sum;
    at(y_new, c) = at(p, c) + sum;
    step *= at(scale, c);
    sum *= at(scale, c);
    of_change += step * step;
    of_e += sum * sum;
  }
  return {__builtin_sqrt(sum_of(of_change) / n), __builtin_sqrt(sum_of(of_e) / n)};
}

inline double bdf_norm(const BdfArrays& a, int n, long count, const double* x) {
  Vector sum{};
  for (long c = 0; c < count; ++c) {
    Vector v = at(x, c) * at(a.scale.data(), c);
    sum += v * v;
  }
  return __builtin_sqrt(sum_of(sum) / n);
}

// Norm of x - factor*y.
inline double bdf_norm_of_difference(const BdfArrays& a, int n, long count, const double* x,
                                     double factor, const double* y) {
  Vector sum{};
  for (long c = 0; c < count; ++c) {
    Vector v = (at(x, c) - factor * at(y, c)) * at(a.scale.data(), c);
    sum += v * v;
  }
  return __builtin_sqrt(sum_of(sum) / n);
}

}  // namespace stiffit::STIFFIT_ISA_NAMESPACE
