// SPDX-License-Identifier: Apache-2.0
#include "ensemble/ensemble.h"

#include <algorithm>

#include "base/thresholds.h"

namespace stiffit {
namespace {

constexpr double numbers_in_a_block = 8e6;  // so many doubles are held at a time
constexpr double longest_block = 4096;
constexpr std::size_t failures_listed = 10000;

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
  return static_cast<long>(std::clamp(numbers_in_a_block / numbers, 16.0, longest_block));
}

bool Ensemble::advance(const Each& each) {
  const long count = std::min(block(), plan_.samples - done_);
  std::vector<Request> requests(static_cast<std::size_t>(count));
  for (long i = 0; i < count; ++i) {
    Request& request = requests[static_cast<std::size_t>(i)];
    request.start = plan_.start;
    request.times = plan_.times;
    request.parameters = parameters(done_ + i);
  }
  const std::vector<Trajectory> runs =
      simulate_many(plan_.problem, requests, plan_.integration, plan_.threads);
  for (const Trajectory& run : runs)
    if (run.outcome.status == Status::interrupted) return false;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const long sample = done_ + static_cast<long>(i);
    if (runs[i].outcome.status == Status::done)
      bands_.add(runs[i].outputs);
    else if (++failures_; failed_.size() < failures_listed)
      failed_.push_back({sample, describe(runs[i].outcome, plan_.problem.program->state_names)});
    if (each) each(sample, requests[i], runs[i]);
  }
  done_ += count;
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
