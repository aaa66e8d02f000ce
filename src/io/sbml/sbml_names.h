// Which name means what in the mathematics of an SBML file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "model/model.h"

namespace stiffit::internal {

using NameTable = std::unordered_map<std::string, Ref>;

struct SbmlNames {
  NameTable symbols;  // the model's one name space
  std::unordered_map<std::string, std::int32_t> functions;
  std::vector<char> has_body;  // per function; one without takes any arguments
  // Per function: rateOf for levels without it. Its body is NaN, its annotation names a derivative.
  std::vector<char> is_rate_of;
};

}  // namespace stiffit::internal
