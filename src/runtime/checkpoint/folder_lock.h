// One process at a time in a folder: a lock on the file `lock` in it, which the system takes back
// however the process ends. Where the file system has no such locks (some network file systems),
// the file `lock.owner` that names the process stands in; one whose process is gone counts for
// nothing, as far as this machine can tell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace stiffit::internal {

class FolderLock {
 public:
  using LockCall = int (*)(int file, int operation);  // as flock(2)

  // The folder must be there. Throws InputError if it cannot be written.
  explicit FolderLock(const std::string& folder);
  FolderLock(const std::string& folder, LockCall lock);  // for tests
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  bool taken() const { return taken_; }
  // Of a lock that another has: " (process 12 on node7)" where that is known.
  const std::string& holder() const { return holder_; }
  // A further line for the message about it, where the user must decide.
  const std::string& way_out() const { return way_out_; }
  // Of a lock that stands in for one of the file system; "" otherwise.
  const std::string& warning() const { return warning_; }

 private:
  void take_owner_file(const std::string& why);

  std::string folder_, owner_, holder_, way_out_, warning_;
  int file_ = -1;
  bool taken_ = false;
};

}  // namespace stiffit::internal
