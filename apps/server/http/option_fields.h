// Options of a computation from the fields of a request, and as the words of a command, both by the
// library's own tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/json_fields.h"
#include "stiffit/errors.h"
#include "stiffit/lists.h"

namespace stiffit::internal {

// How strict a value's type is: that of the option, or any text that the option is read from.
enum class FieldTypes { own, own_or_text };

// The field of a request for the option that a text begins with ("--noise-distribution is ...");
// empty: it begins with none.
std::string field_of(std::string_view text);

// The texts of an option's value. Throws RequestError.
std::vector<std::string> option_texts(const api::ListedOption& option, const Json& value,
                                      FieldTypes types);
// A value that cannot be had is a mistake of the request, a choice that there is not one of the
// setting. Throws RequestError.
[[noreturn]] void refuse_option(const api::ListedOption& option, const api::InputError& error);
// Options that are right each, but not together. Throws RequestError.
[[noreturn]] void refuse_options(const api::InputError& error);

// Throws RequestError.
void require_points(long points, long most);

template <class Options>
void set_field(const api::ListedOption& option, const Json& value, FieldTypes types,
               Options& options) {
  const std::vector<std::string> texts = option_texts(option, value, types);
  if (texts.empty()) return;
  try {
    api::set_option(options, option.name, texts);
  } catch (const api::InputError& error) {
    refuse_option(option, error);
  }
}

// What a request has of the options that the server shows; other fields are not theirs.
template <class Options>
void read_options(const Json& request, Options& options) {
  for (const api::ListedOption& option : api::option_list<Options>())
    if (const auto field = request.find(option.keyword);
        option.server && field != request.end() && !field->is_null())
      set_field(option, *field, FieldTypes::own, options);
}

template <class Options>
void check_together(const Options& options) {
  try {
    api::validate(options);
  } catch (const api::InputError& error) {
    refuse_options(error);
  }
}

// Those that are not as by default, as a command takes them.
template <class Options>
std::vector<std::string> command_words(const Options& options) {
  const std::vector<api::ListedOption> list = api::option_list<Options>();
  std::vector<std::string> words;
  for (const auto& [name, texts] : api::given_options(options)) {
    const bool flag =
        std::any_of(list.begin(), list.end(), [&name = name](const api::ListedOption& option) {
          return option.name == name && option.type == "flag";
        });
    if (flag)
      words.push_back("--" + name);
    else
      for (const std::string& text : texts) words.push_back("--" + name + "=" + text);
  }
  return words;
}

}  // namespace stiffit::internal
