// Fits, profiles and ensembles of a problem: options to the words of the commands, and what the
// commands gather to public results. SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "api/inside.h"
#include "cli/commands.h"
#include "workbench/whole_fit.h"
#include "workbench/whole_posterior.h"
#include "workbench/whole_profile.h"

namespace stiffit::api {
namespace {

// Options as a command reads them; those of `inside` name the problem.
class Words {
 public:
  explicit Words(const FitOptions& o) {
    if (o.method != FitOptions().method) add("method", o.method);
    if (o.starts < 0) throw UsageError("starts is a whole number from 1 on");
    if (o.starts > 0) add("starts", std::to_string(o.starts));
    if (o.start_from != FitOptions().start_from) add("start-from", o.start_from);
    if (o.seed != FitOptions().seed) add("seed", std::to_string(o.seed));
    if (o.run.threads > 0) add("threads", std::to_string(o.run.threads));
    for (const auto& [name, value] : o.more) {
      words_.push_back("--" + name);
      if (!value.empty()) words_.push_back(value);
    }
  }
  void add(const std::string& name, const std::string& value) {
    words_.insert(words_.end(), {"--" + name, value});
  }
  Arguments read(const Command& command, const Problem::Inside& inside) {
    words_.insert(words_.end(), inside.words.begin(), inside.words.end());
    return read_arguments(command.spec, words_);
  }

