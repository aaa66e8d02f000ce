// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_findings.h"

#include <sstream>

#include "server/http/option_fields.h"

namespace stiffit::internal {
namespace {

// "  3 | text" shows a line, "    | ^^^ hint" marks a place in it.
bool add_excerpt(Json& finding, const std::string& line) {
  const std::size_t bar = line.find(" | ");
  if (bar == std::string::npos) return false;
  const std::string before = line.substr(0, bar);
  if (before.find_first_not_of(" 0123456789") != std::string::npos) return false;
  const std::string after = line.substr(bar + 3);
  if (before.find_first_of("0123456789") != std::string::npos) {
    if (finding.contains("field")) finding["of"] = after;
  } else if (const std::size_t hint = after.find_first_not_of(" ^"); hint != std::string::npos) {
    finding["hint"] = after.substr(hint);
  }
  return true;
}

void add_line(Json& finding, const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string::npos || add_excerpt(finding, line)) return;
  const std::string text = line.substr(begin);
  // The option stands where a file would, alone or with a place.
  if (const std::string field = field_of(text); !field.empty()) {
    if (text.find(' ') == std::string::npos) {
      finding["field"] = field;
      return;
    }
  }
  const std::string hint = finding.value("hint", "");
  finding["hint"] = hint.empty() ? text : hint + " " + text;
}

}  // namespace

Json job_findings(const std::string& said) {
  constexpr const char* mark = "error: ";
  Json list = Json::array();
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(mark)) {
      if (!list.empty() && line.starts_with(' ')) add_line(list.back(), line);
      continue;
    }
    Json& finding = list.emplace_back(Json{{"message", line.substr(std::string(mark).size())}});
    if (const std::string field = field_of(finding["message"].get_ref<const std::string&>());
        !field.empty())
      finding["field"] = field;
  }
  Json placed = Json::array();
  for (Json& finding : list)
    if (finding.contains("field")) placed.push_back(std::move(finding));
  return placed;
}

}  // namespace stiffit::internal
