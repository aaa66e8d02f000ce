// SPDX-License-Identifier: Apache-2.0
#include "analysis/stiffness/stiffness.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "ode/method_registry.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t most_samples = 3000, most_samples_of_large = 300;
constexpr int most_rounds = 40;
constexpr double wild_share = 0.1;    // of a state's range, between two samples
constexpr double sharp_share = 2e-3;  // of the index, next to its maximum
constexpr int large_system = 200;

// Fast transients are at the start: look there at shorter and shorter times.
std::vector<double> first_moments(double start, double end) {
  std::vector<double> times;
  for (double share = 1e-10; share < 0.1; share *= 2)
    times.push_back(start + share * (end - start));
  return times;
}

// So many of them, from all over.
std::vector<double> spread_over(const std::vector<double>& times, std::size_t count) {
  std::vector<double> some;
  for (std::size_t i = 0; i < count; ++i) some.push_back(times[i * times.size() / count]);
  return some;
}

struct Sample {
  std::vector<double> states;
  Spectrum spectrum;
};

class Search {
 public:
  Search(const Problem& problem, const Request& request, const IntegrationOptions& options)
      : problem_(problem),
        request_(request),
        options_(options),
        finder_(problem),
        parameters_(request.parameters.empty() ? problem.program->parameter_values
                                               : request.parameters) {}

  // Samples at these times, too. False: the integration ended before.
  bool add(const std::vector<double>& times, SpectrumParts parts) {
    Request more = request_;
    more.times = times;
    Trajectory run = simulate(problem_, more, options_);
    outcome = run.outcome;
    const std::size_t n = problem_.program->states;
    for (std::size_t i = 0; i < std::min(run.rows_reached, times.size()); ++i) {
      Sample s;
      s.states.assign(run.states.begin() + i * n, run.states.begin() + ((i + 1) * n));
      s.spectrum = finder_.at(times[i], s.states.data(), parameters_, parts);
      samples[times[i]] = std::move(s);
    }
    return run.outcome.status == Status::done;
  }

  // Middles of intervals that may hide something: a leap of a state, or the maximum.
  std::vector<double> doubtful() const {
    const std::size_t n = problem_.program->states;
    std::vector<double> low(n, INFINITY), high(n, -INFINITY);
    double worst = 0;
    for (const auto& [time, s] : samples) {
      for (std::size_t i = 0; i < n; ++i) {
        low[i] = std::min(low[i], s.states[i]);
        high[i] = std::max(high[i], s.states[i]);
      }
      worst = std::max(worst, -s.spectrum.lambda_min);
    }
    std::vector<double> middles;
    for (auto left = samples.begin(), right = std::next(left); right != samples.end();
         left = right++) {
      const double middle = 0.5 * (left->first + right->first);
      if (!(middle > left->first && middle < right->first)) continue;
      const double a = -left->second.spectrum.lambda_min, b = -right->second.spectrum.lambda_min;
      const double share = std::max(a, b) == worst ? sharp_share : wild_share;
      bool doubt = std::fabs(a - b) > share * worst;
      for (std::size_t i = 0; i < n && !doubt; ++i)
        doubt = std::fabs(left->second.states[i] - right->second.states[i]) >
                wild_share * (high[i] - low[i]);
      if (doubt) middles.push_back(middle);
    }
    return middles;
  }

  // With everything, and the parameters and modes of the moment.
  Spectrum whole(double time, const Sample& sample) {
    return finder_.at(time, sample.states.data(), parameters_);
  }
  std::vector<double> settled() const { return finder_.settled(); }

  std::map<double, Sample> samples;
  Outcome outcome;

 private:
  const Problem& problem_;
  const Request& request_;
  const IntegrationOptions& options_;
  SpectrumFinder finder_;
  std::vector<double> parameters_;
};

StiffnessRow row_of(double time, const Spectrum& s, double span) {
  StiffnessRow row;
  row.time = time;
  row.lambda_min = s.lambda_min;
  row.lambda_max = s.lambda_max;
  row.index = std::isnan(s.lambda_min) ? NAN : std::max(0.0, -span * s.lambda_min);
  row.tau = s.lambda_min < 0 ? -1 / s.lambda_min : INFINITY;
  auto largest = std::max_element(s.participation.begin(), s.participation.end());
  if (largest != s.participation.end())
    row.fastest = static_cast<int>(largest - s.participation.begin());
  return row;
}

std::vector<Share> largest_first(std::vector<Share> shares) {
  double sum = 0;
  for (const Share& s : shares) sum += s.share;
  for (Share& s : shares) s.share = sum > 0 ? s.share / sum : 0;
  std::stable_sort(shares.begin(), shares.end(),
                   [](const Share& a, const Share& b) { return a.share > b.share; });
  std::erase_if(shares, [](const Share& s) { return s.share < 0.01; });
  return shares;
}

