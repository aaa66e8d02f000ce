// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/flow/flow_paths.h"

#include "base/number.h"

namespace stiffit::internal {

void FlowPaths::keep(const std::vector<double>& start, std::vector<FlowPoint> path) {
  std::lock_guard lock(mutex_);
  paths_[start] = std::move(path);
}

std::string FlowPaths::table(const std::vector<double>& start,
                             const std::vector<EstimatedParameter>& unknowns) const {
  std::lock_guard lock(mutex_);
  const auto path = paths_.find(start);
  if (path == paths_.end()) return {};
  std::string text = "tau\tobjective\tgradients";
  for (const EstimatedParameter& u : unknowns) text += "\t" + u.id;
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

}  // namespace stiffit::internal
