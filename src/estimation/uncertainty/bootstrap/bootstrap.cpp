// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/bootstrap/bootstrap.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>

#include "base/diagnostic.h"
#include "base/normal_draw.h"
#include "base/number.h"
#include "base/threads.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/uncertainty/bootstrap/resampled_objective.h"
#include "estimation/uncertainty/noise_ranks.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

constexpr double least_left = 0.05;  // of a datum that the fit goes through
constexpr std::size_t smallest_pool =
    8;  // residuals of one observable that are drawn by themselves

double scaled(double value, Transformation t) {
  return t == Transformation::none  ? value
         : t == Transformation::log ? std::log(value)
                                    : std::log10(value);
}
double unscaled(double value, Transformation t) {
  return t == Transformation::none  ? value
         : t == Transformation::log ? std::exp(value)
                                    : std::pow(10.0, value);
}

// How much each datum draws the fit to itself: the diagonal of the hat matrix.
std::vector<double> leverages(const ResidualDerivatives& d, const FitStatistics& s,
                              std::size_t all) {
  const Eigen::Index n = static_cast<Eigen::Index>(d.residual.size()), m = s.free.size();
  std::vector<double> result(d.residual.size(), 0.0);
  if (n == 0 || m == 0) return result;
  Eigen::MatrixXd a(n, m);
  for (Eigen::Index k = 0; k < n; ++k)
    for (Eigen::Index c = 0; c < m; ++c) a(k, c) = d.jacobian[k * all + s.free[c]];
  for (Eigen::Index c = 0; c < m; ++c)
    if (const double size = a.col(c).norm(); size > 0) a.col(c) /= size;
  const SingularValues v = thin_left_singular_values(a);
  for (Eigen::Index r = 0; r < v.values.size() && v.values(r) > 1e-9 * v.values(0); ++r)
    for (Eigen::Index k = 0; k < n; ++k) result[k] += v.left(k, r) * v.left(k, r);
  return result;
}

// Between the order statistics, those at k/(n+1).
double quantile_of(const std::vector<double>& sorted, double share) {
  const double at = share * (static_cast<double>(sorted.size()) + 1) - 1;
  if (at <= 0) return sorted.front();
  const auto k = static_cast<std::size_t>(at);
  if (k + 1 >= sorted.size()) return sorted.back();
  const double part = at - static_cast<double>(k);
  return (1 - part) * sorted[k] + part * sorted[k + 1];
}

}  // namespace

const char* bootstrap_name(BootstrapKind kind) {
  return kind == BootstrapKind::residual ? "residual" : "case";
}

BootstrapRun::BootstrapRun(const ProblemObjective& objective, const LocalFit& best,
                           const FitStatistics& statistics, BootstrapOptions options)
    : objective_(objective), best_(best), statistics_(statistics), options_(std::move(options)) {
  gather_residuals();
}

