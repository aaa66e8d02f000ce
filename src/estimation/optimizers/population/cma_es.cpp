// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/population/cma_es.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/normal_draw.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {

CmaEs::CmaEs(const std::vector<EstimatedParameter>& unknowns, SearchOptions options)
    : unknowns_(unknowns), options_(std::move(options)) {
  const auto n = static_cast<Eigen::Index>(unknowns_.size());
  scale_.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    scale_(i) = std::max((options_.to[k] - options_.from[k]) / 3, 1e-300);
  }
  // A multiple of the lanes costs no more than the customary few.
  size_ = options_.offspring > 0
              ? std::max(options_.offspring, 4)
              : std::max(16, 8 * ((4 + static_cast<int>(3 * std::log(double(n))) + 7) / 8));
  begin();
}

void CmaEs::choose_weights() {
  const double n = static_cast<double>(unknowns_.size());
  const int mu = options_.parents > 0 ? std::min(options_.parents, size_) : size_ / 2;
  weights_.resize(mu);
  for (int i = 0; i < mu; ++i)
    weights_(i) = std::max(1e-12, std::log((size_ + 1) / 2.0) - std::log(i + 1.0));
  weights_ /= weights_.sum();
  mueff_ = 1 / weights_.squaredNorm();
  cc_ = (4 + mueff_ / n) / (n + 4 + 2 * mueff_ / n);
  cs_ = (mueff_ + 2) / (n + mueff_ + 5);
  c1_ = 2 / ((n + 1.3) * (n + 1.3) + mueff_);
  cmu_ = std::min(1 - c1_, 2 * (mueff_ - 2 + 1 / mueff_) / ((n + 2) * (n + 2) + mueff_));
  cmu_ = std::max(cmu_, 0.0);
  damps_ = 1 + 2 * std::max(0.0, std::sqrt((mueff_ - 1) / (n + 1)) - 1) + cs_;
  chi_ = std::sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
}

void CmaEs::begin() {
  const auto n = scale_.size();
  choose_weights();
  mean_.resize(n);
  SplitMix random = stream(~options_.seed, static_cast<std::uint64_t>(restarts_));
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto k = static_cast<std::size_t>(i);
    const double share = restarts_ == 0 ? 0.5 : random.unit();
    mean_(i) = (options_.from[k] + share * (options_.to[k] - options_.from[k])) / scale_(i);
  }
  path_c_ = path_s_ = Eigen::VectorXd::Zero(n);
  covariance_ = Eigen::MatrixXd::Identity(n, n);
  sigma_ = 1;
  recent_.clear();
  spread_.clear();
  begun_ = generation_;
}

Points CmaEs::ask() {
  const auto n = scale_.size();
  if (generation_ > begun_ && settled(unit_) && restarts_ < options_.restarts) {
    ++restarts_;
    size_ *= 2;
    begin();
  }
  const SymmetricEigen eigen(covariance_);
  axes_ = eigen.eigenvectors();
  lengths_ = eigen.eigenvalues().cwiseMax(1e-30).cwiseSqrt();
  SplitMix random = stream(options_.seed, static_cast<std::uint64_t>(generation_));
  Points points(static_cast<std::size_t>(size_), std::vector<double>(unknowns_.size()));
  drawn_.clear();
  for (std::vector<double>& point : points) {
    Eigen::VectorXd z(n);
    for (Eigen::Index i = 0; i < n; ++i) z(i) = normal_draw(random);
    drawn_.push_back(axes_ * lengths_.cwiseProduct(z));
    const Eigen::VectorXd x = mean_ + sigma_ * drawn_.back();
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      point[k] = reflected(x(i) * scale_(i), unknowns_[k].lower, unknowns_[k].upper);
    }
  }
  return points;
}

