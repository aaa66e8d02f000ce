// What a run does with a model once it is read: equations, a look at the start, code, a few steps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/diagnostic.h"
#include "model/model.h"

namespace stiffit::internal {

// Reads the input as a file of that name and follows what comes out: a model or errors, not both.
using ModelReader =
    std::function<std::optional<Model>(const std::shared_ptr<const Source>&, Diagnostics&)>;
void read_and_follow(const char* name, std::string_view input, const ModelReader& read);

// Models that are not small are left after the equations.
void follow_model(Model model);

}  // namespace stiffit::internal
