// SPDX-License-Identifier: Apache-2.0
#include "sensitivity/magnitudes.h"

#include <algorithm>
#include <cmath>

#include "integrate/observer.h"

namespace stiffit {
namespace {

constexpr double rough = 1e-3;

class MagnitudeRun final : public StepObserver {
 public:
  std::vector<double> largest;

  void begin(const LaneGroup& group) override {
    largest.assign(static_cast<std::size_t>(group.n), 0.0);
  }
  double passed(const LaneGroup& group, const Stepper&) override {
    for (std::size_t i = 0; i < largest.size(); ++i)
      largest[i] = std::max(largest[i], std::fabs(group.y_new[i]));
    return 0;
  }
  void accepted() override {}
  void landed(double) override {}
  void output(std::size_t, double) override {}
  void output(std::size_t) override {}
  void arrive(const Switching&) override {}
  void mode_changes(const Switching&, std::size_t) override {}
  void triggered(const Switching&, int, int) override {}
  void executes(const Switching&, int, int, const double*, const double*) override {}
  void algebraic_solved(const Switching&) override {}
  void departed(const Switching&) override {}
};

}  // namespace

std::vector<double> state_magnitudes(const Problem& problem, const Request& request,
                                     const IntegrationOptions& options) {
  if (options.atol >= 0 || options.fixed_step > 0 || request.times.empty()) return {};
  IntegrationOptions quick = options;
  quick.method = "rodas5p";
  quick.rtol = std::max(rough, options.rtol);
  Request whole = request;
  whole.times = {request.times.back()};
  MagnitudeRun run;
  const Trajectory t = simulate_observed(problem, whole, quick, run);
  return t.outcome.status == Status::done ? run.largest : std::vector<double>{};
}

}  // namespace stiffit