void BootstrapRun::gather_residuals() {
  std::string failure;
  const ResidualDerivatives d = objective_.residual_derivatives(best_.x, failure);
  if (!failure.empty())
    throw InputError("error: the residuals could not be computed: " + failure + "\n");
  const std::size_t n = d.predictions.size();
  predictions_ = d.predictions;
  transformation_.assign(n, Transformation::none);
  measured_.assign(n, 0.0);
  pool_of_.assign(n, -1);
  kind_.assign(n, NoiseKind::normal);
  censoring_.assign(n, Censoring::none);
  seen_.assign(n, {-INFINITY, INFINITY});
  const std::vector<double> leverage = leverages(d, statistics_, best_.x.size());
  std::map<std::string, std::vector<int>> by_observable;
  std::map<std::pair<std::string, std::string>, std::vector<int>> by_series;
  std::map<std::string, Limits> by_limit;
  std::map<std::string, std::vector<int>> rows_of;
  auto add = [&](const FitProblem& part) {
    for (const ProblemObservable& o : part.observables)
      by_limit.try_emplace(o.id, Limits{-INFINITY, INFINITY});
    for (std::size_t i = 0; i < part.measurements.size(); ++i) {
      const Measurement& m = part.measurements[i];
      const ProblemObservable& o = part.observables[m.observable];
      const int row = m.row >= 0 ? m.row : static_cast<int>(i);
      transformation_[row] = o.transformation;
      measured_[row] = m.value;
      kind_[row] = o.noise_kind;
      censoring_[row] = m.censoring;
      limits_ |= m.censoring != Censoring::none;
      // What was too little to be measured once is so in all rows of that observable.
      Limits& seen = by_limit[o.id];
      if (m.censoring == Censoring::below) seen.low = std::fmax(seen.low, m.value);
      if (m.censoring == Censoring::above) seen.high = std::fmin(seen.high, m.value);
      rows_of[o.id].push_back(row);
      by_series[{o.id, part.experiments[m.experiment].id}].push_back(row);
      if (m.censoring == Censoring::none) by_observable[o.id].push_back(row);
    }
  };
  if (objective_.problem().model) add(objective_.problem());
  for (const FitProblem& part : objective_.problem().parts) add(part);
  for (auto& [id, rows] : rows_of)
    for (int row : rows) {
      // A measured value beyond the limit of others had a better one.
      Limits seen = by_limit[id];
      if (censoring_[row] == Censoring::none && measured_[row] < seen.low) seen.low = -INFINITY;
      if (censoring_[row] == Censoring::none && measured_[row] > seen.high) seen.high = INFINITY;
      if (censoring_[row] == Censoring::below) seen.low = measured_[row];
      if (censoring_[row] == Censoring::above) seen.high = measured_[row];
      seen_[row] = seen;
    }
  for (auto& [key, rows] : by_series) strata_.push_back(rows);
  // Observables with few data share a pool.
  int shared = -1;
  for (auto& [id, rows] : by_observable) {
    int pool = shared;
    if (rows.size() >= smallest_pool || shared < 0) {
      pool = static_cast<int>(pools_.size());
      pools_.emplace_back();
      if (rows.size() < smallest_pool) shared = pool;
    }
    for (int row : rows) {
      pool_of_[row] = pool;
      // A fit draws near what it fits: residuals are smaller than noise by sqrt(1 - leverage).
      const double left = std::max(least_left, 1 - leverage[row]);
      pools_[pool].push_back(-d.residual[row] / std::sqrt(left));
    }
  }
  centre_ = best_.x;
  cases_ = measured_;
  if (options_.kind == BootstrapKind::cases) {
    std::vector<double> larger(n, 0.0);
    for (std::size_t row = 0; row < n; ++row)
      if (censoring_[row] == Censoring::none)
        larger[row] = -d.residual[row] / std::sqrt(std::max(least_left, 1 - leverage[row]));
    spread_cases(larger);
  }
  for (std::vector<double>& pool : pools_) {
    const double mean =
        std::accumulate(pool.begin(), pool.end(), 0.0) / static_cast<double>(pool.size());
    for (double& r : pool) r -= mean;
  }
}

// Cases are drawn with residuals as large as noise is, too: a point that the fit goes through would
// say that there is none. What samples scatter around is the fit of all of these.
void BootstrapRun::spread_cases(const std::vector<double>& larger) {
  for (std::size_t row = 0; row < measured_.size(); ++row) {
    const Prediction& p = predictions_[row];
    const Transformation t = transformation_[row];
    if (censoring_[row] == Censoring::none)
      cases_[row] = unscaled(scaled(p.value, t) + larger[row] * p.noise, t);
  }
  const ResampledObjective objective(objective_, {cases_, {}, {}});
  const LocalFit fit = fit_trust_region(objective, best_.x, options_.local);
  if (fit.usable() && fit.at_minimum())
    centre_ = fit.x;
  else
    cases_ = measured_;
}

DataDraw BootstrapRun::draw(std::size_t index) const {
  SplitMix random = stream(options_.seed ^ 0xB0075u, index);
  DataDraw result;
  result.values = cases_;
  if (options_.kind == BootstrapKind::cases) {
    result.counts.assign(measured_.size(), 0.0);
    for (const std::vector<int>& rows : strata_)
      for (std::size_t k = 0; k < rows.size(); ++k)
        ++result.counts[rows[random.below(static_cast<int>(rows.size()))]];
    return result;
  }
  if (limits_) result.censoring = censoring_;
  for (std::size_t row = 0; row < measured_.size(); ++row) {
    const Prediction& p = predictions_[row];
    double residual = 0;
    if (limits_) {
      residual = std::sqrt(statistics_.variance) * noise_draw(random, kind_[row], p.freedom);
    } else {
      const std::vector<double>& pool = pools_[pool_of_[row]];
      residual = pool[random.below(static_cast<int>(pool.size()))];
    }
    result.values[row] =
        unscaled(scaled(p.value, transformation_[row]) + residual * p.noise, transformation_[row]);
    if (!limits_) continue;
    const double value = result.values[row];
    result.censoring[row] = value < seen_[row].low    ? Censoring::below
                            : value > seen_[row].high ? Censoring::above
                                                      : Censoring::none;
    result.values[row] = std::clamp(value, seen_[row].low, seen_[row].high);
  }
  return result;
}

bool BootstrapRun::interrupted() const {
  return options_.local.interrupt && options_.local.interrupt->load();
}

