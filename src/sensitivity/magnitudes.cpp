// SPDX-License-Identifier: Apache-2.0
#include "sensitivity/magnitudes.h"

#include <algorithm>
#include <cmath>

#include "ode/method_registry.h"

namespace stiffit::internal {
namespace {

constexpr double rough = 1e-3;

class MagnitudeRun final : public StepsObserver {
 public:
  explicit MagnitudeRun(std::vector<double>& largest) : largest_(largest) {}

  void begin(const LaneGroup& group) override { largest_.assign(group.n, 0.0); }
  double passed(const LaneGroup& group, const Stepper&) override {
    for (std::size_t i = 0; i < largest_.size(); ++i)
      largest_[i] = std::max(largest_[i], group.share[i] * std::fabs(group.y_new[i]));
    return 0;
  }
  void accepted() override {}
  void landed(double) override {}

 private:
  std::vector<double>& largest_;
};

}  // namespace

const std::vector<double>& StateMagnitudes::find(const Request& request,
                                                 const IntegrationOptions& options) {
  largest_.clear();
  if (options.atol >= 0 || options.fixed_step > 0 || request.times.empty()) return largest_;
  IntegrationOptions quick = options;
  quick.method = method_name(MethodRole::stiff);
  quick.rtol = std::max(rough, options.rtol);
  if (!simulator_) simulator_ = std::make_unique<ObservedSimulator>(problem_, quick);
  simulator_->options() = quick;
  request_ = request;
  request_.times = {request.times.back()};
  MagnitudeRun run(largest_);
  simulator_->run(request_, run, trajectory_);
  if (trajectory_.outcome.status != Status::done) largest_.clear();
  return largest_;
}

}  // namespace stiffit::internal
