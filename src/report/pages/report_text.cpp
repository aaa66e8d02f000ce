// SPDX-License-Identifier: Apache-2.0
#include "report/pages/report_text.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/version.h"

namespace stiffit::internal {

void add_lines(HtmlPage& page, const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) page.paragraph(line);
}

void add_provenance(HtmlPage& page) {
  page.paragraph("Made by Stiffit " + std::string(version()) + ".");
}

void add_settings(HtmlPage& page, const Provenance& provenance) {
  page.heading("Settings");
  std::vector<std::vector<std::string>> rows;
  for (auto& [name, value] : provenance) rows.push_back({name, value});
  page.facts({"setting", "value"}, rows);
  page.paragraph(
      "Inputs and tables are named with their SHA-256. Options that are not listed had their "
      "default.");
  add_provenance(page);
}

void add_gallery(HtmlPage& page, std::vector<Plot> plots, const std::string& file,
                 std::size_t most) {
  const std::size_t all = plots.size(), room = page.room() / 3;
  std::size_t size = 0, fit = 0;
  for (; fit < std::min(all, most); ++fit) {
    size += svg_of({plots[fit]}, plots[fit].width).size();
    if (size > room) break;
  }
  plots.resize(fit);
  page.gallery(plots, file);
  if (fit < all)
    page.paragraph(std::to_string(all - fit) + " of " + std::to_string(all) +
                   " pictures are left out to keep the page small; the files have their numbers.");
}

std::string shown_name(const std::string& model) {
  return std::filesystem::path(model).filename().string();
}

}  // namespace stiffit::internal
