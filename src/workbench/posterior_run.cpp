// SPDX-License-Identifier: Apache-2.0
#include "workbench/posterior_run.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "base/number.h"
#include "fit/evidence.h"

namespace stiffit {
namespace {

double quantile_of(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return std::nan("");
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto k = static_cast<std::size_t>(at);
  const double next = sorted[std::min(k + 1, sorted.size() - 1)];
  return sorted[k] + (at - static_cast<double>(k)) * (next - sorted[k]);
}

Marginal marginal_of(const Unknown& unknown, const Chains& chains, double best, double level) {
  Marginal m;
  m.id = unknown.id;
  m.scale = unknown.scale;
  m.best = from_theta(best, unknown.scale);
  m.convergence = convergence(chains);
  m.converged = converged(m.convergence, {});
  std::vector<double> thetas;
  for (auto& chain : chains) thetas.insert(thetas.end(), chain.begin(), chain.end());
  std::sort(thetas.begin(), thetas.end());
  double mean = 0, squares = 0;
  for (double theta : thetas) mean += from_theta(theta, unknown.scale);
  mean /= static_cast<double>(thetas.size());
  for (double theta : thetas) squares += std::pow(from_theta(theta, unknown.scale) - mean, 2);
  m.mean = mean;
  m.deviation = std::sqrt(squares / std::max(1.0, static_cast<double>(thetas.size()) - 1));
  const double low = quantile_of(thetas, (1 - level) / 2),
               high = quantile_of(thetas, (1 + level) / 2);
  m.median = from_theta(quantile_of(thetas, 0.5), unknown.scale);
  m.low = from_theta(low, unknown.scale);
  m.high = from_theta(high, unknown.scale);
  m.share_of_range = (high - low) / (unknown.upper - unknown.lower);
  return m;
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

// Combinations from the spread of the draws' logarithms.
std::vector<Combination> drawn_combinations(const Posterior& p, const PosteriorChains& chains) {
  std::vector<std::string> names;
  std::vector<std::size_t> at;
  for (std::size_t i = 0; i < p.marginals.size(); ++i)
    if (p.marginals[i].low > 0) names.push_back(p.marginals[i].id), at.push_back(i);
  const auto m = static_cast<Eigen::Index>(at.size());
  if (m < 2) return {};
  Eigen::MatrixXd logs(m, p.samples);
  Eigen::VectorXd values(m);
  Eigen::Index column = 0;
  for (auto& chain : chains.draws())
    for (auto& x : chain) {
      for (Eigen::Index i = 0; i < m; ++i) {
        const std::size_t own = at[static_cast<std::size_t>(i)];
        logs(i, column) = std::log(std::max(from_theta(x[own], p.marginals[own].scale), 1e-300));
      }
      ++column;
    }
  const Eigen::VectorXd mean = logs.rowwise().mean();
  values = mean.array().exp();
  logs.colwise() -= mean;
  return determined_combinations(names, values,
                                 logs * logs.transpose() / static_cast<double>(p.samples), 1.96);
}

void add_words(Posterior& p, const std::vector<Unknown>& unknowns, const PosteriorChains& chains,
               const FitSummary& fit) {
  FitStatistics statistics = fit.statistics;
  std::vector<Evidence> evidence;
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    if (p.marginals[i].converged)
      evidence.push_back(
          evidence_of_ensemble(unknowns[i], p.marginals[i].low, p.marginals[i].high));
  judge_by_evidence(statistics, evidence);
  if (p.converged) statistics.combinations = drawn_combinations(p, chains);
  p.words = plain_words(statistics);
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
  p.samples = static_cast<long>(sampler.draws().front().size()) * o.chains;
  p.parts = sampler.sizes();
  p.evaluations = sampler.evaluations();
  p.failures = sampler.failures();
  p.acceptance = sampler.acceptance();
  p.swaps = sampler.swaps();
  const std::vector<Unknown>& unknowns = objective.unknowns();
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    p.marginals.push_back(
        marginal_of(unknowns[i], chains_of(sampler.draws(), i), fit.best().fit.x[i], p.level));
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
    const auto at = static_cast<std::size_t>(k);
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

}  // namespace stiffit
