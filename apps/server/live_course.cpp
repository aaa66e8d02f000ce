// SPDX-License-Identifier: Apache-2.0
#include "server/live_course.h"

#include "server/http/request_error.h"

namespace stiffit {

std::shared_ptr<const SourceModel> LiveModels::model(const ModelSource& source) {
  const std::string key = source.key();
  if (auto found = models_.find(key)) return found;
  auto read = std::make_shared<const SourceModel>(read_source(source));
  models_.put(key, read);
  return read;
}

TimeCourse LiveModels::simulate(const SourceModel& model, const LiveRequest& request) {
  if (!model.model) throw RequestError::about(model.diagnostics, 422, "the model has errors");
  try {
    return courses_.simulate(model.model, model.source.key(), request);
  } catch (const TooManyValues& error) {
    throw RequestError(413, error.what(), "ask for fewer points or columns");
  }
}

}  // namespace stiffit
