// SPDX-License-Identifier: Apache-2.0
#include "server/http/option_fields.h"

#include <cmath>

#include "base/number.h"
#include "server/http/request_error.h"
#include "stiffit/reading.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t longest_value = 2000;
constexpr std::size_t most_values = 1000;

[[noreturn]] void wrong(const api::ListedOption& option, const std::string& what) {
  throw RequestError::at(option.keyword, 400, "field '" + option.keyword + "' must be " + what);
}

std::string one_text(const api::ListedOption& option, const Json& value, const char* what) {
  if (value.is_number() && std::isfinite(value.get<double>())) {
    const double number = value.get<double>();
    const bool whole = number == std::floor(number) && std::fabs(number) < 9e15;
    return whole ? std::to_string(static_cast<long long>(number)) : format_number(number);
  }
  if (value.is_string() && value.get_ref<const std::string&>().size() <= longest_value &&
      value.get_ref<const std::string&>().find('\0') == std::string::npos)
    return value.get<std::string>();
  wrong(option, what);
}

std::string pair_text(const api::ListedOption& option, const std::string& name, const Json& value) {
  if (name.find('\0') != std::string::npos) wrong(option, "an object of names and values");
  return name + "=" + one_text(option, value, "an object of names and numbers");
}

RequestError from(const std::string& field, int status, const api::InputError& error) {
  const std::vector<api::Finding> found = api::findings_in(error.what());
  if (found.empty()) return RequestError::at(field, status, error.what());
  return RequestError::at(field.empty() ? field_of(found[0].message) : field, status,
                          found[0].message, found[0].hint);
}

}  // namespace

std::string field_of(std::string_view text) {
  if (!text.starts_with("--")) return {};
  std::string name;
  for (std::size_t i = 2; i < text.size(); ++i) {
    if (text[i] == '-')
      name += '_';
    else if (text[i] >= 'a' && text[i] <= 'z')
      name += text[i];
    else
      break;
  }
  return name;
}

std::vector<std::string> option_texts(const api::ListedOption& option, const Json& value,
                                      FieldTypes types) {
  if (value.is_null()) return {};
  const bool strict = types == FieldTypes::own;
  const bool many = option.type == "list" || option.type == "numbers" || option.type == "values";
  if (value.is_boolean()) {
    if (option.type != "flag" && option.type != "yes or no") wrong(option, "no true or false");
    return {value.get<bool>() ? "yes" : "no"};
  }
  std::vector<std::string> texts;
  if (value.is_array() && many) {
    if (value.size() > most_values) throw RequestError(400, "'" + option.keyword + "' is too long");
    for (const Json& item : value) {
      const bool number = option.type == "numbers";
      if (strict && (number ? !item.is_number() : !item.is_string()))
        wrong(option, number ? "a list of numbers" : "a list of strings");
      texts.push_back(one_text(option, item, "a list of numbers or short texts"));
    }
    return texts;
  }
  if (value.is_object() && option.type == "values") {
    for (const auto& [name, item] : value.items()) texts.push_back(pair_text(option, name, item));
    return texts;
  }
  const bool number = option.type == "number" || option.type == "whole number";
  if (strict && many) wrong(option, option.type == "values" ? "an object" : "a list");
  if (strict && number && !value.is_number()) wrong(option, "a finite number");
  if (strict && !number && !value.is_string()) wrong(option, "a string");
  return {one_text(option, value, "a number or a short text")};
}

void require_points(long points, long most) {
  if (points > most)
    throw RequestError(400,
                       "field 'points' must be a whole number from 1 to " + std::to_string(most));
}

void refuse_option(const api::ListedOption& option, const api::InputError& error) {
  throw from(option.keyword, option.choices.empty() ? 400 : 422, error);
}

void refuse_options(const api::InputError& error) { throw from({}, 422, error); }

}  // namespace stiffit::internal
