// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <mutex>

#include "base/diagnostic.h"
#include "base/interrupt.h"
#include "base/record.h"
#include "base/threads.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/pipeline/fit_records.h"
#include "estimation/pipeline/fit_run.h"

namespace stiffit::internal {
namespace {

constexpr const char* side_kind = "side";

void write_side(RecordWriter& w, const ProfileSide& s) {
  w.text(record_of(s));
  w.whole(s.points.size());
  for (const ProfilePoint& point : s.points) w.text(record_of(point));
}

ProfileSide read_side(RecordReader& r) {
  ProfileSide s = profile_side_of(r.text());
  s.points.resize(r.length(sizeof(std::int64_t)));
  for (ProfilePoint& point : s.points) point = profile_point_of(r.text());
  return s;
}

// A side as another process is told to go along it: how far at most, and from where it has come.
struct SideTask {
  LocalFit best;
  std::size_t unknown = 0;
  ProfileSide side;
  ProfileOptions options;  // what `local` holds besides its iterations, each process knows
};

std::string record_of(const SideTask& task) {
  RecordWriter w;
  w.text(record_of(task.best));
  w.whole(task.unknown);
  write_side(w, task.side);
  w.number(task.options.level);
  w.whole(task.options.max_points);
  w.whole(task.options.min_points);
  w.whole(task.options.max_evaluations);
  w.whole(task.options.beyond);
  w.number(task.options.minimum);
  w.whole(task.options.local.max_iterations);
  return w.bytes();
}

SideTask side_task_of(std::string_view record, const LocalOptions& local) {
  RecordReader r(record);
  SideTask task;
  task.best = fit_of(r.text());
  task.unknown = r.whole();
  task.side = read_side(r);
  task.options.level = r.number();
  task.options.max_points = static_cast<int>(r.whole());
  task.options.min_points = static_cast<int>(r.whole());
  task.options.max_evaluations = r.whole();
  task.options.beyond = r.whole() != 0;
  task.options.minimum = r.number();
  task.options.local = local;
  task.options.local.max_iterations = static_cast<int>(r.whole());
  r.finish();
  return task;
}

WorkerTask side_work(const Objective& objective, const LocalOptions& local) {
  return [&objective, local](std::string_view input, const WorkerNote& note) {
    SideTask task = side_task_of(input, local);
    ProfileSide& s = task.side;
    profile_side(objective, task.best, task.unknown, task.options, s,
                 [&](const ProfilePoint& point) {
                   RecordWriter w;
                   w.whole(s.points.size());
                   w.text(record_of(point));
                   note(w.bytes());
                 });
    RecordWriter result;
    write_side(result, s);
    return result.bytes();
  };
}

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

  // Both sides of every unknown, over the threads or the worker pool.
  std::vector<Profile> run() {
    unless_interrupted([&] {
      if (request_.workers) return spread();
      for_each_index(2 * profiles_.size(), request_.threads, [&](std::size_t k) {
        if (interrupted()) return;
        run_side(profiles_[k / 2].unknown, side(k));
        std::lock_guard lock(mutex_);
        if (request_.progress) request_.progress(++done_);
      });
    });
    for (Profile& p : profiles_)
      p.verdict = profile_verdict(objective_.unknowns()[p.unknown], best_.x[p.unknown], p);
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
    {
      std::lock_guard lock(mutex_);
      restore(unknown, s);
    }
    profile_side(objective_, best_, unknown, request_.options, s, [&](const ProfilePoint& point) {
      std::lock_guard lock(mutex_);
      keep_point(unknown, s, s.points.size(), record_of(point));
    });
    std::lock_guard lock(mutex_);
    keep_side(unknown, s);
  }

  void keep_point(std::size_t unknown, const ProfileSide& s, std::size_t number,
                  std::string_view record) {
    if (request_.folder) request_.folder->put(kind(unknown, s, "point"), number, record);
  }

  void keep_side(std::size_t unknown, const ProfileSide& s) {
    if (request_.folder && s.done) request_.folder->put(kind(unknown, s, "side"), 0, record_of(s));
  }

  void spread() {
    std::vector<std::string> inputs;
    for (std::size_t k = 0; k < 2 * profiles_.size(); ++k) {
      restore(profiles_[k / 2].unknown, side(k));
      inputs.push_back(
          record_of(SideTask{best_, profiles_[k / 2].unknown, side(k), request_.options}));
    }
    WorkerResults arrivals;
    arrivals.note = [&](std::size_t k, std::string_view note) {
      RecordReader r(note);
      const std::size_t number = r.whole();
      keep_point(profiles_[k / 2].unknown, side(k), number, r.text());
    };
    arrivals.done = [&](std::size_t k, std::string_view record) {
      RecordReader r(record);
      side(k) = read_side(r);
      r.finish();
      keep_side(profiles_[k / 2].unknown, side(k));
      if (request_.progress) request_.progress(++done_);
    };
    request_.workers->spread(side_kind, inputs, request_.threads,
                             side_work(objective_, request_.options.local), arrivals);
  }

  void restore(std::size_t unknown, ProfileSide& s) {
    if (!request_.folder) return;
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
    if (s.done)
      order_points(s);
    else
      std::erase_if(s.points, [](const ProfilePoint& p) { return !(p.next_step > 0); });
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

void add_profile_work(std::map<std::string, WorkerTask>& works, const Objective& objective,
                      const LocalOptions& local) {
  works[side_kind] = side_work(objective, local);
}

ProfileSummary run_profiles(const Objective& objective, LocalFit best,
                            const ProfileRequest& request) {
  ProfileSummary p;
  p.problem = request.problem;
  p.level = request.options.level;
  p.quantile = single_quantile(objective, p.level);
  p.unknowns = objective.unknowns();
  for (int round = 0;; ++round) {
    p.profiles = Sides(objective, best, request, request.round + round).run();
    p.interrupted = request.options.local.interrupt && request.options.local.interrupt->load();
    if (p.interrupted) InterruptScope::heard();
    const ProfilePoint* better = nullptr;
    for (const Profile& profile : p.profiles)
      for (const ProfileSide* side : {&profile.lower, &profile.upper})
        if (side->stop == ProfileStop::better && !side->points.empty() &&
            (!better || side->points.back().value < better->value))
          better = &side->points.back();
    if (!better || p.interrupted || round + 1 == request.rounds) break;
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

}  // namespace stiffit::internal
