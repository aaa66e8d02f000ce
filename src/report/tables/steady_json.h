// The JSON document of `stiffit steady`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/provenance.h"
#include "stiffit/results.h"

namespace stiffit::internal {

std::string steady_json(const api::SteadyState& steady, const Provenance& provenance);

}  // namespace stiffit::internal
