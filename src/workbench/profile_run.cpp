// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <mutex>

#include "base/diagnostic.h"
#include "base/record.h"
#include "base/threads.h"
#include "fit/trust_region.h"
#include "keep/fit_records.h"
#include "workbench/fit_run.h"

namespace stiffit {
namespace {

// A better fit moves the centre; after so many of them the last one stands.
constexpr int most_rounds = 3;

class Sides {
 public:
  Sides(const Objective& objective, const LocalFit& best, const ProfileRequest& request, int round)
      : objective_(objective), best_(best), request_(request), round_(round) {
    for (std::size_t unknown : request.unknowns) {
      Profile p;
      p.unknown = unknown;
      p.lower.direction = -1;
      profiles_.push_back(std::move(p));
    }
  }

  // Both sides of every unknown, over the threads.
  std::vector<Profile> run() {
    for_each_index(2 * profiles_.size(), request_.threads, [&](std::size_t k) {
      if (interrupted()) return;
      run_side(profiles_[k / 2].unknown, side(k));
      std::lock_guard lock(mutex_);
      if (request_.progress) request_.progress(++done_);
    });
    for (Profile& p : profiles_) p.verdict = profile_verdict(objective_.unknowns()[p.unknown], p);
    return std::move(profiles_);
  }

 private:
  bool interrupted() const {
    return request_.options.local.interrupt && request_.options.local.interrupt->load();
  }
  ProfileSide& side(std::size_t k) {
    return k % 2 ? profiles_[k / 2].upper : profiles_[k / 2].lower;
  }

  std::string kind(std::size_t unknown, const ProfileSide& s, const char* what) const {
    return std::string(what) + " " + std::to_string(round_) + " " +
           objective_.unknowns()[unknown].id + (s.direction < 0 ? " lower" : " upper");
  }

  void run_side(std::size_t unknown, ProfileSide& s) {
    RunFolder* folder = request_.folder;
    if (!folder) {
      profile_side(objective_, best_, unknown, request_.options, s);
      return;
    }
    {
      std::lock_guard lock(mutex_);
      restore(unknown, s);
    }
    profile_side(objective_, best_, unknown, request_.options, s, [&](const ProfilePoint& point) {
      std::lock_guard lock(mutex_);
      folder->put(kind(unknown, s, "point"), static_cast<std::int64_t>(s.points.size()),
                  record_of(point));
    });
    std::lock_guard lock(mutex_);
    if (s.done) folder->put(kind(unknown, s, "side"), 0, record_of(s));
  }

  void restore(std::size_t unknown, ProfileSide& s) {
    try {
      std::vector<std::string> ended = request_.folder->get(kind(unknown, s, "side"));
      if (!ended.empty()) s = profile_side_of(ended[0]);
      for (const std::string& record : request_.folder->get(kind(unknown, s, "point"))) {
        s.points.push_back(profile_point_of(record));
        if (s.points.back().x.size() != best_.x.size()) throw BadRecord("another problem's point");
      }
    } catch (const BadRecord& error) {
      throw InputError("error: the state of the run in " + request_.folder->path() +
                       " is damaged: " + error.what());
    }
    // Points of a limit that was being closed in on when the run was stopped have no next step.
    if (!s.done)
      while (!s.points.empty() && !(s.points.back().next_step > 0)) s.points.pop_back();
  }

  const Objective& objective_;
  const LocalFit& best_;
  const ProfileRequest& request_;
  int round_;
  std::vector<Profile> profiles_;
  std::mutex mutex_;
  std::size_t done_ = 0;
};

}  // namespace

ProfileSummary run_profile(const Objective& objective, LocalFit best,
                           const ProfileRequest& request) {
  ProfileSummary p;
  p.problem = request.problem;
  p.level = request.options.level;
  p.quantile = single_quantile(objective, p.level);
  p.unknowns = objective.unknowns();
  for (int round = 0;; ++round) {
    p.profiles = Sides(objective, best, request, round).run();
    p.interrupted = request.options.local.interrupt && request.options.local.interrupt->load();
    const ProfilePoint* better = nullptr;
    for (const Profile& profile : p.profiles)
      for (const ProfileSide* side : {&profile.lower, &profile.upper})
        if (side->stop == ProfileStop::better && !side->points.empty() &&
            (!better || side->points.back().value < better->value))
          better = &side->points.back();
    if (!better || p.interrupted || round + 1 == most_rounds) break;
    LocalFit again = fit_trust_region(objective, better->x, request.options.local);
    if (!again.usable() || !(again.at.value < best.at.value)) break;
    p.messages.push_back("a better fit than the estimate was found on the way: objective " +
                         std::to_string(again.at.value) + " instead of " +
                         std::to_string(best.at.value) + "; the profiles are around that one");
    best = std::move(again);
  }
  p.best = std::move(best);
  return p;
}

}  // namespace stiffit
