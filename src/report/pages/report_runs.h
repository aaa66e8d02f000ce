// The pages of `stiffit simulate` and of ensembles without data.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analysis/ensemble/ensemble.h"
#include "analysis/pipeline/time_course.h"
#include "analysis/pipeline/varied_parameters.h"
#include "report/provenance.h"
#include "stiffit/analysis.h"

namespace stiffit::internal {

struct CourseReport {
  std::string name;                    // of the model
  std::shared_ptr<const Model> model;  // with its settings made
  TimeCourse course;
  double start = 0;
  std::string csv, stats;  // as the command gives them
  const std::optional<api::Verification>& verification;
  const std::atomic<bool>* interrupt = nullptr;
  Provenance provenance;
};
std::string course_page(const CourseReport& report);

struct EnsembleReport {
  std::string name;
  std::shared_ptr<const Model> model;
  const Ensemble& ensemble;
  const std::vector<ParameterDistribution>& sampled;
  Provenance provenance;
};
std::string ensemble_page(const EnsembleReport& report);

}  // namespace stiffit::internal
