// The folder of an ensemble: its state, which is kept every few seconds, and the rows of single
// samples if they are wanted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "analysis/ensemble/ensemble.h"
#include "runtime/checkpoint/growing_file.h"
#include "runtime/checkpoint/run_directory.h"
#include "runtime/distributed/worker_pool.h"

namespace stiffit::internal {

class CheckpointedEnsemble {
 public:
  // The table of single samples, samples.csv.
  struct Rows {
    std::string header;
    std::function<void(std::string& text, long sample, const SampleRun& run)> append;
  };
  // Goes on with what the folder holds. Throws InputError if that is damaged.
  CheckpointedEnsemble(Ensemble& ensemble, RunDirectory& folder, std::optional<Rows> rows);
  // The next block, or the next blocks of all processes; false: interrupted.
  bool advance(WorkerPool* workers = nullptr);

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds between{2};
  void keep();

  Ensemble& ensemble_;
  RunDirectory& folder_;
  std::optional<Rows> format_;
  std::unique_ptr<GrowingFile> rows_;
  Clock::time_point next_ = Clock::now() + between;
};

}  // namespace stiffit::internal
