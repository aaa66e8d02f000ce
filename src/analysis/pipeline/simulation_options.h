// What the rooms make of the options that users fill. They are checked already (check_options).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/compare/compare.h"
#include "analysis/pipeline/ensemble_plan.h"
#include "analysis/pipeline/model_stiffness.h"
#include "analysis/pipeline/reduction.h"
#include "analysis/pipeline/scan.h"
#include "analysis/pipeline/steady_answer.h"
#include "analysis/pipeline/time_course.h"
#include "analysis/steady/steady_state.h"
#include "stiffit/options.h"

namespace stiffit::internal {

// Of options with `set` and `assumed_size`.
template <class Options>
ModelSettings model_settings(const Options& options) {
  return {{options.set.begin(), options.set.end()}, options.assumed_size};
}

// All cores, or as many as are asked for.
int threads_of(const api::RunOptions& run);

TimeCourseOptions course_options(const api::SimulateOptions& options);
TimeCourseOptions course_options(const api::StiffnessOptions& options);
TimeCourseOptions course_options(const api::CompareOptions& options);
TimeCourseOptions course_options(const api::ParameterEnsembleOptions& options);
SteadyOptions steady_options(const api::SteadyOptions& options);
CompareOptions compare_options(const api::CompareOptions& options);
ReductionOptions reduction_options(const api::ReduceOptions& options);
ScanOptions scan_options(const api::ScanOptions& options);
// With the settings of the model made. Throw InputError and OptionError.
ModelStiffness model_stiffness(const std::shared_ptr<const Model>& model,
                               const api::StiffnessOptions& options);
SteadyAnswer steady_answer(const std::shared_ptr<const Model>& model,
                           const api::SteadyOptions& options);
IntegrationOptions integration_options(const api::IntegrateOptions& options);
// With samples, seed and threads. Throws InputError and OptionError.
PlannedEnsemble plan_ensemble(const std::shared_ptr<const Model>& model,
                              const api::ParameterEnsembleOptions& options);

}  // namespace stiffit::internal
