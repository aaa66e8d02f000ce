// Simulations that follow a slider: models stay read and compiled, and a request changes values
// only. What a value is part of the code of (an exponent, an initial assignment that it replaces)
// makes another compiled form, in which it may move from then on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "serve/model_source.h"
#include "serve/recent.h"
#include "workbench/time_course.h"

namespace stiffit {

struct LiveRequest {
  TimeCourseOptions options;             // its `set` is empty
  std::map<std::string, double> set;     // parameters, compartments, initial values
  std::size_t most_values = 20'000'000;  // rows times states and columns
};

class LiveModels {
 public:
  LiveModels() : models_(64), courses_(64) {}

  // Read anew only if it is not among the last ones.
  std::shared_ptr<const SourceModel> model(const ModelSource& source);
  // Throws RequestError with the findings if the model has errors, InputError and UsageError if the
  // request does not suit it.
  TimeCourse simulate(const SourceModel& model, const LiveRequest& request);
  std::size_t compiled() const { return compiled_; }  // how often, for tests

 private:
  struct Course;
  std::shared_ptr<const Course> course(const SourceModel& model, const LiveRequest& request,
                                       const std::vector<std::string>& built_in);

  Recent<const SourceModel> models_;
  Recent<const Course> courses_;
  std::atomic<std::size_t> compiled_{0};
};

}  // namespace stiffit
