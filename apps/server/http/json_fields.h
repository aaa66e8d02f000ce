// Reading the JSON of a request: every mistake is a RequestError that names the field.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace stiffit::internal {

using Json = nlohmann::json;

// The object of a request's body, nested at most a few dozen levels.
Json parse_object(std::string_view text);
// Without broken bytes, whatever the strings hold.
std::string json_text(const Json& value);

// A field of an object; the fallback if it is missing or null.
std::string text_field(const Json& object, const char* name, const std::string& fallback = {});
double number_field(const Json& object, const char* name, double fallback);
double positive_field(const Json& object, const char* name, double fallback);
// A whole number from `low` to `high`.
long count_field(const Json& object, const char* name, long fallback, long low, long high);
bool flag_field(const Json& object, const char* name);
std::vector<std::string> texts_field(const Json& object, const char* name);
// An object, empty if missing; or an array.
Json object_field(const Json& object, const char* name);
Json array_field(const Json& object, const char* name);

}  // namespace stiffit::internal
