// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace stiffit::internal {

std::string version();  // "0.1.0", the project's in CMakeLists.txt

}  // namespace stiffit::internal
