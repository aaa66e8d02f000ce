// One step of Rodas5P in all directions. Included once per instruction set; no include guard.
// SPDX-License-Identifier: Apache-2.0

namespace stiffit::internal::STIFFIT_ISA_NAMESPACE {

template <int W>
class TangentStepper final : public TangentLanes<W, Tangents> {
  using Base = TangentLanes<W, Tangents>;
  using Base::chunks_, Base::finite_, Base::parts, Base::problem_, Base::rest_, Base::s_,
      Base::s_new_, Base::size_, Base::solver_, Base::work_;

 public:
  using Made = Tangents;
  TangentStepper(const SensitivityProblem& problem, std::size_t directions)
      : Base(problem, directions),
        state_(AlignedArray::padded(problem.kernels.state.nonzeros() * W)),
        bend_(AlignedArray::padded(problem.kernels.bend_state.nonzeros() * W)),
        matrices_(rodas5p::stages * (state_ + bend_)),
        stages_(chunks_ * rodas5p::stages * size_) {}

  bool step(const LinearisedStep& step) override {
    if (!this->factor(step.state(0), 1 / (step.h * rodas5p::gamma))) return false;
    for (int i = 0; i < rodas5p::stages; ++i) {
      this->broadcast(problem_.kernels.state.nonzeros(), step.state(i), state(i));
      this->broadcast(problem_.kernels.bend_state.nonzeros(), step.bend(i), state(i) + state_);
    }
    finite_ = true;
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
    this->write_chunked(rest_.data(), out);
  }

  double error(const Tangents::Tolerance& tolerance) override {
    return this->largest_norm(tolerance, tolerance.rtol, [&](std::size_t chunk, long c) {
      return at(k(chunk, rodas5p::stages - 1), c);
    });
  }

  using Tangents::write;

 private:
  double* k(std::size_t chunk, int stage) {
    return stages_.data() + (chunk * rodas5p::stages + static_cast<std::size_t>(stage)) * size_;
  }
  double* state(int stage) {
    return matrices_.data() + static_cast<std::size_t>(stage) * (state_ + bend_);
  }

  void step_chunk(const LinearisedStep& step, std::size_t chunk) {
    double* s = s_.data() + chunk * size_;
    double* moved = work_.data();  // dY_i
    const double inverse = 1 / step.h;
    for (int i = 0; i < rodas5p::stages; ++i) {
      begin_stage(i, chunk, inverse, moved);
      double* out = k(chunk, i);
      this->add_forcing(chunk, step.parameter(i), out);
      double* const arrays[] = {out, moved, state(i), s, state(i) + state_};
      problem_.bent_product(arrays);
      solver_->solve(out);
    }
    double* next = s_new_.data() + chunk * size_;
    Vector nothing{};
    for (long c = 0; c < this->count(); ++c) {
      const Vector sum = at(moved, c) + at(k(chunk, 7), c);
      at(next, c) = sum;
      nothing += sum - sum;
    }
    for (int l = 0; l < width; ++l) finite_ &= nothing[l] == 0;
  }

  void begin_stage(int i, std::size_t chunk, double inverse, double* moved) {
    switch (i) {
      case 0:
        return begin_stage<0>(chunk, inverse, moved);
      case 1:
        return begin_stage<1>(chunk, inverse, moved);
      case 2:
        return begin_stage<2>(chunk, inverse, moved);
      case 3:
        return begin_stage<3>(chunk, inverse, moved);
      case 4:
        return begin_stage<4>(chunk, inverse, moved);
      case 5:
        return begin_stage<5>(chunk, inverse, moved);
      case 6:
        return begin_stage<6>(chunk, inverse, moved);
      default:
        return begin_stage<7>(chunk, inverse, moved);
    }
  }

  // moved = dY_i, out = M sum c_ij dU_j / h
  template <int I>
  void begin_stage(std::size_t chunk, double inverse, double* moved) {
    const std::vector<double>& mass = problem_.problem.program->mass;
    const double *s = s_.data() + chunk * size_, *first = k(chunk, 0);
    double* out = k(chunk, I);
    double weight[I + 1];
    for (int j = 0; j < I; ++j) weight[j] = inverse * rodas5p::c[I][j];
    for (long c = 0; c < this->count(); ++c) {
      Vector sum{}, place = I < 6 ? at(s, c) : at(moved, c);
      for (int j = 0; j < I; ++j) {
        const Vector stage = at(first + static_cast<std::size_t>(j) * size_, c);
        sum += weight[j] * stage;
        if (I < 6) place += rodas5p::a[I < 6 ? I : 0][j] * stage;
        if (I >= 6 && j == I - 1) place += stage;
      }
      at(out, c) = sum;
      at(moved, c) = place;
    }
    for (std::size_t i = 0; i < mass.size(); ++i)
      if (mass[i] != 1)
        for (long c = 0; c < parts; ++c) at(out, static_cast<long>(i) * parts + c) *= mass[i];
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
    for (long c = 0; c < this->count(); ++c) {
      Vector sum = left * at(s, c) + theta * at(next, c);
      for (int j = 0; j < rodas5p::stages; ++j) sum += weight[j] * at(k(chunk, j), c);
      at(out, c) = sum;
    }
  }

  std::size_t state_, bend_;  // sizes of the matrices of a stage
  AlignedArray matrices_;     // J(Y_i) and A_i of each stage, in all lanes
  AlignedArray stages_;       // [chunk][stage][state][lane]
};

}  // namespace stiffit::internal::STIFFIT_ISA_NAMESPACE
