// SPDX-License-Identifier: Apache-2.0
#include "server/live_course.h"

#include "server/http/request_error.h"
#include "stiffit/errors.h"

namespace stiffit::internal {

std::shared_ptr<const SourceModel> LiveModels::model(const ModelSource& source,
                                                     const api::RunOptions& run) {
  const std::string key = source.key();
  if (auto found = models_.find(key)) return found;
  auto read = std::make_shared<const SourceModel>(read_source(source, run));
  models_.put(key, read);
  return read;
}

api::TimeCourse LiveModels::simulate(const SourceModel& model,
                                     const api::SimulateOptions& options) {
  if (!model.model) throw RequestError::about(model.diagnostics, 422, "the model has errors");
  try {
    return model.model->simulate(options);
  } catch (const api::TooLarge&) {
    throw RequestError(413, "the answer would be too large", "ask for fewer points or columns");
  }
}

}  // namespace stiffit::internal
