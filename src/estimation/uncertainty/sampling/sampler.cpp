// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/sampling/sampler.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/diagnostic.h"
#include "base/normal_draw.h"
#include "base/reflected.h"
#include "base/threads.h"
#include "estimation/optimizers/local_fit.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

constexpr long at_once = 20;  // iterations of one advance
constexpr double no_value = std::numeric_limits<double>::infinity();

Eigen::MatrixXd factor_of(const Eigen::MatrixXd& matrix) {
  const Cholesky cholesky(matrix);
  if (cholesky.positive_definite()) return cholesky.lower();
  // Rounding: what is not positive is made so.
  const SymmetricEigen eigen(matrix);
  const double floor = 1e-14 * eigen.eigenvalues().cwiseAbs().maxCoeff() + 1e-300;
  const Eigen::VectorXd lengths = eigen.eigenvalues().cwiseMax(floor).cwiseSqrt();
  return eigen.eigenvectors() * lengths.asDiagonal();
}

Eigen::VectorXd widths_of(const Objective& objective) {
  const std::vector<EstimatedParameter>& unknowns = objective.unknowns();
  Eigen::VectorXd width(static_cast<Eigen::Index>(unknowns.size()));
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    const double own = unknowns[i].upper - unknowns[i].lower;
    width(i) = std::isfinite(own) ? own
               : std::isfinite(unknowns[i].start)
                   ? 100 * std::max(1.0, std::fabs(unknowns[i].start))
                   : 100;
  }
  return width;
}

}  // namespace

double potential(const Objective& objective, const Evaluation& e) {
  if (!e.ok()) return no_value;
  const double u =
      objective.unknown_noise() ? 0.5 * objective.data_count() * std::log(e.chi2) : e.value;
  return std::isfinite(u) ? u : no_value;
}

Eigen::MatrixXd first_covariance(const Objective& objective, const Evaluation& at) {
  const Eigen::VectorXd width = widths_of(objective);
  const Eigen::Index n = width.size();
  Eigen::MatrixXd information = Eigen::MatrixXd::Zero(n, n);
  if (at.fisher.size() == n * n)
    information =
        Eigen::Map<const Eigen::MatrixXd>(at.fisher.data(), n, n) / value_unit(objective, at);
  // A uniform distribution between the bounds has the variance width^2/12.
  information.diagonal() += 12 * width.cwiseAbs2().cwiseInverse();
  return inverse(information);
}

Sampler::Sampler(const Objective& objective, std::vector<std::vector<double>> places,
                 const Eigen::MatrixXd& covariance, SamplerOptions options)
    : objective_(objective),
      options_(options),
      places_(std::move(places)),
      n_(objective.unknowns().size()),
      width_(widths_of(objective)) {
  const long n = n_;
  options_.chains = std::max(options_.chains, 2);
  if (options_.kind == SamplerKind::adaptive)
    options_.temperatures = options_.temperatures != 1 && n_ <= few_unknowns ? 2 : 1;
  if (options_.kind == SamplerKind::langevin) options_.temperatures = 1;
  if (options_.warmup <= 0)
    options_.warmup = options_.kind == SamplerKind::langevin ? 200 + 20 * n : 2000 + 300 * n;
  if (options_.thin <= 0)
    options_.thin = options_.kind == SamplerKind::langevin ? 1 : std::max(2L, n);
  // So far apart that neighbours exchange about every third time, whatever the number of unknowns.
  const double ratio = 1 / (1 + 1.2 * std::sqrt(2.0 / static_cast<double>(n)));
  for (int k = 0; k < std::max(1, options_.temperatures); ++k)
    coldness_.push_back(k == 0 ? 1 : coldness_.back() * ratio);
  levels_.resize(coldness_.size());
  const double step = options_.kind == SamplerKind::langevin
                          ? 1.0
                          : 2.38 / std::sqrt(static_cast<double>(std::max(1L, n)));
  for (std::size_t k = 0; k < levels_.size(); ++k) {
    levels_[k].covariance = covariance / coldness_[k];
    levels_[k].scale = step;
    levels_[k].mean = Eigen::VectorXd::Zero(width_.size());
    levels_[k].squares = Eigen::MatrixXd::Zero(width_.size(), width_.size());
    factorise(levels_[k]);
  }
  draws_.resize(options_.chains);
  potentials_.resize(draws_.size());
}

