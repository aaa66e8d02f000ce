// A page of text, tables and pictures in one HTML file that loads nothing and runs no script. The
// numbers behind it can be saved from it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "picture/plot.h"

namespace stiffit {

class HtmlPage {
 public:
  explicit HtmlPage(std::string_view title);
  void heading(std::string_view text);
  void paragraph(std::string_view text);
  // Cells that are numbers stand to the right.
  void table(const std::vector<std::string>& header,
             const std::vector<std::vector<std::string>>& rows);
  // Can be saved as `file`.svg.
  void picture(const std::vector<Plot>& plots, double wide, const std::string& file);
  // A link that saves `content`; `type` as in "text/csv".
  void download(const std::string& file, const std::string& type, std::string_view content);
  std::string text() const { return body_ + "</main>\n</body>\n</html>\n"; }

 private:
  std::string body_;
  int pictures_ = 0;
};

}  // namespace stiffit
