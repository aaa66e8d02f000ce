// What the page is told of a job: state, progress, the best point so far, results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/jobs/job_runner.h"

namespace stiffit::internal {

// One line of a list.
Json job_line(const Job& job, JobStore& store, JobRunner& runner);
Json job_report(const std::string& id, JobStore& store, JobRunner& runner);

}  // namespace stiffit::internal
