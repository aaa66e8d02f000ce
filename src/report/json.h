// Writes one JSON document (RFC 8259). JSON has no NaN and no infinities: they become null, so that
// every parser reads what we write.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace stiffit::internal {

class JsonWriter {
 public:
  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name);
  JsonWriter& value(double number);
  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(std::integral auto number) {
    if constexpr (std::same_as<decltype(number), bool>) return raw(number ? "true" : "false");
    return raw(std::to_string(number));
  }
  JsonWriter& value(const std::vector<std::string>& texts);
  JsonWriter& null() { return raw("null"); }
  // A member of the open object.
  JsonWriter& member(std::string_view name, const auto& content) {
    key(name);
    return value(content);
  }

  // The document, with a line end.
  std::string text() const { return text_ + "\n"; }

 private:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& raw(std::string_view token);
  void separate();
  void quote(std::string_view text);

  std::string text_;
  bool first_ = true;  // nothing yet in the open object or array
  bool after_key_ = false;
};

}  // namespace stiffit::internal
