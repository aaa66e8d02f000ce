// What the steps of all methods do with chunks of directions. Included once per instruction set; no
// include guard. SPDX-License-Identifier: Apache-2.0

namespace stiffit::internal::STIFFIT_ISA_NAMESPACE {

template <int W, class Base>
class TangentLanes : public Base {
 public:
  using Base::Base;

 protected:
  using Base::chunks_, Base::diagonal_, Base::forcing_, Base::jacobian_, Base::largest_, Base::n_,
      Base::problem_, Base::s_, Base::s_new_, Base::size_, Base::solver_;
  using Tolerance = Tangents::Tolerance;
  using Forcing = Tangents::Forcing;
  static constexpr long parts = PerLane<W>::count;  // vectors of an element
  long count() const { return chunks<W>(static_cast<int>(n_)); }

  static void broadcast(double value, double* out) {
    for (int l = 0; l < W; ++l) out[l] = value;
  }
  static void broadcast(std::size_t count, StageMatrix values, double* out) {
    for (std::size_t k = 0; k < count; ++k) broadcast(values[k], out + k * W);
  }

  // J by rows at the place of the linear solver, by columns.
  bool factor(StageMatrix by_rows, double diagonal) {
    for (std::size_t k = 0; k < problem_.place.size(); ++k)
      broadcast(by_rows[problem_.place[k]], jacobian_.data() + k * W);
    broadcast(diagonal, diagonal_.data());
    return solver_->factor(diagonal_.data(), jacobian_.data()) == 0;
  }

  // out += df/dp d
  void add_forcing(std::size_t chunk, StageMatrix by_parameter, double* out) const {
    const Forcing& forcing = forcing_[chunk];
    const double* shifts = forcing.shifts.data();
    for (const auto& term : forcing.terms)
      for (long c = 0; c < parts; ++c)
        at(out, term.row * parts + c) +=
            by_parameter[term.entry] * at(shifts, term.shift * parts + c);
  }

  // The largest norm of all directions; `scaled` gives the error's vectors by chunk and element.
  template <class Error>
  double largest_norm(const Tolerance& tolerance, double rtol, Error scaled) {
    double worst = 0;
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
      const double *s = s_.data() + chunk * size_, *next = s_new_.data() + chunk * size_;
      double* most = largest_.data() + chunk * size_;
      Vector sums[parts], share[parts];
      for (long c = 0; c < parts; ++c) {
        sums[c] = Vector{};
        share[c] = at(tolerance.inverse_sizes + chunk * W, c);
      }
      for (std::size_t i = 0; i < n_; ++i)
        for (long c = 0; c < parts; ++c) {
          const long k = static_cast<long>(i) * parts + c;
          const Vector size = larger(magnitude(at(s, k)), magnitude(at(next, k)));
          const Vector top = larger(at(most, k), size);
          at(most, k) = top;
          const Vector allowed =
              rtol * (size + tolerance.floor * top) + tolerance.absolute[i] * share[c] + 1e-300;
          const Vector ratio = scaled(chunk, k) / allowed;
          sums[c] += ratio * ratio;
        }
      for (long c = 0; c < parts; ++c)
        for (int l = 0; l < width; ++l)
          if (!(sums[c][l] <= worst)) worst = sums[c][l];
    }
    return n_ ? __builtin_sqrt(worst / static_cast<double>(n_)) : 0;
  }
};

}  // namespace stiffit::internal::STIFFIT_ISA_NAMESPACE
