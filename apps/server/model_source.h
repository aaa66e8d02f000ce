// A model as a request names it: text, an uploaded file, or one of the library; read without ever
// opening a file of this machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/diagnostic.h"
#include "model/model.h"
#include "server/http/json_fields.h"

namespace stiffit {

struct ModelSource {
  std::string name;                               // of the file, as the user called it
  std::string content;                            // the model
  std::map<std::string, std::string> files = {};  // uploaded beside it, for table("f.csv", x)
  std::string key() const;                        // the same for the same content
};
// The field "source" of a request. Throws RequestError.
ModelSource model_source(const Json& request);

struct SourceModel {
  ModelSource source;
  std::shared_ptr<const Model> model;  // null if it has errors
  Json diagnostics = Json::array();    // as the page shows them
};
// Everything that can be said without running it: mistakes of the text, of the equations, and of
// their values at the start.
SourceModel read_source(ModelSource source);

Json diagnostics_json(const Diagnostics& diagnostics);
// The findings of an InputError, from its rendered text.
Json rendered_json(const std::string& text, const std::string& source_name);

}  // namespace stiffit
