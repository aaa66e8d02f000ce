// Short computations that a request waits for, each in a process of its own with limits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "server/http/json_fields.h"
#include "server/http/slot_guard.h"
#include "server/model_source.h"
#include "server/serve_options.h"
#include "server/work/archive.h"

namespace stiffit::internal {

class Tasks {
 public:
  explicit Tasks(const ServeOptions& options);

  // Runs a command on a model, with --json; its document. Throws RequestError: mistakes of the
  // model (422), too many tasks at the same time (503), out of time (504).
  Json run(const std::string& command, const ModelSource& model, std::vector<std::string> options);

 private:
  struct Result {
    int code = -1;
    std::string out, messages;
  };
  Result run(const FileMap& files, std::vector<std::string> words);

  ServeOptions options_;
  std::string folder_;
  Places free_;
};

}  // namespace stiffit::internal
