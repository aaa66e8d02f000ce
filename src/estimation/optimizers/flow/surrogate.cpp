// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/flow/surrogate.h"

#include <algorithm>
#include <cmath>

#include "linear/dense/decompositions.h"
#include "ode/method_registry.h"
#include "ode/system.h"

namespace stiffit::internal {

int Surrogate::coefficients(int variables, int degree) {
  double count = 1;
  for (int d = 1; d <= degree + 1; ++d) count = count * (variables + d) / d;
  return static_cast<int>(std::lround(count)) - 1;
}

Surrogate::Surrogate(FlowBox box, int degree, std::span<const FlowSample* const> samples)
    : box_(std::move(box)) {
  const auto n = static_cast<int>(box_.centre.size());
  monomials_ = std::make_shared<const Monomials>(n, degree + 1);
  const int count = monomials_->size() - 1;  // the constant is of no use
  const auto rows = static_cast<Eigen::Index>(samples.size()) * (n + 1);
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(rows, count);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(rows);
  // Values are compared with that of the sample nearest to the centre.
  const FlowSample* nearest = samples.front();
  for (const FlowSample* s : samples)
    if (box_.inside(s->x).norm() < box_.inside(nearest->x).norm()) nearest = s;
  const Eigen::VectorXd base = monomials_->values(box_.inside(nearest->x));
  Eigen::Index row = 0;
  for (const FlowSample* s : samples) {
    const Eigen::VectorXd u = box_.inside(s->x), m = monomials_->values(u);
    const double far = u.cwiseAbs().maxCoeff();
    const double weight = far <= 1 ? 1 : std::pow(far, -static_cast<double>(degree + 2));
    for (int v = 0; v < n; ++v, ++row) {
      b(row) = weight * s->gradient(v) * box_.radius(v);
      for (int k = 1; k <= count; ++k)
        if (const int lower = monomials_->without(k, v); lower >= 0)
          a(row, k - 1) = weight * (*monomials_)[k].exponents[v] * m(lower);
    }
    b(row) = weight * (s->value - nearest->value);
    for (int k = 1; k <= count; ++k) a(row, k - 1) = weight * (m(k) - base(k));
    ++row;
  }
  // Few samples leave higher terms open: the smallest ones are taken.
  for (int k = 1; k <= count; ++k) {
    int own = 0;
    for (int e : (*monomials_)[k].exponents) own += e;
    a.col(k - 1) *= std::pow(0.5, own);
  }
  weights_ = Eigen::VectorXd::Zero(count + 1);
  weights_.tail(count) = shortest_solution(a, b, 1e-9);
  for (int k = 1; k <= count; ++k) {
    int own = 0;
    for (int e : (*monomials_)[k].exponents) own += e;
    weights_(k) *= std::pow(0.5, own);
  }
}

Eigen::VectorXd Surrogate::gradient(const Eigen::VectorXd& u) const {
  const Eigen::VectorXd m = monomials_->values(u);
  Eigen::VectorXd g = Eigen::VectorXd::Zero(u.size());
  for (int k = 1; k < monomials_->size(); ++k)
    for (int v = 0; v < monomials_->variables(); ++v)
      if (const int lower = monomials_->without(k, v); lower >= 0)
        g(v) += weights_(k) * (*monomials_)[k].exponents[v] * m(lower);
  return g;
}

Eigen::MatrixXd Surrogate::hessian(const Eigen::VectorXd& u) const {
  const Eigen::VectorXd m = monomials_->values(u);
  Eigen::MatrixXd h = Eigen::MatrixXd::Zero(u.size(), u.size());
  for (int k = 1; k < monomials_->size(); ++k)
    for (int v = 0; v < monomials_->variables(); ++v) {
      const int lower = monomials_->without(k, v);
      if (lower < 0) continue;
      const double first = weights_(k) * (*monomials_)[k].exponents[v];
      for (int w = 0; w < monomials_->variables(); ++w)
        if (const int lowest = monomials_->without(lower, w); lowest >= 0)
          h(v, w) += first * (*monomials_)[lower].exponents[w] * m(lowest);
    }
  return h;
}

// One flow: u' = - G(u)/radius^2 in the coordinates of the box.
class SurrogateFlow {
 public:
  SurrogateFlow(const Surrogate& surrogate, const std::vector<char>& held)
      : s_(surrogate), speed_(surrogate.box_.radius.cwiseAbs2().cwiseInverse()) {
    for (std::size_t i = 0; i < held.size(); ++i)
      if (held[i]) speed_(i) = 0;
  }

  Eigen::VectorXd rate(const Eigen::VectorXd& u) const {
    return -speed_.cwiseProduct(s_.gradient(u));
  }
  Eigen::MatrixXd slope(const Eigen::VectorXd& u) const {
    return -(speed_.asDiagonal() * s_.hessian(u));
  }

  // Coefficients of the solution through u, [variable][order].
  Eigen::MatrixXd series(const Eigen::VectorXd& u, int order) const {
    const Monomials& list = *s_.monomials_;
    const int n = list.variables();
    Eigen::MatrixXd x = Eigen::MatrixXd::Zero(n, order + 1);
    Eigen::MatrixXd m = Eigen::MatrixXd::Zero(list.size(), order + 1);
    x.col(0) = u;
    m(0, 0) = 1;
    for (int p = 0; p <= order; ++p) {
      for (int k = 1; k < list.size(); ++k) {
        double sum = 0;
        for (int q = 0; q <= p; ++q) sum += m(list[k].lower, q) * x(list[k].variable, p - q);
        m(k, p) = sum;
      }
      if (p == order) break;
      for (int v = 0; v < n; ++v) {
        double g = 0;
        for (int k = 1; k < list.size(); ++k)
          if (const int lower = list.without(k, v); lower >= 0)
            g += s_.weights_(k) * list[k].exponents[v] * m(lower, p);
        x(v, p + 1) = -speed_(v) * g / (p + 1);
      }
    }
    return x;
  }

