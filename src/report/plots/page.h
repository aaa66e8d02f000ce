// A page of text, tables and pictures in one HTML file that loads nothing and runs no script. The
// numbers behind it can be saved from it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/plots/heat_map.h"
#include "report/plots/plot.h"

namespace stiffit::internal {

class HtmlPage {
 public:
  explicit HtmlPage(std::string_view title);
  void heading(std::string_view text);
  void paragraph(std::string_view text);
  // Cells that are numbers stand to the right.
  void table(const std::vector<std::string>& header,
             const std::vector<std::vector<std::string>>& rows);
  // Names and what they are: all to the left, long words broken.
  void facts(const std::vector<std::string>& header,
             const std::vector<std::vector<std::string>>& rows);
  // As it is, line by line; long ones are folded up.
  void preformatted(std::string_view summary, std::string_view text);
  // Can be saved as `file`.svg.
  void picture(const std::vector<Plot>& plots, double wide, const std::string& file);
  // Pictures that flow into as many columns as the screen has room for. All together can be saved
  // as `file`.svg, unless that would make the page too large.
  void gallery(const std::vector<Plot>& plots, const std::string& file);
  void picture(const HeatMap& map, const std::string& file);
  // A link that saves `content`; `type` as in "text/csv".
  void download(const std::string& file, const std::string& type, std::string_view content);
  // The same for a table with a header line. Where the page would become too large it gets every
  // so many rows only, and says so.
  void table_download(const std::string& file, const std::string& type, std::string_view content);

  std::size_t size() const { return body_.size(); }
  // What may still be added before the page is larger than people want to send around.
  std::size_t room() const { return size() < most ? most - size() : 0; }
  std::string text() const;

 private:
  void add_table(const std::string& kind, const std::vector<std::string>& header,
                 const std::vector<std::vector<std::string>>& rows);

  static constexpr std::size_t most = 2'600'000;
  std::string head_, contents_, body_;
  int pictures_ = 0, headings_ = 0;
};

}  // namespace stiffit::internal
