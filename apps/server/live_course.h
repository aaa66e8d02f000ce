// Simulations that follow a slider: models stay read and compiled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/pipeline/live_courses.h"
#include "server/model_source.h"

namespace stiffit {

class LiveModels {
 public:
  LiveModels() : models_(64), courses_(64) {}

  // Read anew only if it is not among the last ones.
  std::shared_ptr<const SourceModel> model(const ModelSource& source);
  // Throws RequestError with the findings if the model has errors, InputError and UsageError if the
  // request does not suit it.
  TimeCourse simulate(const SourceModel& model, const LiveRequest& request);
  std::size_t compiled() const { return courses_.compiled(); }  // how often, for tests

 private:
  Recent<const SourceModel> models_;
  LiveCourses courses_;
};

}  // namespace stiffit
