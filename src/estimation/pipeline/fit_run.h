// The starts of a fit and the sides of profiles on any objective: over threads and processes, kept
// in the run's directory as they finish, and gathered. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "estimation/pipeline/fit_summary.h"
#include "runtime/checkpoint/run_directory.h"
#include "runtime/distributed/worker_pool.h"

namespace stiffit::internal {

struct FitRequest {
  std::string problem;  // its name in the reports
  std::string method;   // its name there
  double level = 0.95;  // of what is said of the answer
  MultiStartOptions options;
  RunDirectory* folder = nullptr;
  WorkerPool* workers = nullptr;  // the other processes; null: none
  std::function<void(std::size_t done)> progress;
  // Every start that is done, those of a former run first.
  std::function<void(const StartResult&)> finished;
};

FitSummary run_starts(const Objective& objective, const FitRequest& request);
// The waterfall, the minima and what is known of the best, from `starts`.
void rank_starts(const Objective& objective, FitSummary& fit);
// What another process of the worker pool does for run_starts.
void add_fit_work(std::map<std::string, WorkerTask>& works, const Objective& objective,
                  const FitRequest& request);

struct ProfileRequest {
  std::string problem;
  std::vector<std::size_t> unknowns;
  ProfileOptions options;
  int threads = 1;
  int rounds = 3;  // a better fit moves the centre; after so many of them the last one stands
  int round = 0;   // the number of the first one, for what is kept
  RunDirectory* folder = nullptr;
  WorkerPool* workers = nullptr;
  std::function<void(std::size_t sides_done)> progress;
};

// Around `best`, which is fitted anew if a profile finds a better point.
ProfileSummary run_profiles(const Objective& objective, LocalFit best,
                            const ProfileRequest& request);
void add_profile_work(std::map<std::string, WorkerTask>& works, const Objective& objective,
                      const LocalOptions& local);

}  // namespace stiffit::internal
