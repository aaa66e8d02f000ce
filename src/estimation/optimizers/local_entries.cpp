// The entries of methods that descend from one point.
// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/flow/gradient_flow.h"
#include "estimation/optimizers/gauss_newton.h"
#include "estimation/optimizers/nelder_mead.h"
#include "estimation/optimizers/optimizer.h"
#include "estimation/optimizers/trust_region.h"

namespace stiffit::internal {
namespace {

using Descent = LocalFit (*)(const Objective&, std::span<const double>, const LocalOptions&);

template <Descent descent>
class DescentOptimizer final : public Optimizer {
 public:
  LocalFit minimize(const Objective& objective, std::span<const double> start,
                    const LocalOptions& local, const SearchHooks&) const override {
    return descent(objective, start, local);
  }
};

template <Descent descent>
std::shared_ptr<const Optimizer> make_descent(const api::FitOptions&) {
  return std::make_shared<const DescentOptimizer<descent>>();
}

class FlowOptimizer final : public Optimizer {
 public:
  explicit FlowOptimizer(FlowOptions options) : options_(std::move(options)) {}
  LocalFit minimize(const Objective& objective, std::span<const double> start,
                    const LocalOptions& local, const SearchHooks& hooks) const override {
    FlowOptions own = options_;
    own.on_point = hooks.on_point;
    return fit_gradient_flow(objective, start, local, own);
  }

 private:
  FlowOptions options_;
};

std::shared_ptr<const Optimizer> make_flow(const api::FitOptions& options) {
  FlowOptions o;
  for (FlowKind kind : {FlowKind::accelerated, FlowKind::stiff, FlowKind::runge_kutta})
    if (options.flow == flow_name(kind)) o.kind = kind;
  if (options.degree > 0) o.degree = options.degree;
  return std::make_shared<const FlowOptimizer>(std::move(o));
}

}  // namespace

OptimizerEntry trust_region_entry() {
  return {{.name = "trust-region", .gradient = true, .staged = true},
          make_descent<fit_trust_region>};
}

// What follows the descent with the courses in pieces is that of the default method.
OptimizerEntry multiple_shooting_entry() {
  return {{.name = "multiple-shooting", .gradient = true, .staged = true, .shooting = true},
          make_descent<fit_trust_region>};
}

OptimizerEntry gauss_newton_entry() {
  return {{.name = "gauss-newton", .gradient = true, .residuals = true},
          make_descent<fit_gauss_newton>};
}

OptimizerEntry nelder_mead_entry() {
  return {{.name = "nelder-mead"}, make_descent<fit_nelder_mead>};
}

OptimizerEntry gradient_flow_entry() {
  return {{.name = "gradient-flow",
           .gradient = true,
           .path = true,
           .distributable = false,
           .options = {"flow", "degree"}},
          make_flow};
}

}  // namespace stiffit::internal
