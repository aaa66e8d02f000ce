// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/independent_parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/normal_draw.h"
#include "base/reflected.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t most_unknowns = 300;
constexpr int bases = 4;  // points that every unknown is moved at
constexpr int fewest_trials = 2;

// Who is joined with whom.
class Groups {
 public:
  explicit Groups(std::size_t count) : leader_(count) {
    std::iota(leader_.begin(), leader_.end(), std::size_t{0});
  }
  std::size_t of(std::size_t i) const {
    while (leader_[i] != i) i = leader_[i];
    return i;
  }
  void join(std::size_t a, std::size_t b) {
    leader_[std::max(of(a), of(b))] = std::min(of(a), of(b));
  }
  bool one() const {
    for (std::size_t i = 0; i < leader_.size(); ++i)
      if (of(i) != 0) return false;
    return true;
  }

 private:
  std::vector<std::size_t> leader_;
};

double moved(const EstimatedParameter& u, double from, SplitMix& random) {
  const bool bounded = std::isfinite(u.lower) && std::isfinite(u.upper);
  const double reach = bounded ? 0.3 * (u.upper - u.lower) : 1 + 0.3 * std::fabs(from);
  const double step = (0.1 + random.unit()) * reach * (random.chance(50) ? 1 : -1);
  return reflected(from + step, u.lower, u.upper);
}

// Beyond what the integration's other steps make of it.
bool differs(const Prediction& a, const Prediction& b) {
  constexpr double nothing = 1e-4;  // of the noise
  return !(std::fabs(a.value - b.value) <= nothing * a.noise) ||
         !(std::fabs(a.noise - b.noise) <= nothing * a.noise);
}

// [measurement][unknown]; empty: some unknown could not be tried often enough.
std::vector<std::vector<char>> effects(const ProblemObjective& objective,
                                       std::span<const double> at, std::uint64_t seed,
                                       int threads) {
  const std::vector<EstimatedParameter>& unknowns = objective.unknowns();
  const std::size_t n = unknowns.size();
  std::vector<std::vector<char>> found(objective.data_count(), std::vector<char>(n, 0));
  std::vector<int> trials(n, 0);
  for (int b = 0; b < bases; ++b) {
    SplitMix random = stream(seed, 7000 + static_cast<std::uint64_t>(b));
    std::vector<std::vector<double>> points(1, std::vector<double>(at.begin(), at.end()));
    if (b > 0)
      for (std::size_t i = 0; i < n; ++i) points[0][i] = moved(unknowns[i], at[i], random);
    for (std::size_t i = 0; i < n; ++i) {
      points.push_back(points[0]);
      points.back()[i] = moved(unknowns[i], points[0][i], random);
    }
    std::vector<std::string> failures;
    const auto predicted = objective.predict_many(points, threads, failures);
    if (!failures[0].empty()) continue;
    for (std::size_t i = 0; i < n; ++i) {
      if (!failures[i + 1].empty()) continue;
      ++trials[i];
      for (std::size_t m = 0; m < found.size(); ++m)
        found[m][i] |= differs(predicted[0][m], predicted[i + 1][m]);
    }
  }
  if (*std::min_element(trials.begin(), trials.end()) < fewest_trials) return {};
  return found;
}

FitProblem with_rows(FitProblem problem, const std::vector<char>& wanted) {
  auto cut = [&](FitProblem& p) {
    std::erase_if(p.measurements, [&](const Measurement& m) { return !wanted[m.row]; });
    std::vector<int> number(p.experiments.size(), -1);
    for (const Measurement& m : p.measurements) number[m.experiment] = 0;
    std::vector<Experiment> needed;
    for (std::size_t e = 0; e < p.experiments.size(); ++e) {
      if (number[e] < 0) continue;
      number[e] = static_cast<int>(needed.size());
      needed.push_back(std::move(p.experiments[e]));
    }
    p.experiments = std::move(needed);
    for (Measurement& m : p.measurements) m.experiment = number[m.experiment];
  };
  cut(problem);
  for (FitProblem& part : problem.parts) cut(part);
  std::erase_if(problem.parts, [](const FitProblem& part) { return part.measurements.empty(); });
  std::vector<Measurement*> rows;
  for (Measurement& m : problem.measurements) rows.push_back(&m);
  for (FitProblem& part : problem.parts)
    for (Measurement& m : part.measurements) rows.push_back(&m);
  std::sort(rows.begin(), rows.end(), [](auto* a, auto* b) { return a->row < b->row; });
  for (std::size_t k = 0; k < rows.size(); ++k) rows[k]->row = static_cast<int>(k);
  return problem;
}

void hold(FitProblem& problem, const std::vector<EstimatedParameter>& unknowns,
          std::span<const double> at, const std::vector<char>& free) {
  std::size_t u = 0;
  for (ProblemParameter& p : problem.parameters) {
    if (!p.estimated) continue;
    if (!free[u]) {
      p.estimated = false;
      p.nominal = from_theta(at[u], unknowns[u].scale);
    }
    ++u;
  }
  for (FitProblem& part : problem.parts) hold(part, unknowns, at, free);
}

}  // namespace

std::vector<IndependentPart> independent_parts(const ProblemObjective& objective,
                                               const Evaluation& fitted, std::span<const double> at,
                                               std::uint64_t seed, int threads) {
  const std::vector<EstimatedParameter>& unknowns = objective.unknowns();
  const std::size_t n = unknowns.size();
  if (n < 2 || n > most_unknowns || objective.unknown_noise()) return {};
  Groups groups(n);
  if (fitted.fisher.size() == n * n)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (fitted.fisher[i * n + j] != 0) groups.join(i, j);
  if (groups.one()) return {};
  const auto found = effects(objective, at, seed, threads);
  if (found.empty()) return {};
  std::vector<char> has_effect(n, 0);
  for (const std::vector<char>& own : found) {
    std::size_t first = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (!own[i]) continue;
      has_effect[i] = 1;
      if (first == n) first = i;
      groups.join(first, i);
    }
  }
  // Unknowns without effect have no measurements to be a part with.
  const std::size_t lead = std::find(has_effect.begin(), has_effect.end(), 1) - has_effect.begin();
  for (std::size_t i = 0; i < n; ++i)
    if (!has_effect[i] && lead < n) groups.join(lead, i);
  if (groups.one() || lead == n) return {};

  std::vector<IndependentPart> parts;
  for (std::size_t leader = 0; leader < n; ++leader) {
    if (groups.of(leader) != leader) continue;
    IndependentPart part;
    std::vector<char> free(n, 0);
    for (std::size_t i = 0; i < n; ++i)
      if (groups.of(i) == leader) free[i] = 1, part.unknowns.push_back(i);
    std::vector<char> rows(found.size(), 0);
    for (std::size_t m = 0; m < found.size(); ++m) {
      const auto own = std::find(found[m].begin(), found[m].end(), 1) - found[m].begin();
      const std::size_t any = own;
      rows[m] = any == n ? parts.empty() : free[any];
    }
    part.problem = with_rows(objective.problem(), rows);
    hold(part.problem, unknowns, at, free);
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace stiffit::internal
