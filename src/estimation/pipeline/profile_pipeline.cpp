// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/profile_pipeline.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <optional>

#include "base/diagnostic.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "base/threads.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/pipeline/claims/combinations.h"
#include "estimation/pipeline/claims/derived_quantities.h"
#include "estimation/pipeline/fit_fields.h"
#include "estimation/uncertainty/confidence_interval.h"
#include "estimation/uncertainty/plain_words.h"
#include "estimation/uncertainty/profiles/branches.h"
#include "estimation/uncertainty/profiles/predicted_value.h"
#include "estimation/uncertainty/rivals.h"

namespace stiffit::internal {
namespace {

std::vector<std::size_t> chosen(const std::vector<std::string>& wanted,
                                const std::vector<EstimatedParameter>& unknowns) {
  std::vector<std::size_t> found;
  if (wanted.empty()) {
    found.resize(unknowns.size());
    std::iota(found.begin(), found.end(), std::size_t{0});
    return found;
  }
  std::vector<std::string> names;
  for (const EstimatedParameter& u : unknowns) names.push_back(u.id);
  for (const std::string& name : wanted) {
    auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      std::string nearest = nearest_name(name, names);
      throw OptionError("'" + name + "' is not an estimated parameter of this problem",
                        nearest.empty() ? "" : "did you mean '" + nearest + "'?");
    }
    std::size_t index = at - names.begin();
    if (std::find(found.begin(), found.end(), index) == found.end()) found.push_back(index);
  }
  return found;
}

RunSettings settings_of(const FitPipeline& pipeline, const api::ProfileOptions& options) {
  RunSettings settings = pipeline.settings();
  std::string names;
  for (const std::string& name : options.parameters) names += (names.empty() ? "" : ",") + name;
  settings["parameters"] = names.empty() ? "all" : names;
  settings["points"] = std::to_string(std::min(options.points, 100000));
  auto add = [&](const char* name, const std::vector<std::string>& texts) {
    std::string all;
    for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + text;
    if (!all.empty()) settings[name] = all;
  };
  add("predict", options.predict);
  add("pairs", options.pairs);
  return settings;
}

constexpr int most_others = 8;  // minima besides the best that profiles are made around

// What is asked for besides the profiles of parameters.
struct Wishes {
  std::vector<std::string> words;
  std::vector<std::shared_ptr<const ProblemObjective>> predictions;
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
};

std::vector<std::pair<std::size_t, std::size_t>> pairs_of(
    const std::vector<std::string>& texts, const std::vector<EstimatedParameter>& unknowns) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const std::string& text : texts) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos)
      throw OptionError(option("pairs") + " takes two parameters each, such as k1:k2, not '" +
                        text + "'");
    const std::vector<std::string> names{text.substr(0, colon), text.substr(colon + 1)};
    if (names[0] == names[1])
      throw OptionError(option("pairs") + ": '" + text + "' is one parameter twice");
    const std::vector<std::size_t> found = chosen(names, unknowns);
    pairs.emplace_back(found[0], found[1]);
  }
  return pairs;
}

std::vector<PredictedValue> values_of(const std::vector<std::string>& texts,
                                      const FitProblem& problem) {
  std::vector<PredictedValue> values;
  for (const std::string& text : texts) values.push_back(predicted_value(text, problem));
  return values;
}

Wishes wishes_of(const api::ProfileOptions& options, const ProblemObjective& objective,
                 const ObjectiveOptions& accuracy) {
  Wishes w;
  ObjectiveOptions forward = accuracy;
  forward.gradient = GradientMethod::forward;
  for (const PredictedValue& value : values_of(options.predict, objective.problem())) {
    w.words.push_back(value.words(objective.experiment_count() > 1));
    w.predictions.push_back(std::make_shared<const ProblemObjective>(
        prediction_problem(objective.problem(), value), forward));
  }
  w.pairs = pairs_of(options.pairs, objective.unknowns());
  return w;
}

