// From what the user calls MODEL (a file, a library name, either with #submodel) to the model.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "model/model.h"

namespace stiffit::internal {

enum class ModelKind { text, bng, sbml };

// By content where it is decisive, else by the file's ending, else text.
ModelKind kind_of_model(std::string_view path, std::string_view content);

// A source that was read, with its findings; `model` only if there was no error.
struct ReadModel {
  std::shared_ptr<const Model> model;
  Diagnostics diagnostics;
};

// Throws InputError if there is no such file or library model.
ReadModel read_model(const std::string& name);

// The same of a model that is at hand as text: it sees no files beside it.
ReadModel read_model_text(const std::string& name, std::string text,
                          const std::string& submodel = {});

struct LoadedModel {
  std::shared_ptr<const Model> model;
  std::string warnings;  // rendered; empty if there are none
};

// Throws InputError, with all findings rendered, if there is an error.
LoadedModel load_model(const std::string& name);

// A model that is no file: `name` says what it is called in findings, and, where its content does
// not, of which kind it is. It sees no other files.
LoadedModel load_model_text(const std::string& name, std::string text,
                            const std::string& submodel = {});

}  // namespace stiffit::internal
