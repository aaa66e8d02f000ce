// Models in the languages that can be written: one table of their names and endings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "io/written/writing.h"
#include "model/model.h"

namespace stiffit::internal {

struct ModelFormat {
  std::string_view name;
  std::array<std::string_view, 2> endings;
  Writing (*write)(const std::shared_ptr<const Model>&);
};

const std::vector<ModelFormat>& model_formats();
// Throw OptionError if there is none of that name, or none for the ending of that file.
const ModelFormat& model_format(const std::string& name);
const ModelFormat& model_format_of(const std::string& path);

}  // namespace stiffit::internal
