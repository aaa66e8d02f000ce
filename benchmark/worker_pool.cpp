// How far a run spreads: what a piece costs the coordinator (receive its result, keep it, hand out
// the next), measured over MPI with pieces that take no time, so many at once that the coordinator
// never waits for one, and the queue of up to 10,000 processes played with that cost.
//   mpirun -n 3 build/worker_pool [FOLDER]     (stiffit_mpi.so beside it)
// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/worker_pool.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <queue>
#include <random>

#include "runtime/checkpoint/run_directory.h"
#include "runtime/distributed/load_channel.h"

namespace {

using namespace stiffit::internal;
using Clock = std::chrono::steady_clock;

constexpr std::size_t record_size = 10000;  // of a start with 20 unknowns and 100 measurements
constexpr std::size_t pieces = 5000;
constexpr int at_once = 32;  // in each process

std::string nothing(std::string_view, const WorkerNote&) { return std::string(record_size, 'x'); }

struct Cost {
  double clock, processor;  // seconds
};

double processor_now() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Of the coordinator for a piece; the others only wait for it.
Cost cost_of_a_piece(WorkerPool& workers, const std::string& folder) {
  std::filesystem::remove_all(folder);
  RunDirectory kept(folder, "crew", {}, false);
  const std::vector<std::string> inputs(pieces, std::string(8, 'i'));
  workers.spread("nothing", std::vector<std::string>(10, "warm"), 0, nothing, {});
  const auto began = Clock::now();
  const double processor_began = processor_now();
  workers.spread("nothing", inputs, 0, nothing, {{}, [&](std::size_t k, std::string_view record) {
                                                   kept.put("piece", static_cast<std::int64_t>(k),
                                                            record);
                                                 }});
  const double processor = processor_now() - processor_began;
  const double clock = std::chrono::duration<double>(Clock::now() - began).count();
  return {clock / static_cast<double>(pieces), processor / static_cast<double>(pieces)};
}

// The share of the processes' time that is work: `count` of them, `each` pieces for each of a mean
// length and lengths spread as those of fits are (lognormal, sigma 1), one coordinator that serves
// one message after the other.
double efficiency(int count, int each, double mean, double service) {
  constexpr double sigma = 1;
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> length(std::log(mean) - sigma * sigma / 2, sigma);
  std::priority_queue<double, std::vector<double>, std::greater<>> ends;  // of pieces in work
  double coordinator = 0, work = 0, last = 0;
  const long all = long{each} * count;
  auto begin = [&] {
    coordinator += service;
    const double long_it_takes = length(random);
    work += long_it_takes;
    ends.push(coordinator + long_it_takes);
  };
  long begun = 0;
  for (; begun < count; ++begun) begin();
  while (!ends.empty()) {
    last = ends.top();
    ends.pop();
    coordinator = std::max(coordinator, last);
    if (begun < all) {
      begin();
      ++begun;
    }
  }
  return work / (count * std::max(coordinator, last));
}

void play(double service, int each) {
  std::printf("\nshare of the processes' time that is work, %d pieces for each\n\n", each);
  std::printf("| processes | 0.01 s | 0.1 s | 1 s | 10 s | 100 s | no cost of the coordinator |\n");
  std::printf("|---|---|---|---|---|---|---|\n");
  for (int count : {10, 100, 1000, 10000}) {
    std::printf("| %d |", count);
    for (double mean : {0.01, 0.1, 1., 10., 100.})
      std::printf(" %.3f |", efficiency(count, each, mean, service));
    std::printf(" %.3f |\n", efficiency(count, each, 1, 0));
  }
}

}  // namespace

int main(int count, char** words) try {
  if (!started_with_others()) {
    std::fprintf(stderr, "usage: mpirun -n 3 worker_pool [FOLDER]\n");
    return 2;
  }
  WorkerPool workers(load_channel(), nullptr);
  if (!workers.is_coordinator()) {
    workers.serve({{"nothing", nothing}}, at_once);
    return 0;
  }
  std::vector<Cost> costs;
  for (int k = 0; k < 5; ++k)
    costs.push_back(cost_of_a_piece(workers, count > 1 ? words[1] : "crew-run"));
  std::sort(costs.begin(), costs.end(), [](Cost a, Cost b) { return a.clock < b.clock; });
  std::printf(
      "a piece costs the coordinator %.0f us by the clock (median of 5; %.0f to %.0f), %.0f us of "
      "its "
      "processor; records of %zu bytes\n",
      costs[2].clock * 1e6, costs[0].clock * 1e6, costs[4].clock * 1e6, costs[2].processor * 1e6,
      record_size);
  for (int each : {10, 100}) play(costs[2].clock, each);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
