// The JSON document of `stiffit steady`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/provenance.h"
#include "workbench/steady_answer.h"

namespace stiffit {

std::string steady_json(const SteadyAnswer& answer, const Provenance& provenance);

}  // namespace stiffit
