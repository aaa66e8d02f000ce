// SPDX-License-Identifier: Apache-2.0
#include "server/http/json_fields.h"

#include <cmath>

#include "server/http/request_error.h"

namespace stiffit::internal {
namespace {

constexpr int deepest = 40;

RequestError wrong(const char* name, const std::string& what) {
  return RequestError::at(name, 400, "field '" + std::string(name) + "' must be " + what);
}

const Json* field(const Json& object, const char* name) {
  auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

Json container(const Json& object, const char* name, Json empty, const char* what) {
  const Json* value = field(object, name);
  if (!value) return empty;
  if (value->type() != empty.type()) throw wrong(name, what);
  return *value;
}

}  // namespace

Json parse_object(std::string_view text) {
  Json value;
  try {
    value = Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
      if (depth > deepest) throw RequestError(400, "the request is nested too deeply");
      return true;
    });
  } catch (const Json::exception&) {
    throw RequestError(400, "the request is not valid JSON");
  }
  if (!value.is_object()) throw RequestError(400, "the request must be a JSON object");
  return value;
}

std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string text_field(const Json& object, const char* name, const std::string& fallback) {
  const Json* value = field(object, name);
  if (!value) return fallback;
  if (!value->is_string()) throw wrong(name, "a string");
  return value->get<std::string>();
}

double number_field(const Json& object, const char* name, double fallback) {
  const Json* value = field(object, name);
  if (!value) return fallback;
  if (!value->is_number() || !std::isfinite(value->get<double>()))
    throw wrong(name, "a finite number");
  return value->get<double>();
}

double positive_field(const Json& object, const char* name, double fallback) {
  if (!field(object, name)) return fallback;
  const double value = number_field(object, name, fallback);
  if (!(value > 0)) throw wrong(name, "above zero");
  return value;
}

long count_field(const Json& object, const char* name, long fallback, long low, long high) {
  if (!field(object, name)) return fallback;
  const double value = number_field(object, name, 0);
  if (value != std::floor(value) || value < static_cast<double>(low) ||
      value > static_cast<double>(high))
    throw wrong(name, "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
  return static_cast<long>(value);
}

bool flag_field(const Json& object, const char* name) {
  const Json* value = field(object, name);
  if (!value) return false;
  if (!value->is_boolean()) throw wrong(name, "true or false");
  return value->get<bool>();
}

std::vector<std::string> texts_field(const Json& object, const char* name) {
  std::vector<std::string> texts;
  for (const Json& item : array_field(object, name)) {
    if (!item.is_string()) throw wrong(name, "a list of strings");
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

Json object_field(const Json& object, const char* name) {
  return container(object, name, Json::object(), "an object");
}

Json array_field(const Json& object, const char* name) {
  return container(object, name, Json::array(), "a list");
}

}  // namespace stiffit::internal
