// A changed SBML file, changed as a tree. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/splitmix.h"

namespace stiffit::internal {

std::string change_sbml(std::string_view input, std::string_view other, SplitMix& random);

}  // namespace stiffit::internal
