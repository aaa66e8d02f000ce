// Simulations that follow a slider: models stay read and compiled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/lru_cache.h"
#include "server/model_source.h"

namespace stiffit::internal {

class LiveModels {
 public:
  LiveModels() : models_(24) {}

  // Read anew only if it is not among the last ones. Throws Interrupted of the library.
  std::shared_ptr<const SourceModel> model(const ModelSource& source,
                                           const api::RunOptions& run = {});
  // Throws RequestError with the findings if the model has errors, InputError of the library if the
  // request does not suit it.
  api::TimeCourse simulate(const SourceModel& model, const api::SimulateOptions& options);

 private:
  LruCache<const SourceModel> models_;  // each with a few compiled forms
};

}  // namespace stiffit::internal
