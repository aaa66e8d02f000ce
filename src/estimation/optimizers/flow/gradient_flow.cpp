// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/flow/gradient_flow.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "estimation/optimizers/counted_objective.h"
#include "estimation/optimizers/flow/rosenbrock23.h"
#include "estimation/optimizers/flow/surrogate.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

Eigen::VectorXd vector_of(std::span<const double> v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), v.size());
}
std::vector<double> list_of(const Eigen::VectorXd& v) { return {v.data(), v.data() + v.size()}; }

// One descent: where it stands, and all that was evaluated on the way.
class Flow {
 public:
  Flow(const Objective& objective, std::span<const double> start, const LocalOptions& local,
       const FlowOptions& options)
      : objective_(objective), local_(local), options_(options), counted_(objective, fit_) {
    fit_.start.assign(start.begin(), start.end());
    const std::vector<EstimatedParameter>& unknowns = objective.unknowns();
    const Eigen::Index n = unknowns.size();
    lower_.resize(n);
    upper_.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      lower_(i) = unknowns[i].lower;
      upper_(i) = unknowns[i].upper;
    }
    at_.x = clamped(vector_of(start));
  }

  LocalFit run() {
    if (!begin()) return fit_;
    switch (options_.kind) {
      case FlowKind::accelerated:
        explicit_steps(2);
        boxes();
        break;
      case FlowKind::stiff:
        implicit_steps();
        break;
      case FlowKind::runge_kutta:
        explicit_steps(std::numeric_limits<long>::max());
        break;
    }
    return finish();
  }

 private:
  Eigen::VectorXd clamped(const Eigen::VectorXd& x) const {
    return x.cwiseMax(lower_).cwiseMin(upper_);
  }

  bool begin() {
    const Evaluation e = counted_(list_of(at_.x), Need::fisher);
    fit_.start_value = e.ok() ? e.value : std::nan("");
    if (!e.ok()) {
      fit_.outcome = FitOutcome::failed;
      fit_.message = "the start cannot be evaluated: " + e.failure;
      fit_.x = fit_.start;
      return false;
    }
    last_ = e;
    at_.value = e.value;
    at_.gradient = vector_of(e.gradient);
    samples_.push_back(at_);
    tell();
    return true;
  }

  // The gradient at a point, remembered; false: it cannot be evaluated.
  bool look(const Eigen::VectorXd& x, FlowSample& sample, Need need = Need::gradient) {
    Evaluation e = counted_(list_of(x), need);
    if (!e.ok()) return false;
    sample.x = x;
    sample.value = e.value;
    sample.gradient = vector_of(e.gradient);
    last_ = std::move(e);
    samples_.push_back(sample);
    if (samples_.size() > 400) samples_.pop_front();
    return true;
  }

  void tell() const {
    if (options_.on_point) options_.on_point({tau_, list_of(at_.x), at_.value, fit_.gradients});
  }

  // Unknowns at a bound that the flow would leave through.
  std::vector<char> held(const FlowSample& s) const {
    std::vector<char> result(s.x.size());
    for (Eigen::Index i = 0; i < s.x.size(); ++i)
      result[i] =
          (s.x(i) <= lower_(i) && s.gradient(i) > 0) || (s.x(i) >= upper_(i) && s.gradient(i) < 0);
    return result;
  }

  Eigen::VectorXd rate(const FlowSample& s) const {
    Eigen::VectorXd r = -s.gradient;
    const std::vector<char> stays = held(s);
    for (Eigen::Index i = 0; i < r.size(); ++i)
      if (stays[i]) r(i) = 0;
    return r;
  }

  bool stop(const char* reason, FitOutcome outcome) {
    fit_.message = reason;
    fit_.outcome = outcome;
    return true;
  }

  bool over() {
    if (local_.interrupt && local_.interrupt->load())
      return stop("interrupted", FitOutcome::interrupted);
    if (fit_.gradients + fit_.values >= options_.max_gradients)
      return stop("the limit of gradient evaluations was reached", FitOutcome::iterations);
    if (tau_ >= options_.most_tau)
      return stop("the end of the flow's time", FitOutcome::iterations);
    return fit_.iterations >= local_.max_iterations * 20 &&
           stop("the limit of iterations was reached", FitOutcome::iterations);
  }

  // Little is left to gain: with the Fisher information of `last_`, which is at the point.
  bool arrived() {
    const Eigen::Index n = at_.x.size();
    if (last_.fisher.size() != n * n) return false;
    Eigen::MatrixXd f = Eigen::Map<const Eigen::MatrixXd>(last_.fisher.data(), n, n);
    const std::vector<char> stays = held(at_);
    Eigen::VectorXd g = at_.gradient;
    for (Eigen::Index i = 0; i < n; ++i)
      if (stays[i]) {
        g(i) = 0;
        f.row(i).setZero();
        f.col(i).setZero();
        f(i, i) = 1;
      }
    f.diagonal() *= 1 + 1e-12;
    const double gain = 0.5 * g.dot(SymmetricFactors(f).solve(g));
    const double small =
        std::max(local_.value_tolerance * value_unit(objective_, last_), 1e-15 * first_span());
    if (!(std::isfinite(gain) && gain <= small)) return false;
    return stop("the flow has come to rest", FitOutcome::converged);
  }

  double first_span() const {
    return objective_.unknown_noise() ? fit_.start_value : std::fabs(fit_.start_value - at_.value);
  }

  // The pair of Bogacki and Shampine, of order three.
  void explicit_steps(long most) {
    double h = first_step();
    FlowSample s2, s3, s4;
    for (long k = 0; k < most && !over();) {
      const Eigen::VectorXd k1 = rate(at_);
      if (k1.norm() == 0) {
        stop("the gradient vanishes", FitOutcome::converged);
        return;
      }
      h = std::min(h, options_.most_tau - tau_);
      ++fit_.iterations;
      bool sound = look(clamped(at_.x + 0.5 * h * k1), s2) &&
                   look(clamped(at_.x + 0.75 * h * rate(s2)), s3) &&
                   look(clamped(at_.x + h * (2 * k1 + 3 * rate(s2) + 4 * rate(s3)) / 9), s4,
                        most > 100 ? Need::fisher : Need::gradient);
      double size = INFINITY;
      if (sound) {
        const Eigen::VectorXd error =
            h * (-5 * k1 / 72 + rate(s2) / 12 + rate(s3) / 9 - rate(s4) / 8);
        size = error.cwiseQuotient(scale()).cwiseAbs().maxCoeff() / options_.rtol;
      }
      // Near the end the error test alone would let it swing about the minimum for ever.
      if (size <= 1 && s4.value > at_.value) size = 8;
      if (size <= 1) {
        tau_ += h;
        at_ = s4;
        tell();
        ++k;
        if (most > 100 && arrived()) return;
      } else if (h < 1e-14 * std::max(tau_, 1e-3)) {
        stop("the steps of the flow become too small", FitOutcome::stalled);
        return;
      }
      const double factor =
          std::isfinite(size) ? 0.85 * std::pow(std::max(size, 1e-9), -1.0 / 3) : 0.2;
      h *= std::clamp(factor, 0.1, 5.0);
    }
  }

  void implicit_steps() {
    FlowSample inside;
    Rosenbrock23 method(
        [&](const Eigen::VectorXd& x) -> Eigen::VectorXd {
          if (!look(clamped(x), inside, Need::fisher))
            return Eigen::VectorXd::Constant(x.size(), NAN);
          return rate(inside);
        },
        options_.rtol, options_.rtol * 1e-3);
    double h = first_step();
    Evaluation matrix = last_;
    while (!over()) {
      const Eigen::Index n = at_.x.size();
      h = std::min(h, options_.most_tau - tau_);
      ++fit_.iterations;
      Eigen::MatrixXd j = -Eigen::Map<const Eigen::MatrixXd>(matrix.fisher.data(), n, n);
      const std::vector<char> stays = held(at_);
      for (Eigen::Index i = 0; i < n; ++i)
        if (stays[i]) j.row(i).setZero();
      const Rosenbrock23::Step s = method.step(at_.x, rate(at_), j, h);
      if (s.accepted) {
        tau_ += s.taken;
        at_ = inside;  // the last that was looked at
        matrix = last_;
        tell();
        if (arrived()) return;
      } else if (h < 1e-14 * std::max(tau_, 1e-3)) {
        stop("the steps of the flow become too small", FitOutcome::stalled);
        return;
      }
      h = s.next;
    }
  }

  // What counts as a large change of each unknown.
  Eigen::VectorXd scale() const {
    Eigen::VectorXd s(at_.x.size());
    const std::vector<EstimatedParameter>& unknowns = objective_.unknowns();
    for (Eigen::Index i = 0; i < s.size(); ++i) {
      const EstimatedParameter& u = unknowns[i];
      const double width = std::isfinite(u.upper - u.lower) ? u.upper - u.lower : INFINITY;
      s(i) = u.scale == Scale::lin   ? std::max(std::fabs(at_.x(i)), 1e-6 * std::min(width, 1.0))
             : u.scale == Scale::log ? 1.0
                                     : 0.43;
      s(i) = std::min(s(i), 0.25 * width);
    }
    return s;
  }

  double first_step() const {
    const double speed = at_.gradient.cwiseQuotient(scale()).cwiseAbs().maxCoeff();
    return speed > 0 ? 0.01 / speed : 1;
  }

  // The second stage. A box lies mostly ahead of where the flow stands; it grows and shrinks by how
  // well the polynomial foresees the gradient where its flow ends.
  void boxes() {
    double size = 0.2;  // of scale()
    int tries = 0;
    const int n = static_cast<int>(at_.x.size());
    int degree = std::clamp(options_.degree, 1, 4);
    while (degree > 1 && Surrogate::coefficients(n, degree) > 40 * (n + 1)) --degree;
    while (!over()) {
      ++fit_.iterations;
      const Eigen::VectorXd r = rate(at_);
      if (r.norm() == 0) {
        stop("the gradient vanishes", FitOutcome::converged);
        return;
      }
      FlowBox box;
      box.radius = size * scale();
      const Eigen::VectorXd ahead = r.cwiseProduct(box.radius);
      box.centre = at_.x + 0.6 * box.radius.cwiseProduct(ahead) / ahead.cwiseAbs().maxCoeff();
      fill(box, degree);
      std::vector<const FlowSample*> near;
      for (const FlowSample& s : samples_)
        if (box.inside(s.x).cwiseAbs().maxCoeff() < 3) near.push_back(&s);
      const Surrogate surrogate(box, degree, near);
      const FlowStretch stretch =
          surrogate_flow(surrogate, box.inside(at_.x).cwiseMax(-1).cwiseMin(1), held(at_),
                         options_.most_tau - tau_);
      FlowSample end;
      const Eigen::VectorXd target = clamped(box.outside(stretch.u));
      if (!look(target, end, Need::fisher)) {
        size *= 0.4;
        if (++tries > 30) {
          stop("the model cannot be evaluated along the flow", FitOutcome::stalled);
          return;
        }
        continue;
      }
      const double error = misjudged(surrogate, box, end);
      if (error > 1 || end.value > at_.value) {
        if (end.value <= at_.value && error < 4) {
          advance(end, stretch.time);  // off the path a little, but down; the next box is smaller
          if (arrived()) return;
        }
        size *= 0.5;
        if (++tries > 40) {
          stop("polynomials do not foresee the gradient", FitOutcome::stalled);
          return;
        }
        continue;
      }
      tries = 0;
      advance(end, stretch.time);
      if (arrived()) return;
      if (stretch.end == FlowEnd::rest)
        size = std::min(
            size, 4 * (box.inside(at_.x) - box.inside(samples_.back().x)).norm() + 0.5 * size);
      else
        size = std::min(1.0, size * (error < 0.25 ? 2 : error < 0.6 ? 1.3 : 1));
    }
  }

  void advance(const FlowSample& end, double time) {
    at_ = end;
    tau_ += time;
    tell();
  }

  // Enough samples for the polynomial, those far from all others first.
  void fill(const FlowBox& box, int degree) {
    const int n = static_cast<int>(at_.x.size());
    const int wanted =
        static_cast<int>(std::ceil(1.0 * Surrogate::coefficients(n, degree) / (n + 1))) + 1;
    int have = 0;
    for (const FlowSample& s : samples_)
      if (box.inside(s.x).cwiseAbs().maxCoeff() <= 1.6) ++have;
    std::vector<Eigen::VectorXd> candidates{Eigen::VectorXd::Zero(n)};
    for (int i = 0; i < n; ++i)
      for (double side : {0.8, -0.8}) {
        Eigen::VectorXd u = Eigen::VectorXd::Zero(n);
        u(i) = side;
        candidates.push_back(u);
        // And a corner, so that mixed terms are seen.
        for (int j = 0; j < n; ++j) u(j) = ((i + 1) >> (j % 8)) & 1 ? 0.6 * side : -0.6 * side;
        candidates.push_back(u);
      }
    while (have < wanted && !candidates.empty()) {
      std::size_t best = 0;
      double most = -1;
      for (std::size_t c = 0; c < candidates.size(); ++c) {
        double nearest = INFINITY;
        for (const FlowSample& s : samples_)
          nearest = std::min(nearest, (box.inside(s.x) - candidates[c]).norm());
        if (nearest > most) most = nearest, best = c;
      }
      const Eigen::VectorXd x = clamped(box.outside(candidates[best]));
      candidates.erase(candidates.begin() + best);
      FlowSample s;
      if (look(x, s)) ++have;
    }
  }

  // The error of the polynomial's gradient at the end, in units of what is allowed: a share of the
  // box by the curvature, or of the gradient, whichever is more, along each axis.
  double misjudged(const Surrogate& surrogate, const FlowBox& box, const FlowSample& end) const {
    const Eigen::VectorXd u = box.inside(end.x);
    const Eigen::VectorXd truth = end.gradient.cwiseProduct(box.radius);
    const Eigen::VectorXd begin = at_.gradient.cwiseProduct(box.radius);
    const SymmetricEigen eigen(surrogate.hessian(u));
    const Eigen::VectorXd error =
        eigen.eigenvectors().transpose() * (surrogate.gradient(u) - truth);
    const Eigen::VectorXd size = eigen.eigenvectors().transpose() * truth;
    const Eigen::VectorXd size0 = eigen.eigenvectors().transpose() * begin;
    double worst = 0;
    for (Eigen::Index i = 0; i < error.size(); ++i) {
      const double allowed = options_.missed * std::max({std::fabs(eigen.eigenvalues()(i)),
                                                         std::fabs(size(i)), std::fabs(size0(i))});
      worst = std::max(worst, std::fabs(error(i)) / std::max(allowed, 1e-300));
    }
    return worst;
  }

  LocalFit finish() {
    fit_.x = list_of(at_.x);
    fit_.at = counted_(fit_.x, Need::fisher);
    if (!fit_.at.ok()) {
      fit_.outcome = FitOutcome::failed;
      fit_.message = fit_.at.failure;
    }
    fit_.insensitive = insensitive_unknowns(objective_, fit_.at);
    return std::move(fit_);
  }

  const Objective& objective_;
  const LocalOptions& local_;
  const FlowOptions& options_;
  LocalFit fit_;
  CountedObjective counted_;
  Eigen::VectorXd lower_, upper_;
  FlowSample at_;
  Evaluation last_;
  std::deque<FlowSample> samples_;
  double tau_ = 0;
};

}  // namespace

LocalFit fit_gradient_flow(const Objective& objective, std::span<const double> start,
                           const LocalOptions& local, const FlowOptions& options) {
  return Flow(objective, start, local, options).run();
}

}  // namespace stiffit::internal
