// An ensemble of parameter sets of a model, ready to be simulated.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "analysis/ensemble/ensemble.h"
#include "analysis/pipeline/time_course.h"
#include "analysis/pipeline/varied_parameters.h"

namespace stiffit::internal {

struct PlannedEnsemble {
  std::shared_ptr<const Model> model;  // with its settings made
  EnsemblePlan plan;                   // samples, seed and threads are to be set
};

// Throws InputError and OptionError.
PlannedEnsemble plan_ensemble(const std::shared_ptr<const Model>& model,
                              const TimeCourseOptions& options,
                              const std::vector<ParameterDistribution>& sampled);

}  // namespace stiffit::internal