void CmaEs::tell(const Points& points, const std::vector<double>& values) {
  const double n = static_cast<double>(unknowns_.size());
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  Eigen::VectorXd step = Eigen::VectorXd::Zero(mean_.size());
  for (Eigen::Index i = 0; i < weights_.size(); ++i)
    step += weights_(i) * drawn_[order[static_cast<std::size_t>(i)]];
  mean_ += sigma_ * step;
  path_s_ = (1 - cs_) * path_s_ + std::sqrt(cs_ * (2 - cs_) * mueff_) *
                                      (axes_ * (axes_.transpose() * step).cwiseQuotient(lengths_));
  ++generation_;
  const double aged = 1 - std::pow(1 - cs_, 2.0 * static_cast<double>(generation_ - begun_));
  const bool held = path_s_.norm() / std::sqrt(aged) >= (1.4 + 2 / (n + 1)) * chi_;
  path_c_ *= 1 - cc_;
  if (!held) path_c_ += std::sqrt(cc_ * (2 - cc_) * mueff_) * step;
  const double kept = held ? c1_ * cc_ * (2 - cc_) : 0;
  covariance_ *= 1 - c1_ - cmu_ + kept;
  covariance_ += c1_ * path_c_ * path_c_.transpose();
  for (Eigen::Index i = 0; i < weights_.size(); ++i) {
    const Eigen::VectorXd& y = drawn_[order[static_cast<std::size_t>(i)]];
    covariance_ += cmu_ * weights_(i) * y * y.transpose();
  }
  sigma_ *= std::exp(std::min(1.0, cs_ / damps_ * (path_s_.norm() / chi_ - 1)));
  recent_.push_back(values[order.front()]);
  const auto window = static_cast<std::size_t>(10 + 30 * n / size_);
  if (recent_.size() > window) recent_.erase(recent_.begin());
  spread_ = {values[order.front()], values[order[static_cast<std::size_t>(weights_.size() - 1)]]};
}

bool CmaEs::settled(double unit) const {
  const auto window =
      static_cast<std::size_t>(10 + 30 * static_cast<double>(unknowns_.size()) / size_);
  if (spread_.empty()) return false;
  const Eigen::VectorXd reach = sigma_ * covariance_.diagonal().cwiseSqrt();
  if (!(reach.maxCoeff() > 1e-12) || !std::isfinite(sigma_)) return true;
  if (recent_.size() < window) return false;
  const auto [low, high] = std::minmax_element(recent_.begin(), recent_.end());
  return std::isfinite(*high) && *high - *low < 1e-9 * unit &&
         spread_[1] - spread_[0] < 1e-9 * unit;
}

bool CmaEs::at_rest(double unit) {
  unit_ = unit;
  return settled(unit) && restarts_ >= options_.restarts;
}

void CmaEs::save(RecordWriter& out) const {
  for (std::int64_t whole : {generation_, begun_, std::int64_t{restarts_}, std::int64_t{size_}})
    out.whole(whole);
  auto put = [&](const auto& m) {
    out.numbers(std::vector<double>(m.data(), m.data() + m.size()));
  };
  put(mean_);
  put(path_c_);
  put(path_s_);
  put(covariance_);
  out.number(sigma_);
  out.number(unit_);
  out.numbers(recent_);
  out.numbers(spread_);
}

void CmaEs::restore(RecordReader& from) {
  generation_ = from.whole();
  begun_ = from.whole();
  restarts_ = static_cast<int>(from.whole());
  size_ = static_cast<int>(from.whole());
  choose_weights();
  auto take = [&](auto& m) {
    const std::vector<double> values = from.numbers();
    if (static_cast<Eigen::Index>(values.size()) != m.size())
      throw BadRecord("another problem's population");
    std::copy(values.begin(), values.end(), m.data());
  };
  take(mean_);
  take(path_c_);
  take(path_s_);
  take(covariance_);
  sigma_ = from.number();
  unit_ = from.number();
  recent_ = from.numbers();
  spread_ = from.numbers();
}

}  // namespace stiffit::internal