// How much each rate feeds the mode: its answer to a move along the right eigenvector, weighted by
// what its stoichiometry does to the left one.
std::vector<Share> reactions_of(System& system, const std::vector<std::string>& names,
                                const Spectrum& s, double time, const std::vector<double>& states,
                                const std::vector<double>& parameters) {
  auto leaf = [&](Leaf kind, int index) {
    const std::size_t i = index;
    if (kind == Leaf::time) return time;
    if (kind == Leaf::state) return states[i];
    return parameters[i];
  };
  std::vector<std::complex<double>> pull(system.rates.size());
  for (std::size_t i = 0; i < system.terms.size(); ++i)
    for (const Term& term : system.terms[i])
      pull[term.reaction] += s.left[i] * system.graph.value(term.coefficient, leaf);
  std::vector<Share> shares;
  for (std::size_t r = 0; r < system.rates.size() && r < names.size(); ++r) {
    std::complex<double> answer = 0;
    for (auto [state, node] : system.graph.gradient(system.rates[r], Leaf::state))
      answer += system.graph.value(node, leaf) * s.right[state];
    const double share = std::abs(pull[r] * answer);
    if (std::isfinite(share)) shares.push_back({names[r], share});
  }
  return largest_first(std::move(shares));
}

Verdict judge(double index) {
  if (index < moderate_from) return Verdict::non_stiff;
  return index < stiff_from ? Verdict::moderate : Verdict::stiff;
}

}  // namespace

const char* word(Verdict verdict) {
  switch (verdict) {
    case Verdict::non_stiff:
      return "non-stiff";
    case Verdict::moderate:
      return "moderate";
    case Verdict::stiff:
      return "stiff";
  }
  return "";
}

Stiffness find_stiffness(System& system, const std::vector<std::string>& rate_names,
                         const Problem& problem, const Request& request,
                         const IntegrationOptions& options, double span) {
  Search search(problem, request, options);
  Stiffness result;
  const bool large = problem.program->states > large_system;
  // Between the rows only the index is looked for, and what makes the worst moment is found later.
  constexpr SpectrumParts index_only{false, false};
  bool going = search.add(request.times, {});
  result.outcome = search.outcome;
  if (going) going = search.add(first_moments(request.start, request.times.back()), index_only);
  const std::size_t most = large ? request.times.size() + most_samples_of_large : most_samples;
  for (int round = 0; going && round < most_rounds && search.samples.size() < most; ++round) {
    std::vector<double> middles = search.doubtful();
    if (middles.empty()) break;
    if (search.samples.size() + middles.size() > most)
      middles = spread_over(middles, most - search.samples.size());
    going = search.add(middles, index_only);
  }
  if (search.samples.empty()) return result;

  const Sample* worst = nullptr;
  double previous = 0, speed = 0;
  for (const auto& [time, sample] : search.samples) {
    StiffnessRow row = row_of(time, sample.spectrum, span);
    if (!worst || row.index > result.peak.index) {
      result.peak = row;
      worst = &sample;
    }
    if (std::binary_search(request.times.begin(), request.times.end(), time)) {
      result.rows.push_back(row);
      result.max_index = std::max(result.max_index, row.index);
    }
    const double now = std::max(0.0, -sample.spectrum.lambda_min);
    if (&sample != &search.samples.begin()->second)
      result.explicit_steps += 0.25 * (speed + now) * (time - previous);
    previous = time;
    speed = now;
  }

  const Spectrum s = search.whole(result.peak.time, *worst);
  result.peak = row_of(result.peak.time, s, span);
  result.ratio = -s.lambda_min / s.slowest_decay;
  result.at_peak = s.all;
  result.verdict = judge(result.peak.index);
  result.recommended = method_name(result.verdict == Verdict::non_stiff ? MethodRole::non_stiff
                                   : large                              ? MethodRole::large_stiff
                                                                        : MethodRole::stiff);
  if (problem.program->hybrid && !problem.program->hybrid->algebraic.empty())
    result.recommended = method_name(MethodRole::stiff);
  std::vector<Share> species;
  for (std::size_t i = 0; i < s.participation.size(); ++i)
    species.push_back({problem.program->state_names[i], s.participation[i]});
  result.species = largest_first(std::move(species));
  if (!s.right.empty())
    result.reactions =
        reactions_of(system, rate_names, s, result.peak.time, worst->states, search.settled());
  return result;
}

}  // namespace stiffit::internal
