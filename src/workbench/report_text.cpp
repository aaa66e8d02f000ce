// SPDX-License-Identifier: Apache-2.0
#include "workbench/report_text.h"

#include <filesystem>
#include <sstream>

#include "workbench/version.h"

namespace stiffit {

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
  page.table({"setting", "value"}, rows);
  page.paragraph(
      "Inputs are named with their SHA-256. Options that are not listed had their default.");
  add_provenance(page);
}

std::string shown_name(const std::string& model) {
  return std::filesystem::path(model).filename().string();
}

}  // namespace stiffit
