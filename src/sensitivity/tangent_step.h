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

  // out += matrix * x, and the parameters' part.
  void multiply_add(const SparseRows& rows, const double* values, const double* x, double* out) {
    constexpr int parts = PerLane<W>::count;
    for (std::size_t i = 0; i < n_; ++i) {
      Vector sum[parts];
      for (int c = 0; c < parts; ++c) sum[c] = at(out, static_cast<long>(i) * parts + c);
      for (int e = rows.row_start[i]; e < rows.row_start[i + 1]; ++e)
        for (int c = 0; c < parts; ++c)
          sum[c] += values[e] * at(x, static_cast<long>(rows.column[e]) * parts + c);
      for (int c = 0; c < parts; ++c) at(out, static_cast<long>(i) * parts + c) = sum[c];
    }
  }

  void force(const Forcing& forcing, const double* values, double* out) {
    constexpr int parts = PerLane<W>::count;
    for (std::size_t i = 0; i < n_; ++i)
      for (int e = forcing.row_start[i]; e < forcing.row_start[i + 1]; ++e)
        for (int c = 0; c < parts; ++c)
          at(out, static_cast<long>(i) * parts + c) +=
              values[forcing.entry[e]] *
              at(forcing.shifts.data(), static_cast<long>(forcing.shift[e]) * parts + c);
  }

  void step_chunk(const LinearisedStep& step, std::size_t chunk) {
    const double* s = s_.data() + chunk * size_;
    double* moved = work_.data();  // dY_i
    const double inverse = 1 / step.h;
    for (int i = 0; i < rodas5p::stages; ++i) {
      move(i, chunk, s, moved);
      double* out = k(chunk, i);
      start_stage(i, chunk, inverse, out);
      multiply_add(problem_.kernels.state, step.state(i), moved, out);
      multiply_add(problem_.kernels.bend_state, step.bend(i), s, out);
      force(forcing_[chunk], step.parameter(i), out);
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

  // out = M sum c_ij dU_j / h
  void start_stage(int i, std::size_t chunk, double inverse, double* out) {
    switch (i) {
      case 0:
        return stage_sum<0>(chunk, inverse, out);
      case 1:
        return stage_sum<1>(chunk, inverse, out);
      case 2:
        return stage_sum<2>(chunk, inverse, out);
      case 3:
        return stage_sum<3>(chunk, inverse, out);
      case 4:
        return stage_sum<4>(chunk, inverse, out);
      case 5:
        return stage_sum<5>(chunk, inverse, out);
      case 6:
        return stage_sum<6>(chunk, inverse, out);
      default:
        return stage_sum<7>(chunk, inverse, out);
    }
  }

  template <int I>
  void stage_sum(std::size_t chunk, double inverse, double* out) {
    const std::vector<double>& mass = problem_.problem.program->mass;
    constexpr int parts = PerLane<W>::count;
    for (long c = 0; c < count(); ++c) {
      Vector sum{};
      for (int j = 0; j < I; ++j) sum += (inverse * rodas5p::c[I][j]) * at(k(chunk, j), c);
      at(out, c) = sum;
    }
    if (mass.empty()) return;
    for (std::size_t i = 0; i < n_; ++i)
      for (int c = 0; c < parts; ++c) at(out, static_cast<long>(i) * parts + c) *= mass[i];
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