// Where a profile passes through, the limits of the others have to hold as well. The fit that was
// found to be better on the way; none: all is there.
std::optional<LocalFit> add_branches(ProfileSummary& summary, const Objective& objective,
                                     const ProfileRequest& request) {
  std::vector<Limits> limits(summary.unknowns.size(), {std::nan(""), std::nan("")});
  for (const Profile& p : summary.profiles) {
    const std::vector<Limits> all = profile_stretches(p, summary.unknowns[p.unknown].scale);
    limits[p.unknown] = {all.front().low, all.back().high};
  }
  long evaluations = 0;
  const std::vector<Branch> branches =
      branches_beyond(objective, summary.best, limits, summary.profiles, summary.level,
                      request.threads, evaluations);
  std::vector<ProfileSide> sides(branches.size());
  unless_interrupted([&] {
    for_each_index(branches.size(), request.threads, [&](std::size_t k) {
      sides[k] = follow_branch(objective, summary.best, branches[k], request.options);
    });
  });
  if (request.options.local.interrupt && request.options.local.interrupt->load()) {
    summary.interrupted = true;
    InterruptScope::heard();
    return {};
  }
  for (std::size_t k = 0; k < branches.size(); ++k) {
    const std::size_t i = branches[k].unknown;
    if (sides[k].stop == ProfileStop::better) {
      LocalFit again = fit_trust_region(objective, sides[k].points.back().x, request.options.local);
      if (again.usable() && again.at.value < summary.best.at.value) return again;
    }
    for (Profile& p : summary.profiles)
      if (p.unknown == i && has_ended(sides[k]))
        p.others.push_back(
            stretch_of(summary.best, branches[k], sides[k], summary.unknowns[i].scale));
  }
  return {};
}

// Around minima that the data do not tell from the best one there are values that fit as well.
void add_other_minima(ProfileSummary& summary, const FitSummary& fit, const Objective& objective,
                      const ProfileRequest& request) {
  const double unit = value_unit(objective, summary.best.at);
  int count = 0;
  auto covered = [&](const std::vector<double>& x) {
    return std::all_of(summary.profiles.begin(), summary.profiles.end(), [&](const Profile& p) {
      const Scale scale = summary.unknowns[p.unknown].scale;
      const double value = from_theta(x[p.unknown], scale);
      const std::vector<Limits> stretches = profile_stretches(p, scale);
      return std::any_of(stretches.begin(), stretches.end(),
                         [&](const Limits& l) { return !(value < l.low) && !(value > l.high); });
    });
  };
  for (std::size_t start : fit.order) {
    const LocalFit& other = fit.starts[start].fit;
    const double ratio = 2 * (other.at.value - summary.best.at.value) / unit;
    if (!other.at_minimum() || !(ratio < summary.quantile) || count == most_others ||
        covered(other.x))
      continue;
    ProfileRequest own = request;
    own.rounds = 1;
    own.round = request.round + request.rounds + count++;
    own.options.minimum = summary.best.at.value;
    own.options.beyond = false;
    own.options.min_points = 0;
    own.progress = {};
    own.workers = nullptr;
    const ProfileSummary there = run_profiles(objective, with_noise_of(summary.best, other), own);
    if (there.interrupted) {
      summary.interrupted = true;
      return;
    }
    for (std::size_t k = 0; k < summary.profiles.size(); ++k) {
      const Profile& p = there.profiles[k];
      const Scale scale = summary.unknowns[p.unknown].scale;
      summary.profiles[k].others.push_back(profile_stretches(p, scale).front());
    }
    summary.messages.push_back("another minimum fits these data as well (2 delta log L = " +
                               format_short(ratio, 3) + "); limits are those of all");
  }
  for (Profile& p : summary.profiles)
    p.verdict = profile_verdict(summary.unknowns[p.unknown], summary.best.x[p.unknown], p);
}

// The fit that one of them has found to be better; none: they are all there.
std::optional<LocalFit> add_wishes(ProfileSummary& summary, const Objective& objective,
                                   const Wishes& wishes, const ProfileRequest& request) {
  std::vector<PredictionProfile> predictions(wishes.predictions.size());
  std::vector<PairRegion> pairs(wishes.pairs.size());
  ProfileOptions options = request.options;
  options.max_evaluations *= 5;  // both sides, or all around
  std::string failure;
  std::mutex mutex;
  unless_interrupted([&] {
    for_each_index(predictions.size() + pairs.size(), request.threads, [&](std::size_t k) {
      try {
        if (k < predictions.size())
          predictions[k] = profile_prediction(objective, summary.best, *wishes.predictions[k],
                                              wishes.words[k], options);
        else
          pairs[k - predictions.size()] =
              follow_pair(objective, summary.best, wishes.pairs[k - predictions.size()].first,
                          wishes.pairs[k - predictions.size()].second, options);
      } catch (const InputError& error) {
        std::lock_guard lock(mutex);
        failure = error.what();
      }
    });
  });
  if (options.local.interrupt && options.local.interrupt->load()) {
    summary.interrupted = true;
    InterruptScope::heard();
    return {};
  }
  if (!failure.empty()) throw InputError(failure);
  const std::vector<double>* better = nullptr;
  for (const PredictionProfile& p : predictions)
    for (const PredictionSide* side : {&p.lower, &p.upper})
      if (side->stop == ProfileStop::better) better = &side->points.back().x;
  for (const PairRegion& r : pairs)
    if (r.stop == ProfileStop::better && !r.points.empty()) better = &r.points.back().x;
  std::optional<LocalFit> found;
  if (better) {
    LocalFit again = fit_trust_region(objective, *better, request.options.local);
    if (again.usable() && again.at.value < summary.best.at.value) found = std::move(again);
  }
  summary.predictions = std::move(predictions);
  summary.pairs = std::move(pairs);
  return found;
}

}  // namespace

