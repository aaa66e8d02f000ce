// Base64 (RFC 4648), in which files travel inside JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stiffit::internal {

// Nothing if the text is no base64; line ends and missing padding are allowed.
std::optional<std::string> from_base64(std::string_view text);
std::string to_base64(std::string_view bytes);

}  // namespace stiffit::internal
