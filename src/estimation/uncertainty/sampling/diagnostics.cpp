// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/sampling/diagnostics.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>

namespace stiffit::internal {
namespace {

constexpr std::size_t fewest = 8;  // draws of a chain

double mean_of(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

double variance_of(const std::vector<double>& v, double mean) {
  double sum = 0;
  for (double x : v) sum += (x - mean) * (x - mean);
  return sum / static_cast<double>(v.size() - 1);
}

// The two halves of each chain count as chains, so that a drift shows.
Chains halves(const Chains& chains) {
  Chains result;
  for (const std::vector<double>& chain : chains) {
    const std::ptrdiff_t half = chain.size() / 2;
    result.emplace_back(chain.begin(), chain.begin() + half);
    result.emplace_back(chain.end() - half, chain.end());
  }
  return result;
}

// Normal scores of the ranks; equal values share theirs.
Chains normal_scores(const Chains& chains) {
  std::vector<double> all;
  for (const std::vector<double>& chain : chains) all.insert(all.end(), chain.begin(), chain.end());
  std::vector<double> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  const boost::math::normal normal;
  Chains result = chains;
  const double count = static_cast<double>(sorted.size());
  for (std::vector<double>& chain : result)
    for (double& x : chain) {
      const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), x);
      const double rank =
          0.5 * static_cast<double>((low - sorted.begin()) + (high - sorted.begin()) + 1);
      x = boost::math::quantile(normal, (rank - 0.375) / (count + 0.25));
    }
  return result;
}

double plain_r_hat(const Chains& chains) {
  const double n = static_cast<double>(chains.front().size());
  std::vector<double> means;
  double within = 0;
  for (const std::vector<double>& chain : chains) {
    means.push_back(mean_of(chain));
    within += variance_of(chain, means.back());
  }
  within /= static_cast<double>(chains.size());
  const double between = variance_of(means, mean_of(means));
  if (within == 0) return between == 0 ? std::nan("") : INFINITY;
  return std::sqrt((n - 1) / n + between / within);
}

double quantile_of(const Chains& chains, double share) {
  std::vector<double> all;
  for (const std::vector<double>& chain : chains) all.insert(all.end(), chain.begin(), chain.end());
  const auto at =
      all.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(all.size() - 1));
  std::nth_element(all.begin(), at, all.end());
  return *at;
}

Chains transformed(Chains chains, const auto& change) {
  for (std::vector<double>& chain : chains)
    for (double& x : chain) x = change(x);
  return chains;
}

}  // namespace

double effective_size(const Chains& chains) {
  const std::size_t m = chains.size(), n = chains.front().size();
  if (n < 4) return std::nan("");
  std::vector<double> means, variances;
  for (const std::vector<double>& chain : chains) {
    means.push_back(mean_of(chain));
    variances.push_back(variance_of(chain, means.back()));
  }
  const double within = mean_of(variances), size = static_cast<double>(n);
  double total = within * (size - 1) / size;
  if (m > 1) total += variance_of(means, mean_of(means));
  if (!(total > 0)) return std::nan("");
  auto correlation = [&](std::size_t lag) {
    double sum = 0;
    for (std::size_t c = 0; c < m; ++c) {
      double own = 0;
      for (std::size_t t = 0; t + lag < n; ++t)
        own += (chains[c][t] - means[c]) * (chains[c][t + lag] - means[c]);
      sum += own / size;
    }
    return 1 - (within - sum / static_cast<double>(m)) / total;
  };
  // Geyer's initial monotone sequence of pairs.
  double time = -1, previous = INFINITY;
  for (std::size_t lag = 0; lag + 1 < n; lag += 2) {
    const double pair =
        std::min(previous, (lag == 0 ? 1 : correlation(lag)) + correlation(lag + 1));
    if (pair < 0) break;
    time += 2 * pair;
    previous = pair;
  }
  const double draws = size * static_cast<double>(m);
  time = std::max(time, 1 / std::log10(draws));  // no more than so much better than independent
  return draws / time;
}

Chains chains_of(const std::vector<std::vector<std::vector<double>>>& draws, std::size_t unknown) {
  Chains chains;
  for (auto& chain : draws) {
    std::vector<double>& own = chains.emplace_back();
    for (auto& x : chain) own.push_back(x[unknown]);
  }
  return chains;
}

Convergence convergence(const Chains& chains) {
  Convergence c{std::nan(""), 0, 0};
  if (chains.empty() || chains.front().size() < fewest) return c;
  const Chains split = halves(chains);
  const Chains scores = normal_scores(split);
  const double middle = quantile_of(split, 0.5);
  const Chains folded =
      normal_scores(transformed(split, [&](double x) { return std::fabs(x - middle); }));
  c.r_hat = std::max(plain_r_hat(scores), plain_r_hat(folded));
  c.bulk_size = effective_size(scores);
  c.tail_size = INFINITY;
  for (double share : {0.05, 0.95}) {
    const double limit = quantile_of(split, share);
    const double size =
        effective_size(transformed(split, [&](double x) { return x <= limit ? 1.0 : 0.0; }));
    c.tail_size = std::min(c.tail_size, std::isnan(size) ? 0 : size);
  }
  return c;
}

bool converged(const Convergence& c, const ConvergenceLimits& limits) {
  return c.r_hat < limits.r_hat && c.bulk_size >= limits.bulk_size &&
         c.tail_size >= limits.tail_size;
}

}  // namespace stiffit::internal
