// Work as one file to be handed on, with the results of its jobs; and whatever people open: such a
// file, a model, a PEtab problem.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/jobs/job_store.h"
#include "server/work/work_store.h"

namespace stiffit::internal {

// The bytes of a .stiffit file: a zip archive of work.json and the files of the jobs it names.
std::string export_work(const std::string& id, WorkStore& works, JobStore& jobs);

// A new work of {"name", "content" (base64)}; {"id", "title"}.
Json import_work(const Json& request, WorkStore& works, JobStore& jobs, const ServeLimits& limits);

}  // namespace stiffit::internal
