// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/population_checkpoint.h"

#include "base/diagnostic.h"
#include "base/record.h"

namespace stiffit::internal {

PopulationCheckpoint::PopulationCheckpoint(RunDirectory& folder) : folder_(folder) {
  try {
    for (const std::string& record : folder.get("population")) {
      RecordReader reader(record);
      const auto start = static_cast<std::uint64_t>(reader.whole());
      known_[start] = reader.text();
      reader.finish();
    }
  } catch (const BadRecord& error) {
    throw InputError("error: the state of the run in " + folder.path() +
                     " is damaged: " + error.what());
  }
}

std::string PopulationCheckpoint::find(std::uint64_t start) const {
  const auto at = known_.find(start);
  return at == known_.end() ? std::string() : at->second;
}

void PopulationCheckpoint::keep(std::uint64_t start, const std::string& state) {
  RecordWriter record;
  record.whole(start);
  record.text(state);
  std::lock_guard lock(mutex_);
  folder_.put("population", start, record.bytes());
}

}  // namespace stiffit::internal
