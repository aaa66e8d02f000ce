// Where a command speaks: results to `out`, messages to `messages`; what stops it, and with whom it
// works.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <iosfwd>

#include "base/exit_code.h"
#include "stiffit/processes.h"

namespace stiffit::internal {

struct Console {
  std::ostream& out;
  std::ostream& messages;
  bool messages_on_terminal = false;                // a progress bar may be drawn
  const std::atomic<bool>* interrupt = nullptr;     // set: stop soon, keep what is there
  api::Processes* workers = nullptr;                // the other processes of the run; null: none
  std::function<void(double share)> progress = {};  // told how far a long run is; may be empty
};

}  // namespace stiffit::internal
