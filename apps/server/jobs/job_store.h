// The jobs of the server: what each is, its state, and the folder of its files. Kept in the
// server's database, so that a restart finds them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>

#include "runtime/checkpoint/database.h"
#include "server/jobs/job_request.h"
#include "server/work/archive.h"

namespace stiffit::internal {

// waiting -> running -> done, failed or stopped; stopped -> waiting when it is resumed.
struct Job {
  std::string id, kind, title, work, state, created, message;
  std::vector<std::string> words;
  double seconds = 0;  // that it ran, all runs together

  bool ended() const { return state == "done" || state == "failed" || state == "stopped"; }
};

class JobStore {
 public:
  // Jobs that were running when the server ended are stopped.
  explicit JobStore(const std::string& folder);

  std::vector<Job> list();         // the newest first
  Job get(const std::string& id);  // RequestError 404
  // Writes the files and a record in state `waiting`.
  std::string add(const JobPlan& plan, const ServeLimits& limits);
  // The same for a job that ran elsewhere; it cannot run again.
  std::string add_ended(const Job& job, const FileMap& files, const ServeLimits& limits);
  void set_state(const std::string& id, const std::string& state, const std::string& message,
                 double seconds_more = 0);
  std::optional<Job> next_waiting();
  void remove(const std::string& id);  // with its files

  std::string folder_of(const std::string& id) const { return folder_ + "/jobs/" + id; }
  // Files of a job that may be downloaded, by path; without links.
  std::vector<std::pair<std::string, std::uintmax_t>> files(const std::string& id);
  // RequestError 404 if there is none.
  std::string read(const std::string& id, const std::string& path);

 private:
  std::string insert(const Job& job, const FileMap& files, const ServeLimits& limits);

  std::string folder_;
  std::mutex mutex_;
  Database database_;
};

// "" if there is no such file.
std::string file_text(const std::string& path, std::size_t most = 256u << 20);

}  // namespace stiffit::internal
