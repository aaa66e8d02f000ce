// SPDX-License-Identifier: Apache-2.0
#include "workbench/flow_run.h"

#include "base/number.h"

namespace stiffit {

std::vector<OptionSpec> flow_option_specs() {
  return {
      {"flow", "F", "of gradient-flow: accelerated (default), stiff or runge-kutta", 0, false},
      {"degree", "D", "of the polynomials of an accelerated flow, 1 to 4 (default 2)", 0, false}};
}

FlowOptions read_flow_options(const Arguments& arguments, const std::string& method) {
  FlowOptions o;
  if (method != "gradient-flow") {
    for (const char* option : {"flow", "degree"})
      if (arguments.has(option))
        throw UsageError("--" + std::string(option) + " is for --method gradient-flow");
    return o;
  }
  const std::string kind = arguments.text("flow", "accelerated");
  if (kind == "stiff")
    o.kind = FlowKind::stiff;
  else if (kind == "runge-kutta")
    o.kind = FlowKind::runge_kutta;
  else if (kind != "accelerated")
    throw UsageError("--flow is accelerated, stiff or runge-kutta, not '" + kind + "'");
  const long degree = arguments.count("degree", o.degree);
  if (degree > 4) throw UsageError("--degree is 1 to 4");
  o.degree = static_cast<int>(degree);
  return o;
}

void add_flow_settings(RunSettings& settings, const FlowOptions& options) {
  settings["flow"] = std::to_string(static_cast<int>(options.kind));
  settings["degree"] = std::to_string(options.degree);
}

LocalMethod FlowPaths::method(FlowOptions options) {
  return [this, options](const Objective& objective, std::span<const double> start,
                         const LocalOptions& local) {
    FlowOptions own = options;
    std::vector<FlowPoint> path;
    own.on_point = [&](const FlowPoint& point) { path.push_back(point); };
    LocalFit fit = fit_gradient_flow(objective, start, local, own);
    std::lock_guard lock(mutex_);
    paths_[fit.start] = std::move(path);
    return fit;
  };
}

std::string FlowPaths::table(const std::vector<double>& start,
                             const std::vector<Unknown>& unknowns) const {
  std::lock_guard lock(mutex_);
  const auto path = paths_.find(start);
  if (path == paths_.end()) return {};
  std::string text = "tau\tobjective\tgradients";
  for (const Unknown& u : unknowns) text += "\t" + u.id;
  text += "\n";
  for (const FlowPoint& point : path->second) {
    text += format_number(point.tau) + "\t" + format_number(point.value) + "\t" +
            std::to_string(point.gradients);
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      text += "\t" + format_number(from_theta(point.x[i], unknowns[i].scale));
    text += "\n";
  }
  return text;
}

}  // namespace stiffit