BootstrapSample BootstrapRun::one(std::size_t index) const {
  const ResampledObjective objective(objective_, draw(index));
  const LocalFit fit = fit_trust_region(objective, best_.x, options_.local);
  BootstrapSample sample;
  sample.index = index;
  sample.converged = fit.usable() && fit.at_minimum();
  if (!sample.converged) return sample;
  const FitStatistics s = fit_statistics(objective, fit, options_.level);
  sample.x = fit.x;
  for (const ParameterStatistics& u : s.each) sample.error.push_back(u.error);
  return sample;
}

std::vector<BootstrapSample> BootstrapRun::run() const {
  std::vector<std::optional<BootstrapSample>> slots(options_.samples);
  for (const BootstrapSample& old : finished)
    if (old.index < slots.size()) slots[old.index] = old;
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (!slots[i]) wanted.push_back(i);
  std::mutex mutex;
  unless_interrupted([&] {
    for_each_index(wanted.size(), options_.threads, [&](std::size_t k) {
      if (interrupted()) return;
      BootstrapSample sample = one(wanted[k]);
      if (interrupted()) return;  // it may have been cut short
      std::lock_guard lock(mutex);
      if (on_finished) on_finished(sample);
      slots[wanted[k]] = std::move(sample);
    });
  });
  std::vector<BootstrapSample> samples;
  for (auto& slot : slots)
    if (slot) samples.push_back(std::move(*slot));
  return samples;
}

Bootstrap BootstrapRun::summarize(const std::vector<BootstrapSample>& samples) const {
  Bootstrap b;
  b.kind = options_.kind;
  b.asked = options_.samples;
  b.level = options_.level;
  for (const BootstrapSample& s : samples) (s.converged ? b.used : b.failed) += 1;
  const double tail = 0.5 * (1 - b.level);
  b.enough = static_cast<double>(b.used) * tail >= 2;  // an order statistic behind each limit
  const std::vector<EstimatedParameter>& unknowns = objective_.unknowns();
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    BootstrapParameter p;
    p.id = unknowns[i].id;
    const double theta = best_.x[i], error = statistics_.each[i].error;
    std::vector<double> values, studentised;
    for (const BootstrapSample& s : samples) {
      if (!s.converged) continue;
      values.push_back(s.x[i]);
      if (std::isfinite(s.error[i]) && s.error[i] > 0)
        studentised.push_back((s.x[i] - centre_[i]) / s.error[i]);
    }
    auto value = [&](double x) {
      return x > unknowns[i].lower && x < unknowns[i].upper ? from_theta(x, unknowns[i].scale)
                                                            : not_set;
    };
    p.low = p.high = p.percentile_low = p.percentile_high = p.bias = p.standard_error = not_set;
    if (values.size() > 1) {
      const auto n = static_cast<double>(values.size());
      const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
      double squares = 0;
      for (double x : values) squares += (x - mean) * (x - mean);
      p.bias = mean - centre_[i];
      p.standard_error = std::sqrt(squares / (n - 1));
    }
    std::sort(values.begin(), values.end());
    std::sort(studentised.begin(), studentised.end());
    if (b.enough) {
      p.percentile_low = value(quantile_of(values, tail));
      p.percentile_high = value(quantile_of(values, 1 - tail));
      // Where an error is missing now and then (a bound), the estimates themselves have to do.
      if (std::isfinite(error) && error > 0 && 20 * studentised.size() > 19 * values.size()) {
        p.low = value(theta - quantile_of(studentised, 1 - tail) * error);
        p.high = value(theta - quantile_of(studentised, tail) * error);
      } else {
        p.low = p.percentile_low;
        p.high = p.percentile_high;
      }
    }
    b.parameters.push_back(std::move(p));
  }
  b.words = "bootstrap: " + std::to_string(b.used) + " fits of data with " +
            (b.kind == BootstrapKind::cases ? "cases drawn anew"
             : limits_ ? "noise drawn from its distribution, because limits have no residuals"
                       : "residuals drawn anew");
  if (b.failed > 0) b.words += ", " + std::to_string(b.failed) + " more did not converge";
  if (b.used + b.failed < b.asked)
    b.words += " (of " + std::to_string(b.asked) + ", the run was interrupted)";
  if (!b.enough)
    b.words += "; too few for limits, which need at least " +
               std::to_string(static_cast<int>(std::ceil(2 / tail - 1e-9)));
  return b;
}

std::vector<ConfidenceInterval> intervals_of(const Bootstrap& b, const FitStatistics& s,
                                             const std::vector<EstimatedParameter>& unknowns) {
  std::vector<ConfidenceInterval> found;
  if (!b.enough) return found;
  for (std::size_t i = 0; i < b.parameters.size(); ++i) {
    const BootstrapParameter& p = b.parameters[i];
    if (!has_both_limits(s.each[i].identifiability)) continue;
    found.push_back({p.id, p.low, p.high, "bootstrap", {}, unknowns[i]});
  }
  return found;
}

}  // namespace stiffit::internal
