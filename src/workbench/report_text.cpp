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

std::string shown_name(const std::string& model) {
  return std::filesystem::path(model).filename().string();
}

}  // namespace stiffit
