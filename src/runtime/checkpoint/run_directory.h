// The folder of a long run and the state in it (COMMAND.sqlite): a database (WAL) that holds the
// settings, hashes of the inputs, and every finished piece, each in a transaction of its own. A
// process that is killed loses only the pieces it was working on; a machine that loses its power
// also the pieces of the last seconds, because the disk is not waited for after each of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/checkpoint/folder_lock.h"

namespace stiffit::internal {

using RunSettings = std::map<std::string, std::string>;

class RunDirectory {
 public:
  // Makes the folder if needed and takes its lock. Without `resume` the folder may not hold a run,
  // with it it must, and that run's settings must be these. Throws InputError: another process
  // works there, the state is damaged or not ours, or what differs.
  RunDirectory(const std::string& path, const std::string& command, const RunSettings& settings,
               bool resume);
  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;

  const std::string& path() const { return path_; }
  // To be told once: what is not as it should be with the lock of the folder; mostly "".
  const std::string& warning() const { return lock_->warning(); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

  // A finished piece, by kind and number. May be called from one thread at a time.
  void put(const std::string& kind, std::int64_t number, std::string_view record);
  // All pieces of a kind, in order of their numbers.
  std::vector<std::string> get(const std::string& kind) const;

 private:
  struct Database;
  using Clock = std::chrono::steady_clock;
  std::string path_;
  std::unique_ptr<FolderLock> lock_;
  std::unique_ptr<Database> database_;
  Clock::time_point on_disk_{};  // when the disk was waited for last
  bool waits_ = true;            // as the database does by itself
};

}  // namespace stiffit::internal
