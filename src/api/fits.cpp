// Fits, profiles and ensembles of a problem, and their results as public ones.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "api/impl.h"
#include "estimation/pipeline/fit_fields.h"
#include "report/fit_files.h"
#include "report/fit_summary.h"
#include "report/posterior_tables.h"
#include "runtime/checkpoint/input_hashes.h"

namespace stiffit {
inline namespace api {
namespace {

struct LibraryRun {
  std::vector<std::string> said;
  RunContext context;
  RunInputs inputs;

  LibraryRun(const Problem::Impl& problem, const FitOptions& options)
      : context(library_context(options.run, said)), inputs(problem.inputs) {
    add_file_hashes(inputs.settings, {options.start_from});
    prepare_files(options, context);
  }
  LibraryRun(const LibraryRun&) = delete;
  LibraryRun& operator=(const LibraryRun&) = delete;
};

std::vector<Interval> public_intervals(const std::vector<Limits>& stretches) {
  std::vector<Interval> intervals;
  for (const Limits& l : stretches) intervals.push_back({l.low, l.high});
  return intervals;
}

FittedParameter parameter_of(const ParameterStatistics& u) {
  FittedParameter p;
  p.id = u.id;
  p.scale = scale_name(u.scale);
  p.estimate = u.value;
  p.standard_error = u.value_error;
  p.low = u.limits.low;
  p.high = u.limits.high;
  p.intervals = public_intervals(u.intervals.empty() ? std::vector<Limits>{u.limits} : u.intervals);
  p.limits_by = u.limits_by;
  p.theta = u.theta;
  p.theta_error = u.error;
  p.noise = u.noise;
  p.at_bound = u.at_bound == 0 ? "" : u.at_bound < 0 ? "lower" : "upper";
  p.determination = identifiability_name(u.identifiability);
  p.verdict = u.verdict;
  return p;
}

std::vector<Combination> combinations_of(const std::vector<IdentifiableCombination>& all) {
  std::vector<Combination> list;
  for (const IdentifiableCombination& c : all)
    list.push_back({c.formula, c.value, c.low, c.high, identifiability_name(c.grade), c.unknowns});
  return list;
}

std::vector<api::DerivedQuantity> public_derived(
    const std::vector<internal::DerivedQuantity>& all) {
  std::vector<api::DerivedQuantity> list;
  for (const internal::DerivedQuantity& d : all)
    list.push_back({d.name, d.formula, d.value, d.error, d.limits.low, d.limits.high, d.limits_by,
                    identifiability_name(d.grade), d.verdict});
  return list;
}

FittedStart start_of(const StartResult& s) {
  return {s.index, outcome_name(s.fit.outcome), s.fit.message,
          s.fit.usable() ? s.fit.at.value : automatic_value, s.fit.x};
}

Adequacy public_adequacy(const internal::Adequacy& a) {
  Adequacy result;
  result.tested = a.tested();
  result.accepted = a.accepted;
  result.p_value = a.p_value;
  for (const internal::AdequacyTest& t : a.tests)
    result.tests.push_back({t.test, t.observable, t.statistic, t.p_value});
  for (const internal::ObservableAdequacy& o : a.observables)
    result.observables.push_back({o.observable, o.data, o.accepted, o.p_value, o.s, o.r2, o.words});
  result.s = a.s;
  result.r2 = a.r2;
  result.aic = a.aic;
  result.aicc = a.aicc;
  result.bic = a.bic;
  result.words = adequacy_words(a);
  return result;
}

// The usable ones as they rank, then the others.
std::vector<FittedStart> starts_of(const FitSummary& f) {
  std::vector<FittedStart> list;
  std::vector<char> ranked(f.starts.size(), 0);
  for (std::size_t i : f.order) {
    list.push_back(start_of(f.starts[i]));
    ranked[i] = 1;
  }
  for (std::size_t i = 0; i < f.starts.size(); ++i)
    if (!ranked[i]) list.push_back(start_of(f.starts[i]));
  return list;
}

std::vector<MeasurementDesign> public_designs(const internal::MeasurementAdvice& advice) {
  std::vector<MeasurementDesign> list;
  for (const internal::MeasurementDesign& d : advice.designs) {
    MeasurementDesign& design = list.emplace_back();
    for (const internal::DesignPoint& p : d.points)
      design.measurements.push_back(
          {p.quantity, p.experiment, p.time, p.error, p.measured, p.within});
    for (const internal::DesignGain& g : d.gains)
      design.gains.push_back({g.name, g.open, g.factor, g.limits.low, g.limits.high});
    design.factor = d.factor;
    design.words = d.words;
  }
  return list;
}

Fit public_fit(const FitRun& run, std::vector<std::string> said) {
  const FitSummary& f = run.summary;
  Fit fit;
  fit.status = f.interrupted ? "interrupted" : f.found() ? "done" : "failed";
  fit.starts = starts_of(f);
  fit.messages = std::move(said);
  fit.messages.insert(fit.messages.end(), f.messages.begin(), f.messages.end());
  fit.text = fit_text(f);
  fit.json = fit_json(f);
  fit.starts_asked = f.starts_asked;
  fit.searched = run.searched;
  if (!f.found()) {
    fit.message = nothing_found(f);
    return fit;
  }
  const LocalFit& best = f.best().fit;
  const FitStatistics& s = f.statistics;
  fit.outcome = outcome_name(best.outcome);
  fit.message = best.message;
  fit.objective = best.at.value;
  fit.llh = best.at.llh;
  fit.chi2 = best.at.chi2;
  fit.n_data = s.data;
  fit.level = s.level;
  fit.adequacy = public_adequacy(s.adequacy);
  for (const ParameterStatistics& u : s.each) fit.parameters.push_back(parameter_of(u));
  fit.combinations = combinations_of(s.combinations);
  fit.derived = public_derived(f.derived);
  for (int i : s.free) fit.free.push_back(s.each[static_cast<std::size_t>(i)].id);
  fit.covariance = s.covariance;
  fit.correlation = s.correlation;
  fit.words = plain_words(s, f.next);
  fit.next_measurements = public_designs(f.next);
  if (f.bootstrap) {
    const internal::Bootstrap& b = *f.bootstrap;
    fit.bootstrap = {bootstrap_name(b.kind), b.asked, b.used, b.failed, {}, b.words};
    for (const internal::BootstrapParameter& p : b.parameters)
      fit.bootstrap.parameters.push_back(
          {p.id, p.bias, p.standard_error, p.low, p.high, p.percentile_low, p.percentile_high});
  }
  if (run.objective) {
    std::string failure;
    fit.data =
        public_data(*run.objective, best.x, s.unknown_noise ? std::sqrt(s.variance) : 1, failure);
    if (!failure.empty() && !f.interrupted) fit.messages.push_back(failure);
  }
  return fit;
}

Profile public_profile(const internal::Profile& p, const ProfileSummary& summary) {
  const internal::EstimatedParameter& u = summary.unknowns[p.unknown];
  Profile profile;
  profile.id = u.id;
  profile.scale = scale_name(u.scale);
  profile.estimate = from_theta(summary.best.x[p.unknown], u.scale);
  const std::vector<Limits> stretches = profile_stretches(p, u.scale);
  profile.intervals = public_intervals(stretches);
  profile.low = stretches.front().low;
  profile.high = stretches.back().high;
  profile.low_stop = stop_name(p.lower.stop);
  profile.high_stop = stop_name(p.upper.stop);
  profile.verdict = p.verdict;
  auto add = [&](double theta, double value, double ratio) {
    profile.values.push_back(from_theta(theta, u.scale));
    profile.objective.push_back(value);
    profile.ratio.push_back(ratio);
  };
  for (auto point = p.lower.points.rbegin(); point != p.lower.points.rend(); ++point)
    add(point->theta, point->value, point->ratio);
  add(summary.best.x[p.unknown], summary.best.at.value, 0);
  for (const ProfilePoint& point : p.upper.points) add(point.theta, point.value, point.ratio);
  return profile;
}

PredictionProfile public_prediction(const internal::PredictionProfile& p, double best) {
  PredictionProfile result;
  result.what = p.words;
  result.estimate = p.estimate;
  result.deviation = p.deviation;
  result.low = p.lower.limit;
  result.high = p.upper.limit;
  result.low_stop = stop_name(p.lower.stop);
  result.high_stop = stop_name(p.upper.stop);
  result.low_message = p.lower.message;
  result.high_message = p.upper.message;
  result.verdict = p.verdict;
  auto add = [&](double prediction, double value, double ratio) {
    result.values.push_back(prediction);
    result.objective.push_back(value);
    result.ratio.push_back(ratio);
  };
  for (auto at = p.lower.points.rbegin(); at != p.lower.points.rend(); ++at)
    add(at->prediction, at->value, at->ratio);
  add(p.estimate, best, 0);
  for (const internal::PredictionPoint& at : p.upper.points) add(at.prediction, at.value, at.ratio);
  return result;
}

PairRegion public_pair(const internal::PairRegion& r, const ProfileSummary& summary) {
  const internal::EstimatedParameter &a = summary.unknowns[r.first],
                                     &b = summary.unknowns[r.second];
  PairRegion result;
  result.first = a.id;
  result.second = b.id;
  result.threshold = r.threshold;
  result.closed = r.closed;
  for (const internal::PairPoint& p : r.points) {
    result.first_values.push_back(from_theta(p.a, a.scale));
    result.second_values.push_back(from_theta(p.b, b.scale));
    result.ratio.push_back(p.ratio);
  }
  result.stop = stop_name(r.stop);
  result.message = r.message;
  return result;
}

template <class Result>
Result of_worker() {
  Result result;
  result.worker = true;
  return result;
}

// Also if there is nothing but the interrupt: a result without parameters.
void require_fit(const FitSummary& fit) {
  if (!fit.found() && !fit.interrupted)
    throw NumericsError("error: " + nothing_found(fit) + "\n", automatic_value);
}

Posterior public_posterior(const PosteriorRun& run) {
  const internal::Posterior& p = run.posterior;
  Posterior result;
  result.converged = p.converged;
  result.interrupted = p.interrupted;
  for (const internal::Marginal& m : p.marginals)
    result.parameters.push_back({m.id, scale_name(m.scale), m.best, m.mean, m.median, m.deviation,
                                 m.low, m.high, m.convergence.r_hat, m.convergence.bulk_size,
                                 m.convergence.tail_size, m.converged});
  const auto& draws = run.draws.points;
  result.chains = draws.size();
  result.draws_each = draws.empty() ? 0 : draws.front().size();
  for (const auto& chain : draws)
    for (const std::vector<double>& draw : chain)
      for (std::size_t i = 0; i < draw.size(); ++i)
        result.draws.push_back(from_theta(draw[i], run.fit.unknowns[i].scale));
  for (std::size_t i = 0; p.bands && i < p.points.size(); ++i) {
    BandPoint point{p.points[i].experiment, p.points[i].quantity, p.points[i].time,
                    p.points[i].measured,   p.bands->mean(i),     p.bands->deviation(i)};
    for (std::size_t q = 0; q < std::size(band_shares); ++q)
      point.quantiles[q] = p.bands->quantile(i, band_shares[q]);
    result.bands.push_back(point);
  }
  result.notes = p.notes;
  result.words = p.words;
  result.samples_asked = p.samples_asked;
  result.derived = public_derived(p.derived);
  result.samples = p.samples;
  result.band_failures = p.band_failures;
  result.text = posterior_text(p);
  result.json = posterior_json(p);
  return result;
}

}  // namespace

Fit Problem::fit(const FitOptions& options) const {
  return at_border(options.run.interrupt, interrupted_before_it_began<Fit>(), [&] {
    check_options(options);
    LibraryRun library(*impl_, options);
    FitRun run = run_fit(impl_->problem, options, library.inputs, library.context);
    write_files(run, options, library.context);
    if (run.is_worker) return of_worker<Fit>();
    return public_fit(run, std::move(library.said));
  });
}

Profiles Problem::profile(const ProfileOptions& options) const {
  Profiles nothing_yet;
  nothing_yet.interrupted = true;
  return at_border(options.fit.run.interrupt, nothing_yet, [&] {
    check_options(options);
    LibraryRun library(*impl_, options.fit);
    ProfileRun run = run_profile(impl_->problem, options, library.inputs, library.context);
    write_files(run, options.fit);
    if (run.is_worker) return of_worker<Profiles>();
    require_fit(run.fit);
    Profiles result;
    result.messages = std::move(library.said);
    result.interrupted = run.fit.interrupted;
    if (result.interrupted) result.message = unfitted(run.fit);
    if (result.interrupted) return result;
    const ProfileSummary& p = run.summary;
    result.interrupted = p.interrupted;
    result.level = p.level;
    result.threshold = p.quantile;
    result.objective = p.best.at.value;
    for (const internal::Profile& profile : p.profiles)
      result.parameters.push_back(public_profile(profile, p));
    for (const internal::PredictionProfile& one : p.predictions)
      result.predictions.push_back(public_prediction(one, p.best.at.value));
    for (const internal::PairRegion& one : p.pairs) result.pairs.push_back(public_pair(one, p));
    result.combinations = combinations_of(p.combinations);
    result.derived = public_derived(p.derived);
    result.words = p.words;
    result.messages.insert(result.messages.end(), p.messages.begin(), p.messages.end());
    result.text = profile_text(p);
    result.json = profile_json(p);
    return result;
  });
}

Posterior Problem::ensemble(const PosteriorOptions& options) const {
  Posterior nothing_yet;
  nothing_yet.interrupted = true;
  return at_border(options.fit.run.interrupt, nothing_yet, [&] {
    check_options(options);
    LibraryRun library(*impl_, options.fit);
    PosteriorRun run = run_posterior(impl_->problem, options, library.inputs, library.context);
    write_files(run, options.fit);
    if (run.is_worker) return of_worker<Posterior>();
    require_fit(run.fit);
    Posterior result;
    if (run.fitted()) {
      result = public_posterior(run);
    } else {
      result.interrupted = true;
      result.message = unfitted(run.fit);
    }
    result.messages = std::move(library.said);
    return result;
  });
}

}  // namespace api
}  // namespace stiffit
