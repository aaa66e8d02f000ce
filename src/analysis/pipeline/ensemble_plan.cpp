// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/ensemble_plan.h"

namespace stiffit::internal {

PlannedEnsemble plan_ensemble(const std::shared_ptr<const Model>& model,
                              const TimeCourseOptions& options,
                              const std::vector<ParameterDistribution>& sampled) {
  std::vector<std::string> names;
  for (const ParameterDistribution& option : sampled) names.push_back(option.name);
  const PreparedCourse course = prepare_course(model, options, names);
  PlannedEnsemble planned{course.model, {}};
  EnsemblePlan& plan = planned.plan;
  plan.integration = options.integration;
  plan.problem = course.problem;
  plan.start = course.request.start;
  plan.times = course.request.times;
  for (const ParameterDistribution& option : sampled)
    plan.sampled.push_back(
        {varied_parameter(course.resolved.system, *course.model, "sample", option.name),
         option.distribution});
  return planned;
}

}  // namespace stiffit::internal
