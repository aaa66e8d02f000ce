// SPDX-License-Identifier: Apache-2.0
#include "server/work/base64.h"

namespace stiffit::internal {
namespace {

constexpr std::string_view letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  unsigned held = 0, bits = 0;
  std::size_t count = 0, padding = 0;
  for (char c : text) {
    if (c == '\n' || c == '\r') continue;
    if (c == '=') {
      if (++padding > 2) return {};
      continue;
    }
    const std::size_t value = letters.find(c);
    if (value == std::string_view::npos || padding) return {};
    ++count;
    held = (held << 6 | static_cast<unsigned>(value)) & 0xffffu;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 0xffu);
  }
  if (count % 4 == 1) return {};
  return bytes;
}

std::string to_base64(std::string_view bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      text += i + k > bytes.size() ? '=' : letters[group >> (18 - 6 * k) & 63u];
  }
  return text;
}

}  // namespace stiffit::internal
