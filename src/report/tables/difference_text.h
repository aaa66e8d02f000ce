// How far two runs are apart, as commands tell it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analysis/pipeline/verify_course.h"
#include "report/json.h"

namespace stiffit::internal {

std::string text_of(const CurveDifference& difference);
void write_json(JsonWriter& json, const CurveDifference& difference);  // members
std::string text_of(const Verification& verification);
void write_json(JsonWriter& json, const Verification& verification);  // one object

}  // namespace stiffit::internal
