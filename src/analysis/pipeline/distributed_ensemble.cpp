// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/distributed_ensemble.h"

#include <algorithm>
#include <map>

#include "base/record.h"

namespace stiffit::internal {
namespace {

constexpr const char* block_kind = "block";
constexpr int blocks_for_each = 16;     // processes: few wait at the end
constexpr double most_numbers = 3.2e7;  // that the coordinator holds

struct Tables {
  std::vector<std::vector<double>> tables;
  std::vector<std::string> failures;
};

// An interrupted block is an empty record.
WorkerTask block_work(Ensemble& ensemble) {
  return [&ensemble](std::string_view input, const WorkerNote&) {
    RecordReader r(input);
    const long first = r.whole();
    const long count = r.whole();
    const std::vector<SampleRun> runs = ensemble.simulate(first, count);
    RecordWriter w;
    for (const SampleRun& run : runs) {
      w.numbers({run.table.begin(), run.table.end()});
      w.text(run.failure);
    }
    return w.bytes();
  };
}

Tables tables_of(std::string_view record, long count) {
  Tables t;
  RecordReader r(record);
  for (long k = 0; k < count; ++k) {
    t.tables.push_back(r.numbers());
    t.failures.push_back(r.text());
  }
  r.finish();
  return t;
}

}  // namespace

bool advance_together(Ensemble& ensemble, WorkerPool& workers, const Ensemble::Each& each) {
  const long samples = ensemble.plan().samples, length = ensemble.block();
  const double numbers = static_cast<double>(length) * static_cast<double>(ensemble.bands().size());
  const double blocks = std::clamp(most_numbers / numbers, 1.0 * workers.size(),
                                   1.0 * blocks_for_each * workers.size());
  std::vector<std::string> inputs;
  std::vector<long> counts;
  for (long first = ensemble.done(); first < samples && static_cast<double>(inputs.size()) < blocks;
       first += counts.back()) {
    counts.push_back(std::min(length, samples - first));
    RecordWriter w;
    w.whole(first);
    w.whole(counts.back());
    inputs.push_back(w.bytes());
  }
  std::map<std::size_t, Tables> early;  // blocks whose turn has not come
  std::size_t next = 0;
  auto done = [&](std::size_t block, std::string_view record) {
    if (record.empty()) return;
    early[block] = tables_of(record, counts[block]);
    for (auto at = early.begin(); at != early.end() && at->first == next; at = early.begin()) {
      std::vector<SampleRun> runs;
      for (std::size_t k = 0; k < at->second.tables.size(); ++k)
        runs.push_back({at->second.tables[k], at->second.failures[k]});
      ensemble.count(runs, each);
      early.erase(at);
      ++next;
    }
  };
  workers.spread(block_kind, inputs, 1, block_work(ensemble), {{}, done});
  return next == inputs.size();
}

void serve_ensemble(Ensemble& ensemble, WorkerPool& workers) {
  workers.serve({{block_kind, block_work(ensemble)}}, 1);
}

}  // namespace stiffit::internal
