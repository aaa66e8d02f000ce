// Where a chain goes next: the proposals of random walks.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/normal_draw.h"
#include "base/reflected.h"
#include "estimation/uncertainty/sampling/sampler.h"

namespace stiffit::internal {

// A step drawn from one of five kinds, none of which knows the way it came from: what is outside of
// the bounds is rejected. (Mirrored at a bound, a step along several unknowns at once would not be
// as likely as its way back.)
Sampler::Step Sampler::propose(std::size_t k, SplitMix& random, std::vector<double>& point) const {
  const std::vector<EstimatedParameter>& unknowns = objective_.unknowns();
  const Level& level = levels_[k / options_.chains];
  Eigen::VectorXd z(width_.size());
  for (double& x : z) x = normal_draw(random);
  const double kind = random.unit();
  const auto only = random.below(static_cast<int>(n_));
  const double normal = z(only);
  const double alone = level.scale * std::sqrt(static_cast<double>(n_));  // of a step in one
  point = walkers_[k].x;
  const bool archive = level.archive.size() >= 2 * n_ + 10;
  if (kind >= 0.4 && kind < 0.65 && !level.mixture.empty())
    return propose_anew(level.mixture, random, z, kind < 0.52, point);
  if (kind >= 0.9) {  // one unknown, mirrored
    const std::size_t i = only;
    const double length = alone * std::sqrt(level.covariance(only, only)) * normal;
    point[i] = reflected(point[i] + length, unknowns[i].lower, unknowns[i].upper);
    return {};
  }
  bool usual = false;
  if (kind >= 0.65 && archive)
    difference(level, random, z);
  else if (kind < 0.05)  // one column
    z = alone * normal * level.factor.col(only);
  else {
    usual = kind >= 0.1;
    z = (usual ? 1 : 0.15) * level.scale * (level.factor * z);
  }
  for (std::size_t i = 0; i < n_; ++i) point[i] += z(i);
  for (std::size_t i = 0; i < n_; ++i)
    if (point[i] < unknowns[i].lower || point[i] > unknowns[i].upper) {
      point.clear();
      break;
    }
  return {usual, 0};
}

// From what the warm-up has made of the cloud.
Sampler::Step Sampler::propose_anew(const Mixture& mixture, SplitMix& random,
                                    const Eigen::VectorXd& normals, bool local,
                                    std::vector<double>& point) const {
  const std::vector<EstimatedParameter>& unknowns = objective_.unknowns();
  const Eigen::VectorXd now = Eigen::Map<const Eigen::VectorXd>(point.data(), width_.size());
  const double length = (random.chance(50) ? 2.4 : 0.8) / std::sqrt(static_cast<double>(n_));
  const Eigen::VectorXd drawn =
      local ? mixture.step(now, length, random, normals) : mixture.draw(random, normals);
  for (std::size_t i = 0; i < n_; ++i) {
    point[i] = drawn(i);
    if (point[i] < unknowns[i].lower || point[i] > unknowns[i].upper) {
      point.clear();
      return {};
    }
  }
  if (local)
    return {false, mixture.log_step_density(drawn, now, length) -
                       mixture.log_step_density(now, drawn, length)};
  return {false, mixture.log_density(now) - mixture.log_density(drawn)};
}

// The difference of two states of the warm-up, in a random part of the unknowns, at the length that
// suits their number; now and then whole, which leads from one hollow to another.
void Sampler::difference(const Level& level, SplitMix& random, Eigen::VectorXd& z) const {
  const auto count = static_cast<int>(level.archive.size());
  const int a = random.below(count);
  const int b = (a + 1 + random.below(count - 1)) % count;
  const double share = static_cast<double>(1 + random.below(4)) / 4;
  const std::size_t sure = random.below(static_cast<int>(n_));
  const bool whole = random.chance(15);
  std::vector<char> takes(n_);
  int taking = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    takes[i] = i == sure || random.unit() < share;
    taking += takes[i];
  }
  const double length = whole ? 1 : (0.5 + random.unit()) * 1.68 / std::sqrt(double(taking));
  for (std::size_t i = 0; i < n_; ++i) {
    const Eigen::Index at = i;
    const double d = level.archive[a][i] - level.archive[b][i];
    const double shake = 1e-3 * std::sqrt(level.covariance(at, at)) * z(at);
    z(at) = takes[i] ? length * d + shake : 0;
  }
}

}  // namespace stiffit::internal
