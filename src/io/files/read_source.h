// A model that somebody is still writing: everything that can be said of it without running it,
// each finding with its place, and without ever opening a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/files/check_model.h"

namespace stiffit::internal {

struct SourceReading {
  std::shared_ptr<const Model> model;  // null if it has errors
  std::vector<Finding> findings;
};

// Mistakes of the text, of the equations, and of their values at the start. `files` are those that
// the model may read (table("f.csv", x)).
SourceReading read_source(const std::string& name, const std::string& text,
                          const std::map<std::string, std::string>& files);

// With the ends of their places; columns count characters, as an editor does.
std::vector<Finding> placed_findings(const Diagnostics& diagnostics);
// Those of an InputError, from its rendered text.
std::vector<Finding> rendered_findings(const std::string& text, const std::string& source_name);

}  // namespace stiffit::internal
