// Block after block of trajectories of one problem in lanes and threads, all in the same memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "ode/simulate.h"

namespace stiffit::internal {

class ManyRuns {
 public:
  // Throws std::invalid_argument if the method cannot run the problem.
  ManyRuns(const Problem& problem, const IntegrationOptions& options, int threads);
  ~ManyRuns();
  ManyRuns(const ManyRuns&) = delete;
  ManyRuns& operator=(const ManyRuns&) = delete;

  // In the order of the requests; stays until the next call, whose runs take its memory. The result
  // of each is the same for any number of threads and any order.
  std::span<const Trajectory> run(std::span<const Request> requests);
  // The same to keep.
  std::vector<Trajectory> take(std::span<const Request> requests);

 private:
  struct Worker;
  const Problem problem_;
  const IntegrationOptions options_;
  std::vector<std::unique_ptr<Worker>> workers_;  // one for each thread
  std::vector<Trajectory> results_;
};

}  // namespace stiffit::internal
