// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/identifiability.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/interrupt.h"
#include "base/listed.h"
#include "base/number.h"
#include "base/threads.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/pipeline/stored_intervals.h"
#include "estimation/uncertainty/curvature_check.h"
#include "estimation/uncertainty/profiles/branches.h"
#include "estimation/uncertainty/rivals.h"

namespace stiffit::internal {
namespace {

constexpr long of_a_side = 150;  // evaluations that a side mostly takes
constexpr int most_rounds = 3;   // better fits that everything begins anew from

// What is in doubt, the most doubtful first; without what an interval has settled. Where there is
// no time to hold closed limits against the objective, all of them are.
std::vector<std::size_t> in_doubt(const FitStatistics& s, const LocalFit& centre,
                                  const Objective& objective, int threads, long& left) {
  std::vector<std::size_t> found = doubtful_unknowns(s), closed;
  if (left >= 2 * static_cast<long>(s.free.size())) {
    long evaluations = 0;
    closed = curved_unknowns(objective, centre, s, threads, evaluations);
    left -= evaluations;
  } else {
    closed.assign(s.free.begin(), s.free.end());
  }
  for (std::size_t i : closed)
    if (std::find(found.begin(), found.end(), i) == found.end()) found.push_back(i);
  std::erase_if(found,
                [&](std::size_t i) { return s.each[i].source != ParameterStatistics().source; });
  return found;
}

ProfileRequest profiles_like(const FitSummary& fit, const FitRequest& request) {
  ProfileRequest p;
  p.problem = fit.problem;
  p.options.level = fit.level;
  p.options.local = request.options.local;
  p.options.local.on_step = {};
  p.options.local.max_iterations = std::min(200, request.options.local.max_iterations);
  p.threads = request.options.threads;
  p.folder = request.folder;
  p.workers = request.workers;
  p.rounds = 1;
  return p;
}

void say_left_out(FitSummary& fit, const std::vector<std::size_t>& unknowns,
                  const std::string& where = "") {
  if (unknowns.empty()) return;
  constexpr std::size_t most_names = 30;  // of a list that is read
  std::vector<std::string> names;
  for (std::size_t i : unknowns)
    if (names.size() < most_names || unknowns.size() == most_names + 1)
      names.push_back(fit.unknowns[i].id);
  if (unknowns.size() > names.size())
    names.push_back(std::to_string(unknowns.size() - names.size()) + " more");
  fit.messages.push_back("there was no time for profiles of " + listed(names) + where +
                         ", whose limits are those of the Fisher information and may be wrong; "
                         "--limits-time S gives more");
}

// Where a side of a profile has come to a better fit: everything is of that one from now on.
bool move_to_better(FitSummary& fit, const ProblemObjective& objective, const ProfileSummary& p,
                    const LocalOptions& local) {
  const LocalFit& best = fit.best().fit;
  const ProfilePoint* better = nullptr;
  for (const Profile& profile : p.profiles)
    for (const ProfileSide* side : {&profile.lower, &profile.upper})
      if (side->stop == ProfileStop::better && !side->points.empty() &&
          (!better || side->points.back().value < better->value))
        better = &side->points.back();
  if (!better) return false;
  StartResult found;
  found.index = fit.starts.size();
  found.fit = fit_trust_region(objective, better->x, local);
  if (!found.fit.usable() || !(found.fit.at.value < best.at.value)) return false;
  found.descents = 1;
  found.values = found.fit.values;
  found.gradients = found.fit.gradients;
  fit.messages.push_back("a profile has met a better fit: objective " +
                         format_short(found.fit.at.value, 10) + " instead of " +
                         format_short(best.at.value, 10) + "; everything is of that one");
  fit.starts.push_back(std::move(found));
  rank_starts(objective, fit);
  add_adequacy(fit, objective);
  return true;
}

// As many at a time as there is time for, the most doubtful first; what they leave goes to the
// next. What was not begun, or not ended, stays in `pending`. False: interrupted.
bool profile_in_turn(const Objective& objective, const LocalFit& centre, ProfileRequest& request,
                     bool all, long& left, std::vector<std::size_t>& pending,
                     ProfileSummary& found) {
  std::vector<std::size_t> unended;
  const long most = request.options.max_evaluations;
  while (!pending.empty()) {
    const std::size_t count =
        all ? pending.size()
            : std::min<std::size_t>(pending.size(), std::max(0L, left) / (2 * of_a_side));
    if (count == 0) break;
    request.unknowns.assign(pending.begin(), pending.begin() + count);
    pending.erase(pending.begin(), pending.begin() + count);
    if (!all) {
      request.options.max_evaluations = std::min(most, left / (2 * static_cast<long>(count)));
      request.options.max_points = 40;
    }
    ProfileSummary p = run_profiles(objective, centre, request);
    request.options.max_evaluations = most;
    if (p.interrupted) return false;
    bool better = false;
    for (Profile& profile : p.profiles) {
      for (const ProfileSide* side : {&profile.lower, &profile.upper}) {
        long used = 0;
        for (const ProfilePoint& point : side->points) used = std::max(used, point.evaluations);
        left -= used;
        better = better || side->stop == ProfileStop::better;
      }
      if (profile.lower.stop == ProfileStop::limit || profile.upper.stop == ProfileStop::limit)
        unended.push_back(profile.unknown);
      found.profiles.push_back(std::move(profile));
    }
    if (better) break;
  }
  pending.insert(pending.begin(), unended.begin(), unended.end());
  return true;
}

// Limits have to hold wherever the profiles have passed through. What was left out for want of time
// goes to `pending`. `moved`: a better fit was met, and everything is of that one. False:
// interrupted.
bool follow_branches(FitSummary& fit, const ProblemObjective& objective, ProfileRequest& request,
                     bool all, long& left, std::vector<std::size_t>& pending, ProfileSummary& p,
                     bool& moved) {
  constexpr long of_a_profile = 6;
  if (!all && left < of_a_profile * static_cast<long>(p.profiles.size())) return true;
  const LocalFit& best = fit.best().fit;
  std::vector<Limits> limits;
  for (const ParameterStatistics& u : fit.statistics.each) limits.push_back(u.limits);
  long evaluations = 0;
  const std::vector<Branch> branches =
      branches_beyond(objective, best, limits, p.profiles, fit.level, request.threads, evaluations);
  left -= evaluations;
  if (branches.empty()) return true;
  auto profile_of = [&](std::size_t unknown) {
    return std::find_if(p.profiles.begin(), p.profiles.end(),
                        [&](const Profile& one) { return one.unknown == unknown; });
  };
  auto leave_out = [&](std::size_t i) {
    if (std::find(pending.begin(), pending.end(), i) == pending.end()) pending.push_back(i);
  };
  std::vector<std::size_t> own;  // whose limits are not of a profile yet
  for (const Branch& b : branches)
    if (profile_of(b.unknown) == p.profiles.end() &&
        std::find(own.begin(), own.end(), b.unknown) == own.end())
      own.push_back(b.unknown);
  if (!profile_in_turn(objective, best, request, all, left, own, p)) return false;
  std::for_each(own.begin(), own.end(), leave_out);
  ProfileOptions options = request.options;
  const auto count = static_cast<long>(branches.size());
  if (!all) {
    options.max_evaluations = std::min(options.max_evaluations, left / count);
    if (options.max_evaluations < of_a_side) {
      for (const Branch& b : branches) leave_out(b.unknown);
      return true;
    }
  }
  std::vector<ProfileSide> sides(branches.size());
  unless_interrupted([&] {
    for_each_index(branches.size(), request.threads, [&](std::size_t k) {
      sides[k] = follow_branch(objective, best, branches[k], options);
    });
  });
  if (options.local.interrupt && options.local.interrupt->load()) {
    InterruptScope::heard();
    return false;
  }
  ProfileSummary met;
  for (std::size_t k = 0; k < branches.size(); ++k) {
    const std::size_t i = branches[k].unknown;
    if (!sides[k].points.empty()) left -= sides[k].points.back().evaluations;
    if (sides[k].stop == ProfileStop::better) {
      met.profiles.emplace_back().upper = sides[k];
    } else if (!has_ended(sides[k])) {
      leave_out(i);
    } else if (const auto profile = profile_of(i); profile != p.profiles.end()) {
      profile->others.push_back(stretch_of(best, branches[k], sides[k], fit.unknowns[i].scale));
    }
  }
  moved = move_to_better(fit, objective, met, request.options.local);
  if (!moved)
    judge_by_intervals(fit.statistics, intervals_of(p.profiles, fit.unknowns, fit.best().fit));
  return true;
}

// Starts that ended at the same value far from each other, as where two rates can change places:
// what lies outside of the limits around the best one is another minimum.
void split_minima(FitSummary& fit, const Objective& objective) {
  const double unit = value_unit(objective, fit.best().fit.at);
  auto within = [&](const LocalFit& a) {
    return 2 * (a.at.value - fit.best().fit.at.value) / unit < fit.statistics.single_quantile;
  };
  auto outside = [&](const std::vector<double>& x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const ParameterStatistics& u = fit.statistics.each[i];
      const double value = from_theta(x[i], u.scale);
      if (value < u.limits.low || value > u.limits.high) return true;
    }
    return false;
  };
  // The same place, within a quarter of the limits on the scale.
  auto near = [&](const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double own = fit.statistics.each[i].free_single;
      if (std::fabs(a[i] - b[i]) > std::max(0.25 * own, 1e-3)) return false;
    }
    return true;
  };
  const std::size_t known = fit.minima.size();
  for (std::size_t k : fit.order) {
    const LocalFit& own = fit.starts[k].fit;
    if (fit.minimum[k] != 0 || k == fit.order.front() || !within(own) || !outside(own.x)) continue;
    std::size_t at = known;
    while (at < fit.minima.size() && !near(fit.starts[fit.minima[at].result].fit.x, own.x)) ++at;
    if (at == fit.minima.size()) fit.minima.push_back({k, 0});
    ++fit.minima[at].starts;
    --fit.minima[0].starts;
    fit.minimum[k] = static_cast<int>(at);
    if (k + fit.rival_search.starts >= fit.starts.size() && fit.rival_search.agreed > 0) {
      --fit.rival_search.agreed;
      ++fit.rival_search.elsewhere;
    }
  }
  if (fit.minima.size() == known) return;
  std::vector<std::size_t> rank(fit.minima.size());
  std::iota(rank.begin(), rank.end(), std::size_t{0});
  std::stable_sort(rank.begin() + 1, rank.end(), [&](std::size_t a, std::size_t b) {
    return fit.starts[fit.minima[a].result].fit.at.value <
           fit.starts[fit.minima[b].result].fit.at.value;
  });
  std::vector<Minimum> minima;
  std::vector<int> place(rank.size());
  for (std::size_t k = 0; k < rank.size(); ++k) {
    minima.push_back(fit.minima[rank[k]]);
    place[rank[k]] = static_cast<int>(k);
  }
  fit.minima = std::move(minima);
  for (int& m : fit.minimum)
    if (m >= 0) m = place[m];
}