 private:
  const Surrogate& s_;
  Eigen::VectorXd speed_;
};

namespace {

constexpr int order = 14;
constexpr double accuracy = 1e-8;  // of u, by step
constexpr double at_rest = 1e-9;   // of the speed at the beginning
constexpr long taylor_most = 400;  // steps, then the flow counts as stiff
constexpr long implicit_most = 5000;
constexpr double forever = 1e30;  // of time
constexpr double leaving = 1e-6;  // of the step in which the box is left

bool outside(const Eigen::VectorXd& u) { return u.cwiseAbs().maxCoeff() > 1; }

// The flow as any system of equations.
class FlowSystem final : public OdeSystem {
 public:
  FlowSystem(const SurrogateFlow& flow, Eigen::Index n) : flow_(flow), n_(n) {}
  int size() const override { return static_cast<int>(n_); }
  bool autonomous() const override { return true; }
  void rates(double, const double* x, double* f) const override {
    Eigen::Map<Eigen::VectorXd>(f, n_) = flow_.rate(Eigen::Map<const Eigen::VectorXd>(x, n_));
  }
  bool jacobian(double, const double* x, double* values) const override {
    Eigen::Map<Eigen::MatrixXd>(values, n_, n_) =
        flow_.slope(Eigen::Map<const Eigen::VectorXd>(x, n_));
    return true;
  }

 private:
  const SurrogateFlow& flow_;
  Eigen::Index n_;
};

// On from u and result.time, until it rests, leaves the box or has no time left.
void follow_stiffly(const SurrogateFlow& flow, double slow, double most_time, Eigen::VectorXd& u,
                    FlowStretch& result) {
  const Eigen::Index n = u.size();
  const FlowSystem system(flow, n);
  IntegrationOptions options;
  options.method = method_name(MethodRole::stiff);
  options.rtol = 1e-6;
  options.atol = 1e-9;
  options.max_steps = implicit_most;
  options.initial_step = result.time / static_cast<double>(result.taylor_steps);
  const double end = std::min(most_time, forever * std::max(1.0, result.time));
  result.end = FlowEnd::time;
  SystemProblem problem(system, end - result.time);
  const auto state = [&] { return std::vector<double>(u.data(), u.data() + n); };
  // The box is left within h: to where, by runs that end before and after.
  const auto leave = [&](double h) {
    const std::vector<double> start = state();
    double low = 0, high = h;
    while (high - low > leaving * h) {
      const double middle = 0.5 * (low + high);
      const Trajectory run = problem.run(start, {0, middle}, options);
      const Eigen::Map<const Eigen::VectorXd> there(run.states.data() + n, n);
      if (run.outcome.status != Status::done || outside(there)) {
        high = middle;
      } else {
        low = middle;
        u = there;
      }
    }
    result.time += low;
    result.end = FlowEnd::left;
  };
  // From u at result.time to the state h later. True: it need not go on.
  double left_within = 0;
  const auto go = [&](const Eigen::VectorXd& next, double h) {
    if (outside(next)) {
      left_within = h;
      return true;
    }
    u = next;
    result.time += h;
    if (!(flow.rate(u).norm() > slow)) result.end = FlowEnd::rest;
    return result.end == FlowEnd::rest;
  };
  const Trajectory run =
      problem.follow(state(), result.time, end, options, [&](const SystemProblem::Step& s) {
        ++result.implicit_steps;
        return s.t + s.h < end && go(Eigen::Map<const Eigen::VectorXd>(s.x_new, n), s.h);
      });
  if (run.outcome.status == Status::done)
    go(Eigen::Map<const Eigen::VectorXd>(run.states.data() + n, n), end - result.time);
  if (left_within > 0) leave(left_within);
}

}  // namespace

FlowStretch surrogate_flow(const Surrogate& surrogate, Eigen::VectorXd u,
                           const std::vector<char>& held, double most_time) {
  const SurrogateFlow flow(surrogate, held);
  FlowStretch result;
  const double fast = flow.rate(u).norm();
  auto stopped = [&] { return !(flow.rate(u).norm() > at_rest * fast) || fast == 0; };
  bool stiff = false;
  while (!stiff) {
    if (stopped()) {
      result.end = FlowEnd::rest;
      break;
    }
    const Eigen::MatrixXd x = flow.series(u, order);
    // From the last two coefficients, as the accuracy allows (Jorba and Zou 2005).
    double step = INFINITY;
    for (int p : {order - 1, order}) {
      const double last = x.col(p).cwiseAbs().maxCoeff();
      if (last > 0) step = std::min(step, std::pow(accuracy / last, 1.0 / p));
    }
    step = std::min(step, most_time - result.time);
    auto at = [&](double t) {
      Eigen::VectorXd sum = x.col(order);
      for (int p = order - 1; p >= 0; --p) sum = sum * t + x.col(p);
      return sum;
    };
    ++result.taylor_steps;
    Eigen::VectorXd next = at(step);
    if (outside(next)) {
      double low = 0, high = step;
      for (int k = 0; k < 60 && high - low > 1e-12 * step; ++k) {
        const double middle = 0.5 * (low + high);
        (outside(at(middle)) ? high : low) = middle;
      }
      u = at(low);
      result.time += low;
      result.end = FlowEnd::left;
      break;
    }
    u = next;
    result.time += step;
    if (result.time >= most_time) break;
    stiff = result.taylor_steps >= taylor_most;
  }
  if (stiff) {
    follow_stiffly(flow, at_rest * fast, most_time, u, result);
  }
  result.u = u;
  return result;
}

}  // namespace stiffit::internal
