// The files of the page, which are part of the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace stiffit::internal {

struct PageFile {
  std::string_view path;  // "/app.js"; the page itself is "/"
  std::string_view type;  // "text/javascript"
  std::string_view content;
  bool gzip = false;  // the content is compressed
};

std::span<const PageFile> page_files();

}  // namespace stiffit::internal
