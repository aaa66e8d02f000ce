// A delay as people wrote it: delay(x, tau), for messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/model.h"

namespace stiffit::internal {

std::string delay_text(const Model& model, ExprId delay);

}  // namespace stiffit::internal
