// A job as the page asks for it, to the files and the command line it runs with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "server/http/json_fields.h"
#include "server/model_source.h"
#include "server/serve_options.h"
#include "server/work/archive.h"

namespace stiffit::internal {

struct JobPlan {
  std::string kind, title, work;
  std::vector<std::string> words;  // without --resume, which a second run adds
  FileMap files;                   // of its folder
};

// Gives the parameters.tsv of another job.
using ParametersOf = std::function<std::string(const std::string& job)>;
// Throws RequestError.
JobPlan plan_job(const Json& request, const ServeLimits& limits, const ParametersOf& parameters_of);

// The model of a source as a file, named by its kind.
std::string model_file_name(const ModelSource& source);
// The YAML file of a PEtab problem among files; RequestError if there is none, or more than one at
// the top.
std::string petab_file(const FileMap& files);
// The command's folder of results within a job's folder.
inline constexpr const char* job_output = "out";
inline constexpr const char* job_progress = "progress.json";

}  // namespace stiffit::internal
