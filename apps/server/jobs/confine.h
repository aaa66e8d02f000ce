// What a process that computes gives up before it begins: privileges it could gain, calls to the
// system that no computation makes, and every file but those in its folder and the program's own.
// Kernels differ: each part is asked for, and what the kernel does not have is done without.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace stiffit::internal {

class Confinement {
 public:
  // Made before the process is: `program` may be run, `folder` read and written.
  Confinement(const std::string& program, const std::string& folder);
  ~Confinement();
  Confinement(const Confinement&) = delete;
  Confinement& operator=(const Confinement&) = delete;

  // In the new process, between fork and exec: makes only calls that signal handlers may make.
  void enter() const;

 private:
  int rules_ = -1;  // of Landlock; -1: the kernel has none
};

// The parts that this kernel has: "no_new_privs", "seccomp", "landlock".
std::vector<std::string> confinement_at_hand();

}  // namespace stiffit::internal
