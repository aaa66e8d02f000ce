// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/fit_run.h"

#include <memory>

#include "base/diagnostic.h"
#include "base/interrupt.h"
#include "base/record.h"
#include "estimation/pipeline/fit_records.h"

namespace stiffit::internal {
namespace {

std::vector<StartResult> stored_starts(const RunDirectory& folder, std::size_t unknowns) {
  std::vector<StartResult> starts;
  try {
    for (const std::string& record : folder.get("start")) {
      starts.push_back(start_of(record));
      if (starts.back().fit.x.size() != unknowns) throw BadRecord("another problem's start");
    }
  } catch (const BadRecord& error) {
    throw InputError("error: the state of the run in " + folder.path() +
                     " is damaged: " + error.what());
  }
  return starts;
}

std::vector<int> minimum_of_starts(const Objective& objective, const FitSummary& f) {
  // The same grouping again, start by start: a start belongs to the first minimum it does not
  // found a new one beside.
  std::vector<int> minimum(f.starts.size(), -1);
  for (std::size_t i : f.order) {
    if (f.starts[i].fit.outcome != FitOutcome::converged) continue;
    for (std::size_t k = 0; k < f.minima.size(); ++k) {
      std::vector<StartResult> pair{f.starts[f.minima[k].result], f.starts[i]};
      if (f.minima[k].result == i || distinct_minima(objective, pair).size() == 1) {
        minimum[i] = static_cast<int>(k);
        break;
      }
    }
  }
  return minimum;
}

constexpr const char* start_kind = "start";

WorkerTask start_work(const MultiStart& multi) {
  return [&multi](std::string_view input, const WorkerNote&) {
    return record_of(multi.run_one(RecordReader(input).whole()));
  };
}

void spread_starts(MultiStart& multi, WorkerPool& workers, int threads) {
  multi.spread = [&, threads](std::span<const std::size_t> wanted,
                              const MultiStart::Arrived& arrived) {
    std::vector<std::string> inputs;
    for (std::size_t index : wanted) {
      RecordWriter input;
      input.whole(index);
      inputs.push_back(input.bytes());
    }
    workers.spread(start_kind, inputs, threads, start_work(multi),
                   {{}, [&](std::size_t, std::string_view record) { arrived(start_of(record)); }});
  };
}

}  // namespace

void add_fit_work(std::map<std::string, WorkerTask>& works, const Objective& objective,
                  const FitRequest& request) {
  auto multi = std::make_shared<const MultiStart>(objective, request.options);
  works[start_kind] = [multi, work = start_work(*multi)](std::string_view input,
                                                         const WorkerNote& note) {
    return work(input, note);
  };
}

FitSummary run_starts(const Objective& objective, const FitRequest& request) {
  FitSummary f;
  f.problem = request.problem;
  f.method = request.method;
  f.unknowns = objective.unknowns();
  f.seed = request.options.seed;
  f.level = request.level;
  const MultiStartOptions& options = request.options;
  f.starts_asked = std::max(options.starts, options.given.size());
  MultiStart multi(objective, options);
  if (request.workers) spread_starts(multi, *request.workers, options.threads);
  if (request.folder) multi.finished = stored_starts(*request.folder, f.unknowns.size());
  std::size_t done = multi.finished.size();
  if (request.progress) request.progress(done);
  if (request.finished)
    for (const StartResult& start : multi.finished) request.finished(start);
  multi.on_finished = [&](const StartResult& start) {
    if (request.folder) request.folder->put("start", start.index, record_of(start));
    if (request.progress) request.progress(++done);
    if (request.finished) request.finished(start);
  };
  f.starts = multi.run();
  f.interrupted = options.local.interrupt && options.local.interrupt->load();
  if (f.interrupted) InterruptScope::heard();
  rank_starts(objective, f);
  return f;
}

void rank_starts(const Objective& objective, FitSummary& f) {
  mark_plateaus(objective, f.starts);
  f.order = ranked(f.starts);
  f.minima = distinct_minima(objective, f.starts);
  f.minimum = minimum_of_starts(objective, f);
  if (f.found()) f.statistics = fit_statistics(objective, f.best().fit, f.level);
}

}  // namespace stiffit::internal