// Streams of one iteration do not meet those of another.
SplitMix Sampler::stream_of(std::uint64_t iteration, std::uint64_t purpose) const {
  return stream(options_.seed + 0x632BE59BD9B4E019u * purpose, iteration);
}

void Sampler::factorise(Level& level) const { level.factor = factor_of(level.covariance); }

double Sampler::value_of(const Evaluation& e) {
  ++evaluations_;
  const double u = potential(objective_, e);
  if (!std::isfinite(u)) ++failures_;
  return u;
}

// Wider apart than the distribution is thought to be, so that chains that agree at the end have
// something to agree about. A place that cannot be evaluated is drawn again, nearer.
void Sampler::begin() {
  const std::vector<EstimatedParameter>& unknowns = objective_.unknowns();
  std::vector<Walker> found(size());
  std::vector<std::size_t> missing;
  for (std::size_t k = 0; k < found.size(); ++k) missing.push_back(k);
  double reach = 2, lowest = no_value;
  for (const Evaluation& e : objective_.values(places_, options_.threads))
    lowest = std::min(lowest, potential(objective_, e));
  // What draws of twice the width give where the guess is right, and some more.
  const double reserve = 2.5 * static_cast<double>(n_) + 10;
  const std::size_t chains = options_.chains;
  for (int round = 0; round < 12 && !missing.empty(); ++round, reach *= 0.5) {
    std::vector<std::vector<double>> points;
    for (std::size_t k : missing) {
      const std::size_t chain = k % options_.chains;
      const std::size_t level = k / options_.chains;
      SplitMix random = stream_of(k, 100 + static_cast<std::uint64_t>(round));
      Eigen::VectorXd z(width_.size());
      for (double& x : z) x = normal_draw(random);
      z = levels_[level].factor * z * (round == 11 ? 0 : reach);
      std::vector<double> point = places_[chain % places_.size()];
      for (std::size_t i = 0; i < n_; ++i)
        point[i] = reflected(point[i] + z(i), unknowns[i].lower, unknowns[i].upper);
      points.push_back(std::move(point));
    }
    const std::vector<Evaluation> values = objective_.values(points, options_.threads);
    std::vector<std::size_t> still;
    for (std::size_t i = 0; i < missing.size(); ++i) {
      Walker& w = found[missing[i]];
      w.x = points[i];
      w.u = value_of(values[i]);
      const double allowed = round < 11 && std::isfinite(lowest)
                                 ? lowest + reserve / coldness_[missing[i] / chains]
                                 : no_value;
      if (!std::isfinite(w.u) || w.u > allowed) still.push_back(missing[i]);
    }
    missing = std::move(still);
  }
  if (options_.interrupt && options_.interrupt->load()) return;
  if (!missing.empty())
    throw InputError(
        "error: the model cannot be evaluated at the point that the ensemble is to "
        "begin at");
  walkers_ = std::move(found);
  if (options_.kind == SamplerKind::adaptive && levels_.size() > 1) explore();
  if (options_.kind == SamplerKind::langevin)
    for (Walker& w : walkers_) {
      const Evaluation e = objective_.evaluate(w.x, Need::fisher);
      w.u = value_of(e);
      if (!std::isfinite(w.u))
        throw InputError("error: no derivatives where the ensemble is to begin: " + e.failure +
                         "\n  --sampler adaptive does without them");
      set_metric(w, e);
    }
}

long Sampler::iterations_for(long samples) const {
  const long chains = options_.chains;
  return options_.warmup + (samples + chains - 1) / chains * options_.thin;
}