 private:
  std::vector<std::string> words_;
};

FittedParameter parameter_of(const UnknownStatistics& u) {
  FittedParameter p;
  p.id = u.id;
  p.scale = scale_name(u.scale);
  p.estimate = u.value;
  p.standard_error = u.value_error;
  p.low = u.free_single_limits.low;
  p.high = u.free_single_limits.high;
  p.theta = u.theta;
  p.theta_error = u.error;
  p.at_bound = u.at_bound == 0 ? "" : u.at_bound < 0 ? "lower" : "upper";
  p.determination = determination_name(u.determination);
  p.verdict = u.verdict;
  return p;
}

FittedStart start_of(const StartResult& s) {
  return {s.index, outcome_name(s.fit.outcome), s.fit.message,
          s.fit.usable() ? s.fit.at.value : automatic_value, s.fit.x};
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

Fit public_fit(const WholeFit& whole, const Listening& listening) {
  const FitSummary& f = whole.summary;
  Fit fit;
  fit.status = f.interrupted ? "interrupted" : f.found() ? "done" : "failed";
  fit.starts = starts_of(f);
  fit.messages = listening.said();
  fit.messages.insert(fit.messages.end(), f.messages.begin(), f.messages.end());
  fit.json = fit_json(f);
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
  for (const UnknownStatistics& u : s.each) fit.parameters.push_back(parameter_of(u));
  for (int i : s.free) fit.free.push_back(s.each[static_cast<std::size_t>(i)].id);
  fit.covariance = s.covariance;
  fit.correlation = s.correlation;
  fit.words = plain_words(s, f.next);
  if (whole.objective) {
    std::string failure;
    fit.data =
        public_data(*whole.objective, best.x, s.unknown_noise ? std::sqrt(s.variance) : 1, failure);
    if (!failure.empty()) fit.messages.push_back(failure);
  }
  return fit;
}

Profile public_profile(const stiffit::Profile& p, const ProfileSummary& summary) {
  const stiffit::Unknown& u = summary.unknowns[p.unknown];
  Profile profile;
  profile.id = u.id;
  profile.scale = scale_name(u.scale);
  profile.estimate = from_theta(summary.best.x[p.unknown], u.scale);
  auto limit = [&](const ProfileSide& side) {
    return side.stop == ProfileStop::threshold ? from_theta(side.limit, u.scale) : automatic_value;
  };
  profile.low = limit(p.lower);
  profile.high = limit(p.upper);
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

// Also if there is nothing but the interrupt: a result without parameters.
void require_fit(const FitSummary& fit) {
  if (!fit.found() && !fit.interrupted)
    throw NumericsError("error: " + nothing_found(fit) + "\n", automatic_value);
}

Posterior public_posterior(const WholePosterior& whole) {
  const stiffit::Posterior& p = whole.posterior;
  Posterior result;
  result.converged = p.converged;
  result.interrupted = p.interrupted;
  for (const stiffit::Marginal& m : p.marginals)
    result.parameters.push_back({m.id, scale_name(m.scale), m.best, m.mean, m.median, m.deviation,
                                 m.low, m.high, m.convergence.r_hat, m.convergence.bulk_size,
                                 m.convergence.tail_size, m.converged});
  result.chains = whole.draws.size();
  result.draws_each = whole.draws.empty() ? 0 : whole.draws.front().size();
  for (const auto& chain : whole.draws)
    for (const std::vector<double>& draw : chain)
      for (std::size_t i = 0; i < draw.size(); ++i)
        result.draws.push_back(from_theta(draw[i], whole.fit.unknowns[i].scale));
  for (std::size_t i = 0; p.bands && i < p.points.size(); ++i) {
    BandPoint point{p.points[i].experiment, p.points[i].quantity, p.points[i].time,
                    p.points[i].measured,   p.bands->mean(i),     p.bands->deviation(i)};
    for (std::size_t q = 0; q < std::size(band_shares); ++q)
      point.quantiles[q] = p.bands->quantile(i, band_shares[q]);
    result.bands.push_back(point);
  }
  result.notes = p.notes;
  result.words = p.words;
  result.json = posterior_json(p);
  return result;
}

}  // namespace

Fit Problem::fit(const FitOptions& options) const {
  return at_border(options.run.interrupt, interrupted_before_it_began<Fit>(), [&] {
    Listening listening(options.run);
    const Arguments arguments = Words(options).read(fit_command(), *inside_);
    FitWishes wishes = read_fit_wishes(arguments, listening.console);
    wishes.inputs = inside_->inputs;
    return public_fit(
        run_whole_fit(inside_->problem, std::move(wishes), arguments, listening.console),
        listening);
  });
}

Profiles Problem::profile(const ProfileOptions& options) const {
  Profiles nothing_yet;
  nothing_yet.interrupted = true;
  return at_border(options.fit.run.interrupt, nothing_yet, [&] {
    Listening listening(options.fit.run);
    Words words(options.fit);
    std::string names;
    for (const std::string& name : options.parameters) names += (names.empty() ? "" : ",") + name;
    if (!names.empty()) words.add("parameters", names);
    const Arguments arguments = words.read(profile_command(), *inside_);
    ProfileWishes wishes = read_profile_wishes(arguments, listening.console);
    wishes.inputs = inside_->inputs;
    const WholeProfile whole =
        run_whole_profile(inside_->problem, std::move(wishes), arguments, listening.console);
    require_fit(whole.fit);
    Profiles result;
    result.messages = listening.said();
    result.interrupted = whole.fit.interrupted;
    if (result.interrupted) return result;
    const ProfileSummary& p = whole.summary;
    result.interrupted = p.interrupted;
    result.level = p.level;
    result.threshold = p.quantile;
    result.objective = p.best.at.value;
    for (const stiffit::Profile& profile : p.profiles)
      result.parameters.push_back(public_profile(profile, p));
    result.words = p.words;
    result.messages.insert(result.messages.end(), p.messages.begin(), p.messages.end());
    result.json = profile_json(p);
    return result;
  });
}

Posterior Problem::ensemble(const PosteriorOptions& options) const {
  Posterior nothing_yet;
  nothing_yet.interrupted = true;
  return at_border(options.fit.run.interrupt, nothing_yet, [&] {
    Listening listening(options.fit.run);
    Words words(options.fit);
    if (options.samples > 0) words.add("samples", std::to_string(options.samples));
    if (options.sampler != PosteriorOptions().sampler) words.add("sampler", options.sampler);
    if (options.chains != PosteriorOptions().chains)
      words.add("chains", std::to_string(options.chains));
    const Arguments arguments = words.read(ensemble_command(), *inside_);
    PosteriorWishes wishes = read_posterior_wishes(arguments, listening.console);
    wishes.inputs = inside_->inputs;
    const WholePosterior whole =
        run_whole_posterior(inside_->problem, std::move(wishes), arguments, listening.console);
    require_fit(whole.fit);
    Posterior result;
    if (whole.fitted())
      result = public_posterior(whole);
    else
      result.interrupted = true;
    result.messages = listening.said();
    return result;
  });
}

}  // namespace stiffit::api
