// One step of all directions. Included once per instruction set; no include guard.
// SPDX-License-Identifier: Apache-2.0

namespace stiffit::STIFFIT_ISA_NAMESPACE {

template <int W>
class TangentStepper final : public Tangents {
 public:
  using Tangents::Tangents;

  bool step(const LinearisedStep& step) override {
    const std::size_t nonzeros = problem_.place.size();
    for (std::size_t k = 0; k < nonzeros; ++k)
      broadcast(step.state(0)[problem_.place[k]], jacobian_.data() + k * W);
    broadcast(1 / (step.h * rodas5p::gamma), diagonal_.data());
    if (solver_->factor(diagonal_.data(), jacobian_.data())) return false;
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) step_chunk(step, chunk);
    return true;
  }

  void accept() override { s_.swap(s_new_); }

  void land(double theta) override {
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk)
      interpolate(chunk, theta, s_.data() + chunk * size_);
  }

  void write(double theta, double* out) override {
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk)
      interpolate(chunk, theta, rest_.data() + chunk * size_);
    write_chunked(rest_.data(), out);
  }

  double error(const Tolerance& tolerance, std::span<const double> sizes) override {
    double worst = 0;
    for (std::size_t d = 0; d < static_cast<std::size_t>(directions_); ++d) {
      const std::size_t chunk = d / W, lane = d % W;
      double sum = 0;
      for (std::size_t i = 0; i < n_; ++i) {
        const std::size_t at = chunk * size_ + i * W + lane;
        const double size = __builtin_fmax(__builtin_fabs(s_[at]), __builtin_fabs(s_new_[at]));
        largest_[at] = __builtin_fmax(largest_[at], size);
        const double allowed = tolerance.rtol * (size + tolerance.floor * largest_[at]) +
                               tolerance.absolute[i] / sizes[d] + 1e-300;
        const double ratio = k(chunk, rodas5p::stages - 1)[i * W + lane] / allowed;
        sum += ratio * ratio;
      }
      const double norm = n_ ? __builtin_sqrt(sum / static_cast<double>(n_)) : 0;
      if (!(norm <= worst)) worst = norm;
    }
    return worst;
  }

 private:
  static void broadcast(double value, double* out) {
    for (int l = 0; l < W; ++l) out[l] = value;
  }
  double* k(std::size_t chunk, int stage) {
    return stages_.data() + (chunk * rodas5p::stages + static_cast<std::size_t>(stage)) * size_;
  }
  long count() const { return chunks<W>(static_cast<int>(n_)); }

  void step_chunk(const LinearisedStep& step, std::size_t chunk) {
    const double* s = s_.data() + chunk * size_;
    double* moved = work_.data();  // dY_i
    const double inverse = 1 / step.h;
    for (int i = 0; i < rodas5p::stages; ++i) {
      move(i, chunk, s, moved);
      double* out = k(chunk, i);
      right_side(i, step, chunk, inverse, moved, out);
      solver_->solve(out);
    }
    double* next = s_new_.data() + chunk * size_;
    for (long c = 0; c < count(); ++c) at(next, c) = at(moved, c) + at(k(chunk, 7), c);
  }

  void move(int i, std::size_t chunk, const double* s, double* moved) {
    const double* terms[rodas5p::stages];
    for (int j = 0; j < i; ++j) terms[j] = k(chunk, j);
    switch (i) {
      case 0:
        return combine<0>(count(), moved, s, terms, nullptr);
      case 1:
        return combine<1>(count(), moved, s, terms, rodas5p::a[1]);
      case 2:
        return combine<2>(count(), moved, s, terms, rodas5p::a[2]);
      case 3:
        return combine<3>(count(), moved, s, terms, rodas5p::a[3]);
      case 4:
        return combine<4>(count(), moved, s, terms, rodas5p::a[4]);
      case 5:
        return combine<5>(count(), moved, s, terms, rodas5p::a[5]);
      default:
        for (long c = 0; c < count(); ++c) at(moved, c) += at(terms[i - 1], c);
    }
  }

  void right_side(int i, const LinearisedStep& step, std::size_t chunk, double inverse,
                  const double* moved, double* out) {
    switch (i) {
      case 0:
        return right_side_of<0>(step, chunk, inverse, moved, out);
      case 1:
        return right_side_of<1>(step, chunk, inverse, moved, out);
      case 2:
        return right_side_of<2>(step, chunk, inverse, moved, out);
      case 3:
        return right_side_of<3>(step, chunk, inverse, moved, out);
      case 4:
        return right_side_of<4>(step, chunk, inverse, moved, out);
      case 5:
        return right_side_of<5>(step, chunk, inverse, moved, out);
      case 6:
        return right_side_of<6>(step, chunk, inverse, moved, out);
      default:
        return right_side_of<7>(step, chunk, inverse, moved, out);
    }
  }

  // out = M sum c_ij dU_j / h + J(Y_i) dY_i + A_i s + G_i d, a row at a time in registers.
  template <int I>
  void right_side_of(const LinearisedStep& step, std::size_t chunk, double inverse,
                     const double* moved, double* out) {
    constexpr int parts = PerLane<W>::count;
    const DerivativeKernels& kernels = problem_.kernels;
    const double* mass =
        problem_.problem.program->mass.empty() ? nullptr : problem_.problem.program->mass.data();
    const double *s = s_.data() + chunk * size_, *first = k(chunk, 0);
    const double *state = step.state(I), *bend = step.bend(I), *parameter = step.parameter(I);
    const Forcing& forcing = forcing_[chunk];
    const int *state_start = kernels.state.row_start.data(),
              *state_column = kernels.state.column.data(),
              *bend_start = kernels.bend_state.row_start.data(),
              *bend_column = kernels.bend_state.column.data(),
              *force_start = forcing.row_start.data(), *force_entry = forcing.entry.data(),
              *force_shift = forcing.shift.data();
    const double* shifts = forcing.shifts.data();
    for (std::size_t i = 0; i < n_; ++i) {
      const double factor = mass ? inverse * mass[i] : inverse;
      for (int c = 0; c < parts; ++c) {
        const long row = static_cast<long>(i) * parts + c;
        Vector sum{};
        for (int j = 0; j < I; ++j) sum += rodas5p::c[I][j] * at(first + j * size_, row);
        sum *= factor;
        for (int e = state_start[i]; e < state_start[i + 1]; ++e)
          sum += state[e] * at(moved, static_cast<long>(state_column[e]) * parts + c);
        for (int e = bend_start[i]; e < bend_start[i + 1]; ++e)
          sum += bend[e] * at(s, static_cast<long>(bend_column[e]) * parts + c);
        for (int e = force_start[i]; e < force_start[i + 1]; ++e)
          sum +=
              parameter[force_entry[e]] * at(shifts, static_cast<long>(force_shift[e]) * parts + c);
        at(out, row) = sum;
      }
    }
  }

  // The interpolant of the states is linear in y, y_new and the stages.
  void interpolate(std::size_t chunk, double theta, double* out) {
    const double* s = s_.data() + chunk * size_;
    const double* next = s_new_.data() + chunk * size_;
    const double left = 1 - theta;
    double weight[rodas5p::stages];
    for (int j = 0; j < rodas5p::stages; ++j)
      weight[j] =
          theta * left *
          (rodas5p::dense[0][j] + theta * (rodas5p::dense[1][j] + theta * rodas5p::dense[2][j]));
    for (long c = 0; c < count(); ++c) {
      Vector sum = left * at(s, c) + theta * at(next, c);
      for (int j = 0; j < rodas5p::stages; ++j) sum += weight[j] * at(k(chunk, j), c);
      at(out, c) = sum;
    }
  }
};

}  // namespace stiffit::STIFFIT_ISA_NAMESPACE