bool Sampler::advance() {
  auto interrupted = [&] { return options_.interrupt && options_.interrupt->load(); };
  if (walkers_.empty()) begin();
  if (interrupted()) {
    if (iteration_ == 0) walkers_.clear(), evaluations_ = failures_ = 0;  // begun anew
    return false;
  }
  // What is interrupted has not happened.
  const auto before = std::tuple(iteration_, kept_, evaluations_, failures_, walkers_, levels_);
  for (long k = 0; k < at_once; ++k) {
    const auto number = static_cast<std::uint64_t>(iteration_);
    if (options_.kind == SamplerKind::langevin)
      langevin(number);
    else
      random_walk(number);
    if (levels_.size() > 1) exchange(number);
    if (interrupted()) {
      std::tie(iteration_, kept_, evaluations_, failures_, walkers_, levels_) = before;
      for (std::size_t c = 0; c < draws_.size(); ++c) {
        draws_[c].resize(kept_);
        potentials_[c].resize(kept_);
      }
      return false;
    }
    ++iteration_;
    if (warm() && (iteration_ - options_.warmup) % options_.thin == 0) keep();
  }
  return true;
}

void Sampler::random_walk(std::uint64_t iteration) {
  std::vector<std::vector<double>> points(size()), inside;
  std::vector<SplitMix> random;
  std::vector<Step> steps;
  for (std::size_t k = 0; k < size(); ++k) {
    random.push_back(stream_of(iteration, k + 1000));
    steps.push_back(propose(k, random[k], points[k]));
    if (!points[k].empty()) inside.push_back(points[k]);
  }
  std::vector<Evaluation> values(size());
  std::size_t next = 0;
  if (!inside.empty()) {
    std::vector<Evaluation> evaluated = objective_.values(inside, options_.threads);
    for (std::size_t k = 0; k < size(); ++k)
      if (!points[k].empty()) values[k] = std::move(evaluated[next++]);
  }
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    double accepted = 0, tried = 0;
    for (std::size_t chain = 0; chain < static_cast<std::size_t>(options_.chains); ++chain) {
      const std::size_t k = level * options_.chains + chain;
      const double u = points[k].empty() ? no_value : value_of(values[k]);
      const double gain = coldness_[level] * (walkers_[k].u - u) + steps[k].log_way_back;
      const double chance = std::isfinite(u) ? std::exp(std::min(0.0, gain)) : 0;
      if (steps[k].usual) accepted += chance, tried += 1;
      if (random[k].unit() >= chance) continue;
      walkers_[k].x = points[k];
      walkers_[k].u = u;
    }
    adapt(level, accepted, tried);
  }
}

void Sampler::set_metric(Walker& w, const Evaluation& e) const {
  const Eigen::Index n = width_.size();
  const double unit =
      objective_.unknown_noise() ? e.chi2 / std::max(1, objective_.data_count()) : 1;
  Eigen::MatrixXd metric = Eigen::Map<const Eigen::MatrixXd>(e.fisher.data(), n, n) / unit;
  metric.diagonal() += 12 * width_.cwiseAbs2().cwiseInverse();
  Cholesky cholesky(metric);
  for (double more = 1e-12; !cholesky.positive_definite() && more < 1; more *= 100) {
    metric.diagonal() *= 1 + more;
    cholesky = Cholesky(metric);
  }
  w.factor = cholesky.lower();
  const Eigen::VectorXd gradient = Eigen::Map<const Eigen::VectorXd>(e.gradient.data(), n) / unit;
  w.drift = -0.5 * SymmetricFactors(metric).solve(gradient);
}

