// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/distributed_objective.h"

#include <algorithm>

#include "base/record.h"
#include "estimation/pipeline/fit_records.h"

namespace stiffit::internal {
namespace {

constexpr const char* values_kind = "values";

WorkerTask values_work(const Objective& inner) {
  return [&inner](std::string_view input, const WorkerNote&) {
    RecordReader r(input);
    std::vector<std::vector<double>> points(r.length(sizeof(std::int64_t)));
    for (std::vector<double>& point : points) point = r.numbers();
    RecordWriter w;
    for (const Evaluation& e : inner.values(points, 1)) w.text(record_of(e));
    return w.bytes();
  };
}

}  // namespace

std::vector<Evaluation> DistributedObjective::values(std::span<const std::vector<double>> thetas,
                                                     int threads) const {
  // One share for each place; none so small that its lanes are empty. (A single point runs without
  // lanes, which rounds differently.)
  constexpr std::size_t least = 4;
  const std::size_t places = workers_.places(threads);
  const std::size_t shares = std::max<std::size_t>(1, std::min(places, thetas.size() / least));
  auto begin = [&](std::size_t share) { return thetas.size() * share / shares; };
  std::vector<std::string> inputs;
  for (std::size_t share = 0; share < shares; ++share) {
    RecordWriter w;
    w.whole(begin(share + 1) - begin(share));
    for (std::size_t k = begin(share); k < begin(share + 1); ++k) w.numbers(thetas[k]);
    inputs.push_back(w.bytes());
  }
  std::vector<Evaluation> result(thetas.size());
  for (Evaluation& e : result) e.failure = "interrupted";
  auto done = [&](std::size_t piece, std::string_view record) {
    RecordReader r(record);
    for (std::size_t k = begin(piece); k < begin(piece + 1); ++k)
      result[k] = evaluation_of(r.text());
    r.finish();
  };
  workers_.spread(values_kind, inputs, threads, values_work(inner_), {{}, done});
  return result;
}

void DistributedObjective::add_work(std::map<std::string, WorkerTask>& works,
                                    const Objective& inner) {
  works[values_kind] = values_work(inner);
}

}  // namespace stiffit::internal
