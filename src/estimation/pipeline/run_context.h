// What surrounds a run: who is told, what stops it, and with which processes it works. The library,
// the command line and the server each fill it their own way.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <string>

#include "estimation/objective/parameter_point.h"
#include "estimation/strategies/multi_start.h"
#include "runtime/checkpoint/run_directory.h"
#include "runtime/distributed/worker_pool.h"

namespace stiffit::internal {

struct RunProgress {
  double done = 0, total = 1;
  const char* things = "";  // what is counted: starts, generations, sides, %
  bool ended = false;       // of this stage; other messages may follow
};

// Whoever wants to see the search itself.
struct SearchWatch {
  // Every start that is done, those of a former run first.
  std::function<void(const StartResult&)> finished = {};
  // Where a descent stands; from any thread.
  std::function<void(std::span<const double> theta, double value)> step = {};
};

struct RunContext {
  // A warning or a note, as one text.
  std::function<void(const std::string& text)> message = {};
  std::function<void(const RunProgress&)> progress = {};
  const std::atomic<bool>* interrupt = nullptr;  // set: stop soon, keep what is there
  WorkerPool* workers = nullptr;                 // the other processes of the run; null: none
  FileReader read_file = {};                     // for tables of starts; empty: they are not read
  // Made when the objective is there; may be empty.
  std::function<SearchWatch(const ProblemObjective&, const ObjectiveOptions&, std::size_t starts)>
      watch = {};

  void say(const std::string& text) const {
    if (message) message(text);
  }
  void at(const RunProgress& position) const {
    if (progress) progress(position);
  }
  // This process works for another one, the coordinator, which speaks and keeps the results.
  bool is_worker() const { return workers && !workers->is_coordinator(); }
};

// What is known of the problem from outside: its name where it has none of its own, and the
// settings that provenance has of it (version, files, their hashes).
struct RunInputs {
  std::string name;
  RunSettings settings;
};

}  // namespace stiffit::internal
