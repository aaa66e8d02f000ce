// SPDX-License-Identifier: Apache-2.0
#include "api/conform/sbml_suite_case.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/diagnostic.h"
#include "base/number.h"

namespace stiffit::internal {

namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError("error: cannot read '" + path.string() + "'\n");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string trimmed(std::string_view text) {
  std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> parts;
  std::stringstream stream(line);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(trimmed(part));
  return parts;
}

std::vector<std::string> names(const std::string& list) {
  std::vector<std::string> result = fields(list);
  std::erase(result, std::string());
  return result;
}

double number_of(const std::string& text, const fs::path& path) {
  if (auto value = parse_number(text)) return *value;
  throw InputError("error: '" + text + "' is no number\n  " + path.string() + "\n");
}

void read_settings(SbmlSuiteCase& c, const fs::path& path) {
  std::stringstream text(contents(path));
  for (std::string line; std::getline(text, line);) {
    std::size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string key = trimmed(std::string_view(line).substr(0, colon));
    std::string value = trimmed(std::string_view(line).substr(colon + 1));
    auto number = [&] { return value.empty() ? 0.0 : number_of(value, path); };
    if (key == "start") c.start = number();
    if (key == "duration") c.duration = number();
    if (key == "steps") c.steps = static_cast<long>(number());
    if (key == "absolute") c.absolute = number();
    if (key == "relative") c.relative = number();
    if (key == "variables") c.variables = names(value);
    if (key == "amount") c.amounts = names(value);
    if (key == "concentration") c.concentrations = names(value);
  }
}

void read_results(SbmlSuiteCase& c, const fs::path& path) {
  std::stringstream text(contents(path));
  std::string line;
  std::getline(text, line);
  c.columns = fields(line);
  std::size_t skip = 0;
  if (!c.columns.empty() && (c.columns[0] == "time" || c.columns[0] == "Time")) skip = 1;
  c.columns.erase(c.columns.begin(), c.columns.begin() + static_cast<long>(skip));
  while (std::getline(text, line)) {
    if (trimmed(line).empty()) continue;
    std::vector<std::string> parts = fields(line);
    if (parts.size() != c.columns.size() + skip)
      throw InputError("error: a row of " + std::to_string(parts.size()) + " fields\n  " +
                       path.string() + "\n");
    c.times.push_back(skip ? number_of(parts[0], path) : 0);
    std::vector<double>& row = c.expected.emplace_back();
    for (std::size_t i = skip; i < parts.size(); ++i) row.push_back(number_of(parts[i], path));
  }
}

}  // namespace

SbmlSuiteCase read_suite_case(const std::string& folder) {
  SbmlSuiteCase c;
  const fs::path place(folder);
  c.id = place.filename().string();
  read_settings(c, place / (c.id + "-settings.txt"));
  read_results(c, place / (c.id + "-results.csv"));
  const std::string head = c.id + "-sbml-l";
  for (auto& entry : fs::directory_iterator(place)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with(head) && name.ends_with(".xml")) c.models.push_back(entry.path().string());
  }
  std::sort(c.models.begin(), c.models.end());
  return c;
}

std::string level_of(const std::string& path) {
  std::string stem = fs::path(path).stem().string();
  std::size_t dash = stem.rfind('-');
  return dash == std::string::npos ? stem : stem.substr(dash + 1);
}

}  // namespace stiffit::internal
