// An ensemble of parameter sets of one model, simulated block by block in lanes and threads and
// reduced on the way. The result is the same for any number of threads, and can be kept after any
// block. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "analysis/ensemble/bands.h"
#include "analysis/ensemble/distribution.h"
#include "ode/many_runs.h"

namespace stiffit::internal {

struct SampledParameter {
  int parameter = -1;  // of the program
  Distribution distribution;
};

struct EnsemblePlan {
  Problem problem;
  double start = 0;
  std::vector<double> times;
  std::vector<SampledParameter> sampled;
  long samples = 1000;
  unsigned long long seed = 1;
  IntegrationOptions integration;
  int threads = 1;
};

struct FailedSample {
  long sample = 0;
  std::string reason;
};

// What became of a sample: its outputs ([time][output], NaN after a failure), and why it failed.
struct SampleRun {
  std::span<const double> table;
  std::string failure;  // empty: it did not
};

class Ensemble {
 public:
  explicit Ensemble(EnsemblePlan plan);

  long done() const { return done_; }
  bool finished() const { return done_ >= plan_.samples; }
  // Simulates the next block, or with several threads blocks for some tenths of a second. `each`
  // sees every sample in order. False: interrupted; the block where that was does not count.
  using Each = std::function<void(long sample, const SampleRun&)>;
  bool advance(const Each& each = {});

  // The same in two parts, the first of which another process can do: some samples, which stay
  // until the next call (empty: interrupted), and counting those that come next.
  long block() const;
  std::vector<SampleRun> simulate(long first, long count);
  void count(std::span<const SampleRun> runs, const Each& each = {});

  const EnsemblePlan& plan() const { return plan_; }
  // How the samples are integrated; as planned, unless that was left to us.
  const IntegrationOptions& integration() const { return integration_; }
  const Bands& bands() const { return bands_; }  // a cell is [time][output]
  // The first of those that failed, so many that a person might look at them, and how many did.
  const std::vector<FailedSample>& failed() const { return failed_; }
  long failures() const { return failures_; }
  // The parameters of a sample, as the program takes them.
  std::vector<double> parameters(long sample) const;

  // What has been done so far as bytes, to go on from there in another process. Reading throws
  // BadRecord.
  void save(RecordWriter& out) const;
  void restore(RecordReader& from);

 private:
  // What a thread runs its blocks with.
  struct Worker {
    std::unique_ptr<ManyRuns> runs;
    std::vector<Request> requests;     // of a block
    std::vector<Trajectory> repeated;  // of a block
  };
  class Round;
  void choose_method();
  std::vector<SampleRun> simulate(Worker& worker, long first, long count, int threads) const;
  std::vector<Trajectory> repeat(const Worker& worker, std::span<const Trajectory> runs,
                                 int threads) const;
  void note(std::span<const SampleRun> runs, const Each& each);

  EnsemblePlan plan_;
  IntegrationOptions integration_;
  Bands bands_;
  bool method_chosen_ = false;
  Worker joint_;                 // all threads on one block
  std::vector<Worker> workers_;  // each on blocks of its own
  std::vector<FailedSample> failed_;
  long done_ = 0, failures_ = 0;
};

// How many trajectories of such a system run best side by side on this machine.
int ensemble_lanes(const System& system);

}  // namespace stiffit::internal
