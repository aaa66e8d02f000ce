// A model as a request names it: text, an uploaded file, or one of the library; read without ever
// opening a file of this machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "server/http/json_fields.h"
#include "stiffit/reading.h"

namespace stiffit::internal {

struct ModelSource {
  std::string name;                               // of the file, as the user called it
  std::string content;                            // the model
  std::map<std::string, std::string> files = {};  // uploaded beside it, for table("f.csv", x)
  std::string key() const;                        // the same for the same content
  std::string language() const { return api::model_language(name, content); }
};
// The field "source" of a request. Throws RequestError.
ModelSource model_source(const Json& request);

struct SourceModel {
  ModelSource source;
  std::optional<api::Model> model;   // none if it has errors
  Json diagnostics = Json::array();  // as the page shows them
};
// Everything that can be said without running it: mistakes of the text, of the equations, and of
// their values at the start. Throws Interrupted of the library.
SourceModel read_source(ModelSource source, const api::RunOptions& run = {});

// As the page shows them.
Json diagnostics_json(const std::vector<api::Finding>& findings);
// The findings of an InputError or of a command, from the text that tells them.
Json rendered_json(const std::string& text, const std::string& source_name);

}  // namespace stiffit::internal
