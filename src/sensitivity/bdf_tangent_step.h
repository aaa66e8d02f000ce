// One step of the BDF in all directions. Included once per instruction set; no include guard.
// SPDX-License-Identifier: Apache-2.0

namespace stiffit::internal::STIFFIT_ISA_NAMESPACE {

template <int W>
class BdfTangentStepper final : public TangentLanes<W, BdfTangents> {
  using Base = TangentLanes<W, BdfTangents>;
  using Base::chunks_, Base::finite_, Base::group_, Base::problem_, Base::rest_, Base::s_,
      Base::s_new_, Base::size_, Base::solver_;

 public:
  using Made = BdfTangents;
  using Step = AugmentedNordsieck::Step;

  BdfTangentStepper(const SensitivityProblem& problem, std::size_t directions,
                    LinearisedStep& derivatives)
      : Base(problem, directions),
        derivatives_(derivatives),
        by_state_(problem.kernels.state.nonzeros()),
        by_parameter_(problem.kernels.parameter.nonzeros()),
        matrix_(problem.kernels.state.nonzeros() * W),
        e_(s_.size()) {
    for (auto& a : past_) a = AlignedArray(s_.size());
  }

  void begin_again() override {
    order_ = 1;
    evaluate(group_->t[0], group_->y.data());
    past_[1].fill(0);
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk)
      add_slope(chunk, s_.data() + chunk * size_, past_[1].data() + chunk * size_);
  }

  void tried(const Step& step) override {
    order_ = step.order;
    h_ = step.h;
    ratio_ = step.ratio;
    for (int j = 0; j <= order_; ++j) lambda_[j] = step.lambda[j];
    error_ = step.error;
    strictness_ = step.strictness;
  }

  bool step(const LinearisedStep&) override {
    evaluate(group_->t[0] + h_, group_->y_new.data());
    if (!this->factor({by_state_.data(), 1}, lambda_[1] / h_)) return false;
    find_powers();
    Vector nothing{};
    for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
      double *e = e_.data() + chunk * size_, *next = s_new_.data() + chunk * size_;
      begin_step(chunk);
      add_slope(chunk, next, e);
      solver_->solve(e);
      for (long c = 0; c < this->count(); ++c) {
        const Vector sum = at(next, c) + at(e, c);
        at(next, c) = sum;
        nothing += sum - sum;
      }
    }
    finite_ = true;
    for (int l = 0; l < width; ++l) finite_ &= nothing[l] == 0;
    return true;
  }

  void accept() override {
    for_order([&]<int Order>() {
      for (long c = 0; c < all(); ++c) {
        Vector z[Order + 1];
        predict<Order>(c, z);
        for (int j = 1; j <= Order; ++j)
          at(past_[j].data(), c) = z[j] + lambda_[j] * at(e_.data(), c);
      }
    });
    s_.swap(s_new_);
  }

  void change_order(bool up, int top, const double* shape, double factor) override {
    const double* source = up ? e_.data() : past_[top].data();
    for (int j = 2; j < (up ? top + 1 : top); ++j) {
      const double by = shape[j] * factor;
      double* own = past_[j].data();
      if (up && j == top)
        for (long c = 0; c < all(); ++c) at(own, c) = by * at(source, c);
      else
        for (long c = 0; c < all(); ++c) at(own, c) += by * at(source, c);
    }
  }

  void write(double theta, double* out) override {
    interpolate(theta);
    this->write_chunked(rest_.data(), out);
  }

  void land(double theta) override {
    interpolate(theta);
    s_.swap(rest_);
  }

  double error(const Tangents::Tolerance& tolerance) override {
    return error_ * this->largest_norm(tolerance, tolerance.rtol / strictness_,
                                       [&](std::size_t chunk, long c) {
                                         return at(e_.data() + chunk * size_, c);
                                       });
  }

  using Tangents::write;

 private:
  static constexpr int top_order = bdf::largest_order;
  long all() const { return static_cast<long>(s_.size()) / width; }

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

  // Loops are unrolled for every order.
  template <class Do>
  void for_order(Do&& act) {
    static_assert(top_order == 6);
    switch (order_) {
      case 1:
        return act.template operator()<1>();
      case 2:
        return act.template operator()<2>();
      case 3:
        return act.template operator()<3>();
      case 4:
        return act.template operator()<4>();
      case 5:
        return act.template operator()<5>();
      default:
        return act.template operator()<6>();
    }
  }

  void find_powers() {
    power_[0] = 1;
    for (int j = 1; j <= order_; ++j) power_[j] = power_[j - 1] * ratio_;
  }

  // The array at the end of the step if nothing bends. It is cheaper to make twice than to keep.
  template <int Order>
  void predict(long c, Vector (&z)[Order + 1]) const {
    z[0] = at(s_.data(), c);
    for (int j = 1; j <= Order; ++j) z[j] = power_[j] * at(past_[j].data(), c);
    for (int k = 1; k <= Order; ++k)
      for (int j = Order; j >= k; --j) z[j - 1] += z[j];
  }

  // s_new is where that leads, e minus its slope.
  void begin_step(std::size_t chunk) {
    const double inverse = -1 / h_;
    const auto first = static_cast<long>(chunk * size_) / width;
    for_order([&]<int Order>() {
      for (long c = first; c < first + this->count(); ++c) {
        Vector z[Order + 1];
        predict<Order>(c, z);
        at(s_new_.data(), c) = z[0];
        at(e_.data(), c) = inverse * z[1];
      }
    });
  }

  void interpolate(double theta) {
    const double x = theta - 1;
    double lambda = lambda_[order_];
    for (int j = order_ - 1; j >= 0; --j) lambda = lambda * x + lambda_[j];
    for_order([&]<int Order>() {
      for (long c = 0; c < all(); ++c) {
        Vector z[Order + 1];
        predict<Order>(c, z);
        Vector sum = z[Order];
        for (int j = Order - 1; j >= 0; --j) sum = sum * x + z[j];
        at(rest_.data(), c) = sum + lambda * at(e_.data(), c);
      }
    });
  }

  LinearisedStep& derivatives_;
  std::vector<double> by_state_, by_parameter_;
  AlignedArray matrix_;                   // J in all lanes
  AlignedArray past_[top_order + 1], e_;  // past_[0] is unused: s_
  int order_ = 1;
  double h_ = 1, ratio_ = 1, power_[top_order + 1] = {}, lambda_[top_order + 2] = {}, error_ = 0,
         strictness_ = 1;
};

}  // namespace stiffit::internal::STIFFIT_ISA_NAMESPACE
