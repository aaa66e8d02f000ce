// SPDX-License-Identifier: Apache-2.0
#include "report/json.h"

#include <cmath>

#include "base/number.h"

namespace stiffit::internal {

void JsonWriter::separate() {
  if (!first_ && !after_key_) text_ += ',';
  first_ = after_key_ = false;
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  text_ += bracket;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view token) {
  separate();
  text_ += token;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  quote(name);
  text_ += ':';
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(double number) {
  return std::isfinite(number) ? raw(format_number(number)) : null();
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  quote(text);
  return *this;
}

JsonWriter& JsonWriter::value(const std::vector<std::string>& texts) {
  begin_array();
  for (const std::string& text : texts) value(text);
  return end_array();
}

namespace {

// The length of the well-formed UTF-8 sequence at `text[at]`, 0 if there is none.
std::size_t utf8_length(std::string_view text, std::size_t at) {
  auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  auto tail = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  unsigned lead = byte(at), next = byte(at + 1);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return tail(at + 1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    bool overlong = lead == 0xE0 && next < 0xA0;
    bool surrogate = lead == 0xED && next > 0x9F;
    return tail(at + 1) && tail(at + 2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    bool outside = (lead == 0xF0 && next < 0x90) || (lead == 0xF4 && next > 0x8F);
    return tail(at + 1) && tail(at + 2) && tail(at + 3) && !outside ? 4 : 0;
  }
  return 0;
}

}  // namespace

void JsonWriter::quote(std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  text_ += '"';
  for (std::size_t i = 0; i < text.size();) {
    auto c = static_cast<unsigned char>(text[i]);
    std::size_t length = utf8_length(text, i);
    if (length == 0) {
      text_ += "\\ufffd";  // bytes of a broken file must not break the document
      ++i;
      continue;
    }
    if (c == '"' || c == '\\') {
      text_ += {'\\', static_cast<char>(c)};
    } else if (c == '\n') {
      text_ += "\\n";
    } else if (c == '\t') {
      text_ += "\\t";
    } else if (c < 0x20) {
      text_ += {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    } else {
      text_ += text.substr(i, length);
    }
    i += length;
  }
  text_ += '"';
}

}  // namespace stiffit::internal
