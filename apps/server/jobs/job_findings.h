// What a program that ended with an error complained of in its options, for the page: sentence,
// what would be right, and the field of the request that it is about. SPDX-License-Identifier:
// Apache-2.0
#pragma once

#include <string>

#include "server/http/json_fields.h"

namespace stiffit::internal {

// A list of {field, message, hint?, of?}; `of` is the formula with the mistake, of a field that
// has several.
Json job_findings(const std::string& said);

}  // namespace stiffit::internal
