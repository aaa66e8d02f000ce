// Runs waiting jobs, so many at a time, each as a process of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "server/jobs/child.h"
#include "server/jobs/job_store.h"

namespace stiffit::internal {

class JobRunner {
 public:
  JobRunner(JobStore& store, const ServeOptions& options);
  // Ends what runs; these jobs are stopped and can be resumed.
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  void wake();  // a job waits
  // It keeps what it has; false if it neither runs nor waits.
  bool stop(const std::string& id);
  void resume(const std::string& id);  // RequestError if it cannot
  void remove(const std::string& id);
  // Seconds of the present run; 0 if it does not run.
  double running_seconds(const std::string& id);

 private:
  struct Running {
    pid_t child = 0;
    std::chrono::steady_clock::time_point began;
    bool stopping = false;
    std::chrono::steady_clock::time_point kill_at;
  };

  void work();
  void look();
  void start_next();
  void ended(const std::string& id, const Running& run, const ChildEnd& end);

  JobStore& store_;
  ServeOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, Running> running_;
  std::set<std::string> removed_;  // to be deleted when their process has ended
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace stiffit::internal