ProfileRun run_profile(FitProblem problem, const api::ProfileOptions& options,
                       const RunInputs& inputs, const RunContext& context) {
  check_options(options);
  ProfileRun run;
  FitPipeline pipeline(std::move(problem), options.fit, inputs, context);
  ProfileRequest profiles;
  profiles.unknowns = chosen(options.parameters, pipeline.objective()->unknowns());
  // What is asked for is there, before anything is fitted.
  pairs_of(options.pairs, pipeline.objective()->unknowns());
  values_of(options.predict, pipeline.objective()->problem());
  const std::vector<Quantity> derived = read_derived(
      options.fit.derive, pipeline.objective()->problem(), pipeline.objective()->unknowns());
  run.is_worker = context.is_worker();
  if (run.is_worker) {
    pipeline.serve();
    return run;
  }
  const RunSettings settings = settings_of(pipeline, options);
  pipeline.open_directory("profile", settings);
  run.directory = pipeline.directory();
  const auto searched = pipeline.objective();
  FitSummary& fit = run.fit;
  fit = pipeline.search();
  pipeline.look_for_rivals(fit);
  if (const std::string words = pipeline.settle(fit); !words.empty()) context.say("note: " + words);
  fit.provenance = settings;
  run.objective = pipeline.objective();
  run.accuracy = pipeline.accuracy();
  const ProblemObjective& objective = *run.objective;
  if (!run.fitted()) return run;
  if (fit.best().fit.outcome != FitOutcome::converged)
    context.say("warning: the fit did not converge: " + fit.best().fit.message);

  const FitRequest& request = pipeline.request();
  profiles.problem = request.problem;
  profiles.options.level = options.fit.level;
  profiles.options.max_points = std::min(options.points, 100000);
  profiles.options.min_points = 9;
  profiles.options.beyond = true;
  profiles.options.local = request.options.local;
  profiles.options.local.max_iterations = std::min(200, request.options.local.max_iterations);
  profiles.folder = request.folder;
  profiles.workers = run.objective == searched ? context.workers : nullptr;  // of its tolerance
  profiles.threads = request.options.threads;
  RunProgress progress{0, static_cast<double>(2 * profiles.unknowns.size()), "sides"};
  profiles.progress = [&](std::size_t done) {
    progress.done = static_cast<double>(done);
    context.at(progress);
  };
  ProfileSummary& summary = run.summary;
  const Wishes wishes = wishes_of(options, objective, run.accuracy);
  LocalFit best = fit.best().fit;
  for (int round = 0;; ++round) {
    profiles.round = round * (profiles.rounds + most_others);
    std::vector<std::string> said = std::move(summary.messages);
    summary = run_profiles(objective, best, profiles);
    summary.messages.insert(summary.messages.begin(), said.begin(), said.end());
    if (summary.interrupted) break;
    std::optional<LocalFit> better = add_branches(summary, objective, profiles);
    if (summary.interrupted) break;
    if (!better || round + 1 == profiles.rounds) {
      add_other_minima(summary, fit, objective, profiles);
      better = add_wishes(summary, objective, wishes, profiles);
    }
    if (!better || round + 1 == profiles.rounds) break;
    summary.messages.push_back("a better fit than the estimate was found on the way: objective " +
                               format_short(better->at.value, 10) + " instead of " +
                               format_short(summary.best.at.value, 10) +
                               "; everything is around that one");
    best = *better;
  }
  progress.ended = true;
  context.at(progress);
  summary.provenance = settings;
  FitStatistics statistics = fit_statistics(objective, summary.best, options.fit.level);
  judge_by_intervals(statistics, intervals_of(summary.profiles, summary.unknowns, summary.best));
  if (summary.best.at_minimum() && !summary.interrupted)
    statistics.adequacy = assess_adequacy(objective, summary.best, statistics, fit.seed);
  if (!summary.interrupted && !add_combinations(statistics, objective, summary.best,
                                                effort_for(fit, request), summary.messages))
    summary.interrupted = true;
  summary.combinations = statistics.combinations;
  if (!summary.interrupted && !add_derived(summary.derived, derived, objective, summary.best,
                                           statistics, request.options.local))
    summary.interrupted = true;
  if (!summary.interrupted) summary.words = plain_words(statistics);
  if (std::string words = rival_search_words(fit.rival_search); !words.empty())
    summary.words.push_back(std::move(words));
  return run;
}

}  // namespace stiffit::internal
