// SPDX-License-Identifier: Apache-2.0
#include "sensitivity/bdf_tangents.h"

#include <algorithm>
#include <cmath>

namespace stiffit {

BdfTangents::BdfTangents(const SensitivityProblem& problem, std::span<const Direction> directions,
                         LinearisedStep& derivatives)
    : Tangents(problem, directions),
      derivatives_(derivatives),
      by_state_(problem.kernels.state.nonzeros()),
      by_parameter_(problem.kernels.parameter.nonzeros()),
      e_(s_.size()) {
  for (auto& a : past_) a = AlignedArray(s_.size());
  for (auto& a : predicted_) a = AlignedArray(s_.size());
}

void BdfTangents::evaluate(double t, const double* y) {
  derivatives_.differentiate(t, y, by_state_.data(), by_parameter_.data());
}

void BdfTangents::slope(const double* s, AlignedArray& out) {
  const SparseRows& rows = problem_.kernels.state;
  for (std::size_t chunk = 0; chunk < chunks_; ++chunk) {
    const Forcing& forcing = forcing_[chunk];
    const double* from = s + chunk * size_;
    for (std::size_t i = 0; i < n_; ++i) {
      double* to = out.data() + chunk * size_ + i * lanes_;
      std::fill_n(to, lanes_, 0.0);
      auto add = [&](double factor, const double* x) {
        for (std::size_t l = 0; l < lanes_; ++l) to[l] += factor * x[l];
      };
      for (int e = rows.row_start[i]; e < rows.row_start[i + 1]; ++e) {
        const auto at = static_cast<std::size_t>(e);
        add(by_state_[at], from + static_cast<std::size_t>(rows.column[at]) * lanes_);
      }
      for (int e = forcing.row_start[i]; e < forcing.row_start[i + 1]; ++e) {
        const auto at = static_cast<std::size_t>(e);
        add(by_parameter_[static_cast<std::size_t>(forcing.entry[at])],
            forcing.shifts.data() + static_cast<std::size_t>(forcing.shift[at]) * lanes_);
      }
    }
  }
}

void BdfTangents::begin_again() {
  order_ = 1;
  evaluate(group_->t[0], group_->y.data());
  slope(s_.data(), past_[1]);
}

void BdfTangents::tried(const Step& step) {
  order_ = step.order;
  h_ = step.h;
  ratio_ = step.ratio;
  std::copy_n(step.lambda, order_ + 1, lambda_);
  error_ = step.error;
  strictness_ = step.strictness;
}

bool BdfTangents::step() {
  const std::size_t size = s_.size();
  double power = 1;
  for (int j = 0; j <= order_; ++j, power *= ratio_) {
    const double* from = j ? past_[j].data() : s_.data();
    for (std::size_t i = 0; i < size; ++i) predicted_[j][i] = power * from[i];
  }
  for (int k = 1; k <= order_; ++k)
    for (int j = order_; j >= k; --j)
      for (std::size_t i = 0; i < size; ++i) predicted_[j - 1][i] += predicted_[j][i];
  evaluate(group_->t[0] + h_, group_->y_new.data());
  for (std::size_t k = 0; k < problem_.place.size(); ++k)
    std::fill_n(jacobian_.data() + k * lanes_, lanes_,
                by_state_[static_cast<std::size_t>(problem_.place[k])]);
  std::fill_n(diagonal_.data(), lanes_, lambda_[1] / h_);
  if (solver_->factor(diagonal_.data(), jacobian_.data())) return false;
  slope(predicted_[0].data(), e_);
  for (std::size_t i = 0; i < size; ++i) e_[i] -= predicted_[1][i] / h_;
  for (std::size_t chunk = 0; chunk < chunks_; ++chunk) solver_->solve(e_.data() + chunk * size_);
  for (std::size_t i = 0; i < size; ++i) s_new_[i] = predicted_[0][i] + e_[i];
  return true;
}

void BdfTangents::accept() {
  s_.swap(s_new_);
  for (int j = 1; j <= order_; ++j)
    for (std::size_t i = 0; i < s_.size(); ++i) past_[j][i] = predicted_[j][i] + lambda_[j] * e_[i];
}

void BdfTangents::change_order(bool up, int top, const double* shape, double factor) {
  const AlignedArray& source = up ? e_ : past_[top];
  for (int j = 2; j < (up ? top + 1 : top); ++j) {
    const double by = shape[j] * factor;
    for (std::size_t i = 0; i < s_.size(); ++i)
      past_[j][i] = (up && j == top ? 0 : past_[j][i]) + by * source[i];
  }
}

void BdfTangents::interpolate(double theta, AlignedArray& out) const {
  const double x = theta - 1;
  double lambda = lambda_[order_];
  for (int j = order_ - 1; j >= 0; --j) lambda = lambda * x + lambda_[j];
  for (std::size_t i = 0; i < s_.size(); ++i) {
    double sum = predicted_[order_][i];
    for (int j = order_ - 1; j >= 0; --j) sum = sum * x + predicted_[j][i];
    out[i] = sum + lambda * e_[i];
  }
}

void BdfTangents::write(double theta, double* out) {
  interpolate(theta, rest_);
  write_chunked(rest_.data(), out);
}

void BdfTangents::land(double theta) {
  interpolate(theta, rest_);
  s_.swap(rest_);
}

double BdfTangents::error(const Tolerance& tolerance, std::span<const double> sizes) {
  double worst = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(directions_); ++d) {
    double sum = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      const std::size_t at = d / lanes_ * size_ + i * lanes_ + d % lanes_;
      const double size = std::fmax(std::fabs(s_[at]), std::fabs(s_new_[at]));
      largest_[at] = std::fmax(largest_[at], size);
      const double allowed =
          tolerance.rtol / strictness_ * (size + tolerance.floor * largest_[at]) +
          tolerance.absolute[i] / sizes[d] + 1e-300;
      sum += (e_[at] / allowed) * (e_[at] / allowed);
    }
    const double norm = n_ ? error_ * std::sqrt(sum / static_cast<double>(n_)) : 0;
    if (!(norm <= worst)) worst = norm;
  }
  return worst;
}

}  // namespace stiffit
