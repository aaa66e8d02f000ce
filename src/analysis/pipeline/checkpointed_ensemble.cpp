// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/checkpointed_ensemble.h"

#include "analysis/pipeline/distributed_ensemble.h"
#include "base/diagnostic.h"
#include "base/record.h"

namespace stiffit::internal {

CheckpointedEnsemble::CheckpointedEnsemble(Ensemble& ensemble, RunDirectory& folder,
                                           std::optional<Rows> rows)
    : ensemble_(ensemble), folder_(folder), format_(std::move(rows)) {
  std::int64_t row_bytes = 0;
  try {
    for (const std::string& record : folder.get("ensemble")) {
      RecordReader reader(record);
      row_bytes = reader.whole();
      ensemble.restore(reader);
      reader.finish();
    }
  } catch (const BadRecord& error) {
    throw InputError("error: the state of the run in " + folder.path() +
                     " is damaged: " + error.what());
  }
  if (!format_) return;
  rows_ = std::make_unique<GrowingFile>(folder.file("samples.csv"), row_bytes);
  if (row_bytes == 0) rows_->append(format_->header);
}

bool CheckpointedEnsemble::advance(WorkerPool* workers) {
  std::string text;
  Ensemble::Each each;
  if (rows_) each = [&](long sample, const SampleRun& run) { format_->append(text, sample, run); };
  const bool went_on =
      workers ? advance_together(ensemble_, *workers, each) : ensemble_.advance(each);
  if (rows_) rows_->append(text);
  if (!went_on || ensemble_.finished() || Clock::now() > next_) keep();
  return went_on;
}

void CheckpointedEnsemble::keep() {
  if (rows_) rows_->settle();
  RecordWriter record;
  record.whole(rows_ ? rows_->size() : 0);
  ensemble_.save(record);
  folder_.put("ensemble", 0, record.bytes());
  next_ = Clock::now() + between;
}

}  // namespace stiffit::internal
