// What chains learn during the warm-up: scale, covariance, and states to draw proposals from.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "estimation/uncertainty/sampling/sampler.h"

namespace stiffit::internal {

namespace {

constexpr double no_value = std::numeric_limits<double>::infinity();

}  // namespace

// During the warm-up the scale follows the acceptance, and the covariance is taken anew at the end
// of ever longer windows from the draws of the last one.
void Sampler::adapt(std::size_t index, double accepted, double tried) {
  Level& level = levels_[index];
  if (warm()) {
    level.moved += accepted;
    level.tried += tried;
    return;
  }
  const double aim = options_.kind == SamplerKind::langevin ? 0.57 : n_ == 1 ? 0.44 : 0.25;
  const double weight = std::min(0.5, 5 / std::pow(static_cast<double>(iteration_ + 1), 0.6));
  if (tried > 0) level.scale *= std::exp(weight * (accepted / tried - aim));
  if (options_.kind == SamplerKind::langevin) {
    level.scale = std::min(level.scale, 2.0);
    return;
  }
  for (std::size_t chain = 0; chain < static_cast<std::size_t>(options_.chains); ++chain)
    note_moments(level, walker(index, chain).x);
  note_archive(index);
  const long w = options_.warmup;
  for (long end : {w / 16, w / 8, w / 4, w / 2, w - w / 8})
    if (iteration_ + 1 == end) take_moments(level, 5.0 * static_cast<double>(n_) + 10);
  if (index + 1 < levels_.size()) return;
  for (long part : {2, 4, 7, 10, 14})
    if (iteration_ + 1 == w * part / 16) fit_mixtures();
  for (long end : {w / 16, w / 8, w / 4, w / 2})
    if (iteration_ + 1 == end) bring_back_strays();
}

// From the second window on, and the first ones are left again.
void Sampler::note_archive(std::size_t index) {
  const long w = options_.warmup, begin = w / 16, end = w - w / 8;
  std::vector<std::vector<double>>& archive = levels_[index].archive;
  const long every = std::max(1L, (end - begin) / static_cast<long>(2 * archive_size));
  if (iteration_ < begin || iteration_ >= end || (iteration_ - begin) % every != 0) return;
  const std::size_t chains = options_.chains;
  for (std::size_t chain = 0; chain < chains; ++chain) archive.push_back(walker(index, chain).x);
  if (archive.size() > archive_size * chains)
    archive.erase(archive.begin(), archive.begin() + chains);
}

Mixture Sampler::fit_mixture(std::size_t index) const {
  constexpr std::size_t most_points = 1000;
  constexpr int most_parts = 10;
  constexpr double worth = 0.25;
  const std::vector<std::vector<double>>& archive = levels_[index].archive;
  const std::size_t every = archive.size() / most_points + 1;
  std::vector<double> states;  // of all chains, at some of the times
  for (std::size_t k = 0; k < archive.size(); ++k)
    if (k / options_.chains % every == 0)
      states.insert(states.end(), archive[k].begin(), archive[k].end());
  const Eigen::Index n = width_.size();
  const Eigen::Map<const Eigen::MatrixXd> points(states.data(), n,
                                                 static_cast<Eigen::Index>(states.size()) / n);
  return fitted_mixture(points, most_parts, worth,
                        stream_of(static_cast<std::uint64_t>(iteration_), 200 + index));
}

// Half of it is learnt from the states of the next warmer level: what they know of the outskirts
// keeps a chain from being held in a place that its own states have hardly been to.
void Sampler::fit_mixtures() {
  if (n_ > few_unknowns) return;
  std::vector<Mixture> own;
  for (std::size_t index = 0; index < levels_.size(); ++index) own.push_back(fit_mixture(index));
  for (std::size_t index = 0; index < levels_.size(); ++index)
    levels_[index].mixture =
        index + 1 < levels_.size() ? joined(own[index], own[index + 1]) : own[index];
}

// Chains that a wide start has led into a hollow of no weight would stay there for ever: during the
// warm-up they go on from where another one is.
void Sampler::bring_back_strays() {
  const std::size_t chains = options_.chains;
  const double n = static_cast<double>(n_);
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    double lowest = no_value;
    for (std::size_t chain = 0; chain < chains; ++chain)
      lowest = std::min(lowest, walker(level, chain).u);
    std::vector<std::size_t> sound;
    const double limit = lowest + (n + 6 * std::sqrt(n) + 10) / coldness_[level];
    for (std::size_t chain = 0; chain < chains; ++chain)
      if (walker(level, chain).u <= limit) sound.push_back(chain);
    SplitMix random = stream_of(static_cast<std::uint64_t>(iteration_), 50 + level);
    for (std::size_t chain = 0; chain < chains; ++chain)
      if (walker(level, chain).u > limit)
        walker(level, chain) = walker(level, sound[random.below(static_cast<int>(sound.size()))]);
  }
}

void Sampler::note_moments(Level& level, const std::vector<double>& draw) const {
  const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(draw.data(), width_.size());
  level.seen += 1;
  const Eigen::VectorXd d = x - level.mean;
  level.mean += d / level.seen;
  level.squares += d * (x - level.mean).transpose();
}

// Draws in a row are nearly the same: their covariance counts for less than their number.
void Sampler::take_moments(Level& level, double draws_for_one) {
  const double worth = level.seen / draws_for_one;
  const double before = static_cast<double>(n_);
  const Eigen::MatrixXd own = level.squares / std::max(1.0, level.seen - 1);
  level.covariance =
      (worth * 0.5 * (own + own.transpose()) + before * level.covariance) / (worth + before);
  factorise(level);
  level.seen = 0;
  level.mean.setZero();
  level.squares.setZero();
}

void Sampler::begin_again() {
  ++round_;
  options_.warmup = iteration_;
  options_.thin *= 2;
  for (std::size_t index = 0; index < levels_.size(); ++index) {
    Level& level = levels_[index];
    level.moved = level.tried = level.swapped = level.swap_tried = 0;
    if (options_.kind == SamplerKind::langevin) continue;
    level.archive.clear();
    if (index == 0)
      learn_from_draws(level);
    else
      for (std::vector<double>& x : level.later) {
        note_moments(level, x);
        level.archive.push_back(std::move(x));
      }
    level.later.clear();
    level.every = 1;
    take_moments(level, 5);
  }
  if (options_.kind != SamplerKind::langevin) fit_mixtures();
  for (std::size_t chain = 0; chain < draws_.size(); ++chain)
    draws_[chain].clear(), potentials_[chain].clear();
  kept_ = 0;
}

void Sampler::learn_from_draws(Level& cold) const {
  const std::size_t kept = kept_;
  const std::size_t every = std::max<std::size_t>(1, kept / archive_size);
  for (std::size_t k = 0; k < kept; ++k)
    for (const std::vector<std::vector<double>>& chain : draws_) {
      note_moments(cold, chain[k]);
      if (k % every == 0) cold.archive.push_back(chain[k]);
    }
}

}  // namespace stiffit::internal
