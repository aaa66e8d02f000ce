// The JSON document of `stiffit steady`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/pipeline/steady_answer.h"
#include "report/provenance.h"

namespace stiffit::internal {

std::string steady_json(const SteadyAnswer& answer, const Provenance& provenance);

}  // namespace stiffit::internal
