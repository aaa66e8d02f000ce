// One step of a diagonally implicit Runge-Kutta method in all directions. Included once per
// instruction set; no include guard. SPDX-License-Identifier: Apache-2.0

namespace stiffit::internal::STIFFIT_ISA_NAMESPACE {

template <int W>
class DirkTangentStepper final : public TangentLanes<W, DirkTangents> {
  using Base = TangentLanes<W, DirkTangents>;
  using Base::chunks_, Base::finite_, Base::group_, Base::n_, Base::problem_, Base::rest_, Base::s_,
      Base::s_new_, Base::size_, Base::solver_, Base::stepper_;

 public:
  using Made = DirkTangents;
  DirkTangentStepper(const SensitivityProblem& problem, std::size_t directions,
                     LinearisedStep& derivatives, const DirkTableau& tableau)
      : Base(problem, directions),
        derivatives_(derivatives),
        tableau_(tableau),
        place_(n_),
        by_state_(problem.kernels.state.nonzeros()),
        by_parameter_(problem.kernels.parameter.nonzeros()),
        matrix_(problem.kernels.state.nonzeros() * W),
        slopes_(static_cast<std::size_t>(tableau.stages) * s_.size()),
        first_(s_.size()) {}

  void begin_again(const LaneGroup& group) override {
    evaluate(group.t[0], group.y.data());
    first_.fill(0);
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk)
      add_slope(chunk, s_.data() + chunk * size_, first_.data() + chunk * size_);
  }

  bool step(const LinearisedStep&) override {
    h_ = group_->h[0];
    strictness_ = tableau_.strictness(group_->options.rtol);
    for (long c = 0; c < all(); ++c) at(k(0), c) = at(first_.data(), c);
    for (int i = 1; i < tableau_.stages; ++i)
      if (!run_stage(i)) return false;
    find_error();
    Vector nothing{};
    for (long c = 0; c < all(); ++c) nothing += at(s_new_.data(), c) - at(s_new_.data(), c);
    finite_ = true;
    for (int l = 0; l < width; ++l) finite_ &= nothing[l] == 0;
    return true;
  }

  void accept() override {
    s_.swap(s_new_);
    for (long c = 0; c < all(); ++c) at(first_.data(), c) = at(k(tableau_.stages - 1), c);
  }
  void land(double theta) override {
    interpolate(theta);
    s_.swap(rest_);
  }
  void write(double theta, double* out) override {
    interpolate(theta);
    this->write_chunked(rest_.data(), out);
  }
  double error(const Tangents::Tolerance& tolerance) override {
    return this->largest_norm(
        tolerance, tolerance.rtol / strictness_,
        [&](std::size_t chunk, long c) { return at(rest_.data() + chunk * size_, c); });
  }

  using Tangents::write;

 private:
  long all() const { return static_cast<long>(s_.size()) / width; }
  double* k(int i) { return slopes_.data() + static_cast<std::size_t>(i) * s_.size(); }

  void evaluate(double t, const double* y) {
    derivatives_.differentiate(t, y, by_state_.data(), by_parameter_.data());
    this->broadcast(by_state_.size(), {by_state_.data(), 1}, matrix_.data());
  }
  // out += J s + df/dp d, J and df/dp as last evaluated
  void add_slope(std::size_t chunk, double* s, double* out) {
    this->add_forcing(chunk, {by_parameter_.data(), 1}, out);
    double* const arrays[] = {out, s, matrix_.data()};
    problem_.product(arrays);
  }

  // (1/(h gamma) - J) h gamma dk_i = J base_i + df/dp d, and dY_i = base_i + h gamma dk_i.
  bool run_stage(int i) {
    for (std::size_t m = 0; m < n_; ++m) place_[m] = group_->y[m];
    for (int j = 0; j <= i; ++j) {
      const double weight = h_ * (j < i ? tableau_.a[i][j] : tableau_.gamma);
      const double* slope =
          stepper_->stages() + static_cast<std::size_t>(j) * stepper_->stage_stride();
      for (std::size_t m = 0; m < n_; ++m) place_[m] += weight * slope[m];
    }
    evaluate(group_->t[0] + tableau_.node[i] * h_, place_.data());
    const double diagonal = 1 / (h_ * tableau_.gamma);
    if (!this->factor({by_state_.data(), 1}, diagonal)) return false;
    for (long c = 0; c < all(); ++c) {
      Vector sum{};
      for (int j = 0; j < i; ++j) sum += tableau_.a[i][j] * at(k(j), c);
      at(s_new_.data(), c) = at(s_.data(), c) + h_ * sum;
      at(k(i), c) = Vector{};
    }
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
      double *out = k(i) + chunk * size_, *base = s_new_.data() + chunk * size_;
      add_slope(chunk, base, out);
      solver_->solve(out);
      for (long c = 0; c < this->count(); ++c) {
        at(base, c) += at(out, c);
        at(out, c) *= diagonal;
      }
    }
    return true;
  }

  // As that of the states: the difference of both results, less what is fast.
  void find_error() {
    for (long c = 0; c < all(); ++c) {
      Vector sum{};
      for (int i = 0; i < tableau_.stages; ++i) sum += tableau_.error(i) * at(k(i), c);
      at(rest_.data(), c) = sum * (1 / tableau_.gamma);
    }
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk)
      solver_->solve(rest_.data() + chunk * size_);
  }

  void interpolate(double theta) {
    double weight[DirkTableau::most_stages];
    for (int i = 0; i < tableau_.stages; ++i) weight[i] = h_ * tableau_.share(i, theta);
    for (long c = 0; c < all(); ++c) {
      Vector sum = at(s_.data(), c);
      for (int i = 0; i < tableau_.stages; ++i) sum += weight[i] * at(k(i), c);
      at(rest_.data(), c) = sum;
    }
  }

  LinearisedStep& derivatives_;
  const DirkTableau& tableau_;
  AlignedArray place_;
  std::vector<double> by_state_, by_parameter_;
  AlignedArray matrix_;  // J in all lanes
  AlignedArray slopes_;  // [stage][chunk][state][lane]
  AlignedArray first_;   // the slope that the next step begins with
  double h_ = 1, strictness_ = 1;
};

}  // namespace stiffit::internal::STIFFIT_ISA_NAMESPACE
