// POST /api/simulate: a request as the page sends it, to the curves it draws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/http/latest_wins.h"
#include "server/http/slot_guard.h"
#include "server/live_course.h"
#include "server/serve_options.h"

namespace stiffit::internal {

class SimulateRequests {
 public:
  SimulateRequests(LiveModels& models, Deadlines& deadlines, const ServeLimits& limits);
  // The answer, as JSON text. Throws RequestError, InputError, UsageError.
  std::string answer(const Json& request);

 private:
  api::SimulateOptions read(const Json& request, const Flag& stop) const;

  LiveModels& models_;
  Deadlines& deadlines_;
  ServeLimits limits_;
  LatestWins newest_;
  Places free_;
};

}  // namespace stiffit::internal