// Minima besides the best one that what is said has to hold in, too.
std::vector<Rival> rivals_of(const FitSummary& fit, const Objective& objective) {
  const std::size_t best = fit.order.front();
  std::vector<const LocalFit*> others;
  for (const Minimum& m : fit.minima)
    if (m.result != best && fit.starts[m.result].fit.usable())
      others.push_back(&fit.starts[m.result].fit);
  return rivals_among(fit.statistics, objective, fit.best().fit, others);
}

// Widens what was judged around the best minimum to others that the data do not tell from it, whose
// limits are found as its own are: by profiles of what is in doubt there, in the time that is left.
// `moved`: they have come to a better fit, and everything is of that one. False: interrupted.
bool judge_rivals(FitSummary& fit, const ProblemObjective& objective, ProfileRequest request,
                  bool all, long& left, bool& moved) {
  constexpr int most_profiled = 8, most_in_a_round = 1000;
  const LocalFit& best = fit.best().fit;
  const int first = most_rounds + most_in_a_round * request.round;
  request.workers = nullptr;
  request.options.minimum = best.at.value;
  std::vector<Rival> rivals = rivals_of(fit, objective);
  std::vector<std::size_t> left_out;
  int profiled = 0;
  for (Rival& rival : rivals) {
    long none = 0;
    const bool has_turn = all || profiled < most_profiled;
    request.round = first + profiled++;
    std::vector<std::size_t> pending =
        in_doubt(rival.statistics, *rival.fit, objective, request.threads, has_turn ? left : none);
    if (all) {
      pending.resize(fit.unknowns.size());
      std::iota(pending.begin(), pending.end(), std::size_t{0});
    }
    // What is open already cannot be widened.
    std::erase_if(pending, [&](std::size_t i) {
      const Limits& own = fit.statistics.each[i].limits;
      return std::isnan(own.low) && std::isnan(own.high);
    });
    if (has_turn && !pending.empty()) {
      ProfileSummary p;
      const LocalFit centre = with_noise_of(best, *rival.fit);
      if (!profile_in_turn(objective, centre, request, all, left, pending, p)) return false;
      moved = move_to_better(fit, objective, p, request.options.local);
      if (moved) return true;
      judge_by_intervals(rival.statistics, intervals_of(p.profiles, fit.unknowns, *rival.fit));
    }
    for (std::size_t i : pending)
      if (std::find(left_out.begin(), left_out.end(), i) == left_out.end()) left_out.push_back(i);
    judge_over_rival(fit.statistics, objective, rival);
  }
  if (!all) say_left_out(fit, left_out, " around other minima that fit as well");
  return true;
}

}  // namespace

