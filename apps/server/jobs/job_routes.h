// Routes of jobs and of kept work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

#include "server/http/bounded_server.h"
#include "server/jobs/job_runner.h"
#include "server/work/work_store.h"

namespace stiffit::internal {

struct JobServices {
  JobStore& store;
  JobRunner& runner;
  WorkStore& works;
  const ServeLimits& limits;
  const std::atomic<bool>& ending;  // event streams end with it
};

void add_job_routes(httplib::Server& http, JobServices services);
void add_work_routes(httplib::Server& http, JobServices services);

}  // namespace stiffit::internal
