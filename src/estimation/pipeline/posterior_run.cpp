// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/posterior_run.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "base/listed.h"
#include "base/number.h"
#include "estimation/uncertainty/combinations/quantity.h"
#include "estimation/uncertainty/confidence_interval.h"
#include "estimation/uncertainty/plain_words.h"
#include "estimation/uncertainty/sampling/places.h"

namespace stiffit::internal {
namespace {

double quantile_of(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return std::nan("");
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto k = static_cast<std::size_t>(at);
  const double next = sorted[std::min(k + 1, sorted.size() - 1)];
  return sorted[k] + (at - static_cast<double>(k)) * (next - sorted[k]);
}

struct DrawnInterval {
  double low = 0, high = 0;
};

DrawnInterval interval_of(const std::vector<double>& sorted, double level) {
  return {quantile_of(sorted, (1 - level) / 2), quantile_of(sorted, (1 + level) / 2)};
}

std::vector<double> sorted_draws(const Chains& chains, const std::vector<std::vector<int>>& places,
                                 int place) {
  std::vector<double> thetas;
  for (std::size_t c = 0; c < chains.size(); ++c)
    for (std::size_t k = 0; k < chains[c].size(); ++k)
      if (place < 0 || places[c][k] == place) thetas.push_back(chains[c][k]);
  std::sort(thetas.begin(), thetas.end());
  return thetas;
}

// The convergence is that of all draws.
Marginal convergence_of(const EstimatedParameter& unknown, const Chains& chains) {
  Marginal m;
  m.id = unknown.id;
  m.scale = unknown.scale;
  m.convergence = convergence(chains);
  m.converged = converged(m.convergence, {});
  return m;
}

void add_distribution(Marginal& m, const EstimatedParameter& unknown, const Chains& chains,
                      const std::vector<std::vector<int>>& places, double best, double level) {
  m.best = from_theta(best, unknown.scale);
  const std::vector<double> all = sorted_draws(chains, places, -1),
                            thetas = sorted_draws(chains, places, 0);
  m.share = all.empty() ? 1 : static_cast<double>(thetas.size()) / static_cast<double>(all.size());
  double mean = 0, squares = 0;
  for (double theta : thetas) mean += from_theta(theta, unknown.scale);
  mean /= static_cast<double>(thetas.size());
  for (double theta : thetas) squares += std::pow(from_theta(theta, unknown.scale) - mean, 2);
  m.mean = mean;
  m.deviation = std::sqrt(squares / std::max(1.0, static_cast<double>(thetas.size()) - 1));
  const DrawnInterval own = interval_of(thetas, level), whole = interval_of(all, level);
  m.median = from_theta(quantile_of(thetas, 0.5), unknown.scale);
  m.low = from_theta(own.low, unknown.scale);
  m.high = from_theta(own.high, unknown.scale);
  m.low_all = from_theta(whole.low, unknown.scale);
  m.high_all = from_theta(whole.high, unknown.scale);
  m.share_of_range = (whole.high - whole.low) / (unknown.upper - unknown.lower);
}

// Of one group of unknowns: their distributions, and the places that their draws lie in.
void add_group(Posterior& p, const std::vector<EstimatedParameter>& unknowns,
               const std::vector<std::size_t>& group, const PosteriorChains& sampler,
               const std::vector<double>& best) {
  double effective = std::numeric_limits<double>::infinity();
  bool sure = true;
  for (std::size_t i : group) {
    const Convergence& c = p.marginals[i].convergence;
    effective = std::min({effective, c.bulk_size, c.tail_size});
    sure = sure && p.marginals[i].converged;
  }
  // Chains that have not converged may be in different places for that reason alone.
  const std::vector<std::vector<int>> places =
      separate_places(sampler.draws(), group, best, sure ? effective : 0);
  int count = 0;
  for (auto& chain : places)
    for (int place : chain) count = std::max(count, place + 1);
  for (std::size_t i : group)
    add_distribution(p.marginals[i], unknowns[i], chains_of(sampler.draws(), i), places, best[i],
                     p.level);
  for (int place = 1; place < count; ++place) {
    OtherPlace other;
    for (std::size_t i : group) {
      const std::vector<double> thetas = sorted_draws(chains_of(sampler.draws(), i), places, place);
      const DrawnInterval own = interval_of(thetas, p.level);
      other.share = static_cast<double>(thetas.size()) / static_cast<double>(p.samples);
      other.ranges.push_back({unknowns[i].id, from_theta(own.low, unknowns[i].scale),
                              from_theta(own.high, unknowns[i].scale)});
    }
    p.places.push_back(std::move(other));
  }
}

std::string short_number(double value) { return format_short(value, 4); }

void note_convergence(Posterior& p) {
  std::vector<const Marginal*> bad;
  for (const Marginal& m : p.marginals)
    if (!m.converged) bad.push_back(&m);
  p.converged = bad.empty() && p.samples >= p.samples_asked;
  if (bad.empty()) return;
  const ConvergenceLimits limits;
  for (const Marginal* m : bad) {
    std::string line = m->id + " has not converged: ";
    if (std::isnan(m->convergence.r_hat))
      line += "too few draws to tell";
    else
      line += "R-hat " + short_number(m->convergence.r_hat) + " (below " +
              short_number(limits.r_hat) + " is wanted), " +
              short_number(m->convergence.bulk_size) + " effective samples in the middle (" +
              short_number(limits.bulk_size) + "), " + short_number(m->convergence.tail_size) +
              " in the tails (" + short_number(limits.tail_size) + ")";
    p.notes.push_back(line);
  }
  const bool apart =
      std::any_of(bad.begin(), bad.end(), [](auto* m) { return m->convergence.r_hat > 1.3; });
  p.notes.push_back(
      apart ? "the chains are in different places: more --samples, or --sampler tempered if there "
              "are several minima"
            : "more --samples are needed; with -o DIR, --resume and a larger number go on");
}

// Limits of the combinations from the draws, and those that only they tell.
void judge_combinations(FitStatistics& s, const FitStatistics& of_fit,
                        const std::vector<EstimatedParameter>& unknowns,
                        const PosteriorChains& chains) {
  for (IdentifiableCombination& c : s.combinations) {
    std::vector<double> drawn;
    for (const auto& chain : chains.draws())
      for (const auto& x : chain) drawn.push_back(c.value_at(values_of(unknowns, x)));
    std::sort(drawn.begin(), drawn.end());
    const DrawnInterval own = interval_of(drawn, s.level);
    c.low = own.low;
    c.high = own.high;
    c.words = combination_text(c);
  }
  for (std::size_t i = 0; i < s.each.size(); ++i) {
    ParameterStatistics& u = s.each[i];
    if (of_fit.each[i].identifiability != Identifiability::in_combination ||
        u.identifiability == Identifiability::determined ||
        u.identifiability == Identifiability::roughly_determined)
      continue;
    u.identifiability = Identifiability::in_combination;
    u.verdict = of_fit.each[i].verdict;
  }
}

// Unknowns whose values in another place are not those around the best fit.
std::vector<std::string> told_apart(const Posterior& p) {
  std::vector<std::string> names;
  for (const Marginal& m : p.marginals)
    for (const OtherPlace& place : p.places)
      for (const OtherPlace::Range& r : place.ranges)
        if (r.id == m.id && (r.high < m.low || r.low > m.high) &&
            std::find(names.begin(), names.end(), m.id) == names.end())
          names.push_back(m.id);
  return names;
}

void add_words(Posterior& p, const std::vector<EstimatedParameter>& unknowns,
               const PosteriorChains& chains, const FitSummary& fit) {
  FitStatistics statistics = fit.statistics;
  std::vector<ConfidenceInterval> intervals;
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    if (p.marginals[i].converged)
      intervals.push_back(
          interval_of_ensemble(unknowns[i], p.marginals[i].low_all, p.marginals[i].high_all));
  judge_by_intervals(statistics, intervals);
  // Closed limits around several answers are no value.
  const std::vector<std::string> apart = told_apart(p);
  for (ParameterStatistics& u : statistics.each)
    if (has_both_limits(u.identifiability) &&
        std::find(apart.begin(), apart.end(), u.id) != apart.end())
      u.identifiability = Identifiability::in_combination;
  if (p.converged && apart.empty())
    judge_combinations(statistics, fit.statistics, unknowns, chains);
  else
    statistics.combinations.clear();
  p.words = plain_words(statistics);
  if (!apart.empty())
    p.words.insert(p.words.begin(),
                   "more than one answer fits these data, each with values of its own of " +
                       listed(apart) + "; what follows is judged by all of them");
}

}  // namespace

Posterior gather_posterior(const Objective& objective, const PosteriorChains& sampler,
                           const FitSummary& fit, long samples_asked) {
  Posterior p;
  p.problem = fit.problem;
  const SamplerOptions& o = sampler.options();
  p.sampler = o.kind == SamplerKind::langevin   ? "langevin"
              : o.kind == SamplerKind::tempered ? "tempered"
                                                : "adaptive";
  p.chains = o.chains;
  p.warmup = o.warmup;
  p.thin = o.thin;
  p.seed = fit.seed;
  p.samples_asked = samples_asked;
  p.samples = sampler.draws().front().size() * o.chains;
  p.evaluations = sampler.evaluations();
  p.failures = sampler.failures();
  p.acceptance = sampler.acceptance();
  p.swaps = sampler.swaps();
  const std::vector<EstimatedParameter>& unknowns = objective.unknowns();
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    p.marginals.push_back(convergence_of(unknowns[i], chains_of(sampler.draws(), i)));
  for (const std::vector<std::size_t>& group : sampler.groups()) {
    p.parts.push_back(group.size());
    add_group(p, unknowns, group, sampler, fit.best().fit.x);
  }
  p.objective = convergence(sampler.potentials());
  note_convergence(p);
  add_words(p, unknowns, sampler, fit);
  return p;
}

bool add_bands(Posterior& posterior, const FitProblem& problem, const ObjectiveOptions& options,
               const PosteriorChains& sampler, int intervals, long most,
               const std::function<void(double share)>& progress) {
  constexpr std::size_t batch = 64;
  CourseProblem course = course_problem(problem, intervals);
  posterior.points = std::move(course.points);
  posterior.bands = std::make_unique<Bands>(posterior.points.size());
  if (posterior.points.empty() || posterior.samples == 0) return true;
  ObjectiveOptions values = options;
  values.derivatives = false;
  values.integration.rtol = std::max(values.integration.rtol, 1e-6);
  const ProblemObjective objective(std::move(course.problem), values);
  std::vector<std::vector<double>> chosen;
  const long every = std::max(1L, (posterior.samples + most - 1) / most);
  const std::size_t kept = sampler.draws().front().size();
  for (long k = 0; k < posterior.samples; k += every) {
    const std::size_t at = k;
    chosen.push_back(sampler.draws()[at / kept][at % kept]);
  }
  std::vector<double> row(posterior.points.size());
  for (std::size_t first = 0; first < chosen.size(); first += batch) {
    const std::size_t count = std::min(batch, chosen.size() - first);
    std::vector<std::string> failures;
    const auto courses = objective.predict_many(std::span(chosen).subspan(first, count),
                                                sampler.options().threads, failures);
    if (options.integration.interrupt && options.integration.interrupt->load()) return false;
    for (std::size_t k = 0; k < count; ++k) {
      if (!failures[k].empty()) {
        ++posterior.band_failures;
        continue;
      }
      for (std::size_t i = 0; i < row.size(); ++i) row[i] = courses[k][i].value;
      posterior.bands->add(row);
      ++posterior.band_samples;
    }
    if (progress) progress(static_cast<double>(first + count) / static_cast<double>(chosen.size()));
  }
  return true;
}

std::string replaced_words(const Posterior& p) {
  return "the ensemble has found a better fit than the starts: objective " +
         format_short(p.fit, 10) + " instead of " + format_short(p.first_fit, 10) +
         "; it is the best fit here";
}

}  // namespace stiffit::internal