void Sampler::langevin(std::uint64_t iteration) {
  const std::vector<EstimatedParameter>& unknowns = objective_.unknowns();
  Level& level = levels_.front();
  const double step = level.scale;
  std::vector<Walker> proposed(size());
  std::vector<SplitMix> random;
  std::vector<char> inside(size(), 1);
  std::vector<Evaluation> evaluations(size());
  const Eigen::Index n = width_.size();
  // Half the squared length of the draw that leads from one to the other, and the metric's volume.
  auto log_density = [&](const Walker& from, const Walker& to) {
    const Eigen::VectorXd d = Eigen::Map<const Eigen::VectorXd>(to.x.data(), n) -
                              Eigen::Map<const Eigen::VectorXd>(from.x.data(), n) -
                              step * step * from.drift;
    return from.factor.diagonal().array().abs().log().sum() -
           0.5 * (from.factor.transpose() * d).squaredNorm() / (step * step);
  };
  for (std::size_t k = 0; k < size(); ++k) {
    random.push_back(stream_of(iteration, k + 1000));
    Eigen::VectorXd z(n);
    for (double& x : z) x = normal_draw(random[k]);
    const Walker& w = walkers_[k];
    const Eigen::VectorXd d =
        step * step * w.drift +
        step * w.factor.transpose().template triangularView<Eigen::Upper>().solve(z);
    proposed[k].x = w.x;
    for (std::size_t i = 0; i < n_; ++i) {
      proposed[k].x[i] += d(i);
      inside[k] &= proposed[k].x[i] >= unknowns[i].lower && proposed[k].x[i] <= unknowns[i].upper;
    }
  }
  for_each_index(size(), options_.threads, [&](std::size_t k) {
    if (inside[k]) evaluations[k] = objective_.evaluate(proposed[k].x, Need::fisher);
  });
  double accepted = 0;
  for (std::size_t k = 0; k < size(); ++k) {
    double chance = 0;
    if (inside[k]) {
      proposed[k].u = value_of(evaluations[k]);
      if (std::isfinite(proposed[k].u)) {
        set_metric(proposed[k], evaluations[k]);
        const double log_chance = walkers_[k].u - proposed[k].u +
                                  log_density(proposed[k], walkers_[k]) -
                                  log_density(walkers_[k], proposed[k]);
        chance = std::isfinite(log_chance) ? std::exp(std::min(0.0, log_chance)) : 0;
      }
    }
    accepted += chance;
    if (random[k].unit() < chance) walkers_[k] = std::move(proposed[k]);
  }
  adapt(0, accepted, static_cast<double>(size()));
}

void Sampler::exchange(std::uint64_t iteration) {
  SplitMix random = stream_of(iteration, 7);
  for (std::size_t low = iteration % 2; low + 1 < levels_.size(); low += 2)
    for (std::size_t chain = 0; chain < static_cast<std::size_t>(options_.chains); ++chain) {
      Walker &a = walker(low, chain), &b = walker(low + 1, chain);
      const double chance =
          std::exp(std::min(0.0, (coldness_[low] - coldness_[low + 1]) * (a.u - b.u)));
      if (warm()) levels_[low].swap_tried += 1, levels_[low].swapped += chance;
      if (random.unit() < chance) std::swap(a, b);
    }
}

// Of the warmer levels: so many that another round can learn from them, evenly taken.
void Sampler::keep_warmer() {
  const std::size_t chains = options_.chains;
  for (std::size_t index = 1; index < levels_.size(); ++index) {
    Level& level = levels_[index];
    if (kept_ % level.every != 0) continue;
    for (std::size_t chain = 0; chain < chains; ++chain)
      level.later.push_back(walker(index, chain).x);
    if (level.later.size() < 2 * archive_size * chains) continue;
    std::vector<std::vector<double>> fewer;
    for (std::size_t k = 0; k < level.later.size(); ++k)
      if (k / chains % 2 == 1) fewer.push_back(std::move(level.later[k]));
    level.later = std::move(fewer);
    level.every *= 2;
  }
}

void Sampler::keep() {
  for (std::size_t chain = 0; chain < draws_.size(); ++chain) {
    draws_[chain].push_back(walker(0, chain).x);
    potentials_[chain].push_back(walker(0, chain).u);
  }
  ++kept_;
  keep_warmer();
}

double Sampler::acceptance() const {
  const Level& cold = levels_.front();
  return cold.tried > 0 ? cold.moved / cold.tried : std::nan("");
}

std::vector<double> Sampler::swaps() const {
  std::vector<double> shares;
  for (std::size_t k = 0; k + 1 < levels_.size(); ++k)
    shares.push_back(levels_[k].swap_tried > 0 ? levels_[k].swapped / levels_[k].swap_tried
                                               : std::nan(""));
  return shares;
}

}  // namespace stiffit::internal
