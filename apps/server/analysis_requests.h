// How stiff a model is, what methods need for it, and where they are stable.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/jobs/deadlines.h"
#include "server/jobs/task.h"
#include "server/live_course.h"

namespace stiffit::internal {

// Integrators and ways to fit, for choosing.
Json describe_methods();

class AnalysisRequests {
 public:
  AnalysisRequests(LiveModels& models, Tasks& tasks, Deadlines& deadlines, ServeLimits limits)
      : models_(models), tasks_(tasks), deadlines_(deadlines), limits_(limits), drawing_(1) {}

  // As the commands of that name say it with --json; stiffness with the eigenvalues at some times.
  Json stiffness(const Json& request);
  Json compare(const Json& request);
  // Where a method is stable, in the plane of h*lambda.
  Json stability(const Json& request);

 private:
  Json spectra(const ModelSource& source, api::StiffnessOptions options);

  LiveModels& models_;
  Tasks& tasks_;
  Deadlines& deadlines_;
  ServeLimits limits_;
  Places drawing_;
  LruCache<const Json> stable_{100};  // by method: the same for ever, and a while to find
};

}  // namespace stiffit::internal