void add_adequacy(FitSummary& fit, const ProblemObjective& objective) {
  if (!fit.found() || fit.interrupted) return;
  fit.statistics.relative_errors = objective.problem().relative_errors;
  const LocalFit& best = fit.best().fit;
  if (!best.at_minimum()) {
    fit.statistics.adequacy.untested = "the search has not reached a minimum";
    return;
  }
  if (!unless_interrupted([&] {
        fit.statistics.adequacy = assess_adequacy(objective, best, fit.statistics, fit.seed);
      }))
    fit.interrupted = true;
}

void assess_identifiability(FitSummary& fit, const ProblemObjective& objective,
                            const FitRequest& request, const AssessOptions& wish) {
  if (!fit.found() || fit.interrupted) return;
  auto stored = [&] {
    if (!request.folder) return;
    std::string message;
    judge_by_intervals(fit.statistics, stored_intervals(request.folder->path(), fit, message));
    if (!message.empty()) fit.messages.push_back(message);
  };
  auto rivals_by_curvature = [&] {
    split_minima(fit, objective);
    for (const Rival& rival : rivals_of(fit, objective))
      judge_over_rival(fit.statistics, objective, rival);
  };
  stored();
  if (!fit.best().fit.at_minimum()) return;
  if (wish.profiles == AssessByProfiles::no) return rivals_by_curvature();
  ProfileRequest profiles = profiles_like(fit, request);
  const bool all = wish.profiles == AssessByProfiles::yes;
  const double seconds = all ? 1 : objective.reckoned_seconds(fit.best().fit.x);
  const double can = wish.seconds / seconds;
  long left = std::isfinite(can) ? static_cast<long>(std::min(can, 1e9)) : 0;
  for (int round = 0; round < most_rounds; ++round) {
    profiles.round = round;
    std::vector<std::size_t> pending(fit.unknowns.size());
    std::iota(pending.begin(), pending.end(), std::size_t{0});
    const LocalFit& best = fit.best().fit;
    if (!all) pending = in_doubt(fit.statistics, best, objective, profiles.threads, left);
    ProfileSummary p;
    if (!profile_in_turn(objective, best, profiles, all, left, pending, p)) {
      fit.interrupted = true;
      return;
    }
    if (move_to_better(fit, objective, p, profiles.options.local)) {
      stored();
      continue;
    }
    judge_by_intervals(fit.statistics, intervals_of(p.profiles, fit.unknowns, fit.best().fit));
    bool moved = false;
    if (!follow_branches(fit, objective, profiles, all, left, pending, p, moved)) {
      fit.interrupted = true;
      return;
    }
    if (moved) {
      stored();
      continue;
    }
    split_minima(fit, objective);
    if (!judge_rivals(fit, objective, profiles, all, left, moved)) {
      fit.interrupted = true;
      return;
    }
    if (moved) {
      stored();
      continue;
    }
    if (!all) say_left_out(fit, pending);
    return;
  }
  fit.messages.push_back(
      "profiles went on meeting better fits, so that limits are those of the "
      "Fisher information and may be wrong; more --starts may find the best");
  rivals_by_curvature();
}

}  // namespace stiffit::internal
