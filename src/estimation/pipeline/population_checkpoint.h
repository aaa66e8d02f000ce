// The states of populations in the run's directory, kept every few seconds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <mutex>

#include "estimation/strategies/population_search.h"
#include "runtime/checkpoint/run_directory.h"

namespace stiffit::internal {

class PopulationCheckpoint final : public PopulationStates {
 public:
  // Finds those of a former run. Throws InputError if they are damaged.
  explicit PopulationCheckpoint(RunDirectory& folder);
  std::string find(std::uint64_t start) const override;
  void keep(std::uint64_t start, const std::string& state) override;

 private:
  RunDirectory& folder_;
  std::map<std::uint64_t, std::string> known_;
  std::mutex mutex_;
};

}  // namespace stiffit::internal
