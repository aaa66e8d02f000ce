// A process of this program with limits of its own: processor time, memory, niceness, and what it
// may see of the machine (confine.h). It ends with the server, however that ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace stiffit::internal {

struct ChildPlan {
  std::string program;
  std::vector<std::string> words;     // of the command line, without the program's name
  std::string folder;                 // where it runs
  std::string out, messages;          // files for its streams, within the folder
  double cpu_seconds = 0;             // 0: no limit
  std::size_t memory_kib = 0;         // of address space; 0: no limit
  std::size_t file_bytes = 2u << 30;  // largest file it may write
};

// Its process id. The thread that starts it must live as long as it: the system ends it with that
// thread. Throws std::system_error.
pid_t start_child(const ChildPlan& plan);

// How it ended, in words; "" if by exit code 0.
struct ChildEnd {
  bool ended = false;
  int code = -1;  // exit code; -1: by a signal
  int signal = 0;
};
// Looks, without waiting.
ChildEnd look_at_child(pid_t child);

}  // namespace stiffit::internal
