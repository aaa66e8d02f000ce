// SPDX-License-Identifier: Apache-2.0
#include "ensemble/ensemble.h"

#include <algorithm>

#include "base/thresholds.h"
#include "ensemble/pilot.h"

namespace stiffit {
namespace {

// So many doubles are held at a time: what the second cache can hold, but enough trajectories that
// lanes without work at the end of a block are few, and at most so much memory.
constexpr double cached_numbers = 1e5, most_numbers = 8e6;
constexpr double usual_block = 256, longest_block = 4096, shortest_block = 16;
constexpr long failures_listed = 10000;

}  // namespace

Ensemble::Ensemble(EnsemblePlan plan)
    : plan_(std::move(plan)),
      bands_(plan_.times.size() * plan_.problem.program->output_names.size()) {}

std::vector<double> Ensemble::parameters(long sample) const {
  std::vector<double> values = plan_.problem.program->parameter_values;
  for (std::size_t k = 0; k < plan_.sampled.size(); ++k)
    values[static_cast<std::size_t>(plan_.sampled[k].parameter)] =
        draw(plan_.sampled[k].distribution, plan_.seed, static_cast<std::uint64_t>(sample), k);
  return values;
}

long Ensemble::block() const {
  const Program& program = *plan_.problem.program;
  const double numbers = static_cast<double>(plan_.times.size() + 1) *
                         static_cast<double>(program.output_names.size() +
                                             static_cast<std::size_t>(program.states) + 1);
  const double cached = std::clamp(cached_numbers / numbers, usual_block, longest_block);
  return static_cast<long>(std::clamp(most_numbers / numbers, shortest_block, cached));
}

// Requests for the next samples, and once what runs them. The first samples decide the method, also
// of a run that goes on with later ones.
void Ensemble::prepare(long first, long count) {
  Request plain;
  plain.start = plan_.start;
  plain.times = plan_.times;
  if (!runs_) {
    requests_.assign(static_cast<std::size_t>(std::min(block(), plan_.samples)), plain);
    for (std::size_t i = 0; i < requests_.size(); ++i)
      requests_[i].parameters = parameters(static_cast<long>(i));
    integration_ = pilot(plan_.problem, requests_, plan_.integration);
    runs_ = std::make_unique<ManyRuns>(plan_.problem, integration_, plan_.threads);
  }
  requests_.resize(static_cast<std::size_t>(count), plain);
  for (std::size_t i = 0; i < requests_.size(); ++i)
    requests_[i].parameters = parameters(first + static_cast<long>(i));
}

// Samples that the method of the pilot could not bring to an end, as planned. Empty: none.
std::vector<Trajectory> Ensemble::repeat(std::span<const Trajectory> runs) const {
  std::vector<Request> again;
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i].outcome.status != Status::done) again.push_back(requests_[i]);
  if (again.empty() || integration_.method == plan_.integration.method) return {};
  return simulate_many(plan_.problem, again, plan_.integration, plan_.threads);
}

std::vector<SampleRun> Ensemble::simulate(long first, long count) {
  prepare(first, count);
  const std::span<const Trajectory> once = runs_->run(requests_);
  repeated_ = repeat(once);
  std::vector<SampleRun> runs;
  for (std::size_t next = 0; const Trajectory& run : once) {
    const bool replaced = run.outcome.status != Status::done && !repeated_.empty();
    const Trajectory& last = replaced ? repeated_[next++] : run;
    if (last.outcome.status == Status::interrupted) return {};
    const bool done = last.outcome.status == Status::done;
    runs.push_back(
        {last.outputs, done ? "" : describe(last.outcome, plan_.problem.program->state_names)});
  }
  return runs;
}

void Ensemble::count(std::span<const SampleRun> runs, const Each& each) {
  std::vector<std::span<const double>> tables;
  for (const SampleRun& run : runs)
    if (run.failure.empty()) tables.push_back(run.table);
  bands_.add(tables, plan_.threads);
  for (const SampleRun& run : runs) {
    if (!run.failure.empty() && ++failures_ <= failures_listed)
      failed_.push_back({done_, run.failure});
    if (each) each(done_, run);
    ++done_;
  }
}

bool Ensemble::advance(const Each& each) {
  const std::vector<SampleRun> runs = simulate(done_, std::min(block(), plan_.samples - done_));
  if (runs.empty()) return false;
  count(runs, each);
  return true;
}

void Ensemble::save(RecordWriter& out) const {
  out.whole(done_);
  out.whole(failures_);
  out.whole(static_cast<std::int64_t>(failed_.size()));
  for (const FailedSample& failed : failed_) {
    out.whole(failed.sample);
    out.text(failed.reason);
  }
  bands_.save(out);
}

void Ensemble::restore(RecordReader& from) {
  done_ = from.whole();
  failures_ = from.whole();
  failed_.resize(from.length(2 * sizeof(std::int64_t)));
  for (FailedSample& failed : failed_) {
    failed.sample = from.whole();
    failed.reason = from.text();
  }
  bands_.restore(from);
}

int ensemble_lanes(const System& system) {
  if (!system.delays.empty() || best_isa() == Isa::portable) return 1;
  if (best_isa() == Isa::avx512 &&
      static_cast<int>(system.states.size()) <= thresholds::states_for_eight_lanes)
    return 8;
  return 4;
}

}  // namespace stiffit
