// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/parameter_point.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

#include "base/diagnostic.h"
#include "base/fields.h"
#include "base/number.h"

namespace stiffit::internal {
namespace {

std::vector<std::string> cells_of(const std::string& line, char separator) {
  std::vector<std::string> cells{""};
  for (char c : line) {
    if (c == separator)
      cells.emplace_back();
    else if (c != '\r' && c != '"')
      cells.back() += c;
  }
  return cells;
}

std::size_t index_of(const ProblemObjective& objective, const std::string& name) {
  const std::vector<EstimatedParameter>& unknowns = objective.unknowns();
  for (std::size_t u = 0; u < unknowns.size(); ++u)
    if (unknowns[u].id == name) return u;
  return unknowns.size();
}

std::vector<std::string> names_of(const ProblemObjective& objective) {
  std::vector<std::string> names;
  for (const EstimatedParameter& u : objective.unknowns()) names.push_back(u.id);
  return names;
}

void read_point(const ProblemObjective& objective, const std::string& path, const FileReader& read,
                std::vector<double>& theta) {
  if (!read) throw InputError("error: '" + path + "' is no point, and no files are read here\n");
  std::istringstream lines(read(path));
  std::string line;
  std::getline(lines, line);
  char separator = '\t';
  for (char c : {';', ','})
    if (line.find('\t') == std::string::npos && line.find(c) != std::string::npos) separator = c;
  const std::vector<std::string> header = cells_of(line, separator);
  std::size_t name = header.size(), value = header.size();
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (header[i] == "parameterId" || header[i] == "name" || header[i] == "parameter") name = i;
    if (header[i] == "value" || header[i] == "estimate" || header[i] == "nominalValue")
      value = std::min(value, i);
  }
  // The column `estimate` of a PEtab parameter table says whether, not what.
  for (std::size_t i = 0; i < header.size(); ++i)
    if (header[i] == "nominalValue") value = i;
  if (name == header.size() || value == header.size())
    throw InputError("error: '" + path +
                     "' has no columns for names and values\n  a header line with parameterId and "
                     "value (or nominalValue) is expected\n");
  std::string findings;
  for (int number = 2; std::getline(lines, line); ++number) {
    const std::vector<std::string> cells = cells_of(line, separator);
    if (cells.size() <= std::max(name, value)) continue;
    const std::size_t u = index_of(objective, cells[name]);
    if (u == theta.size()) continue;  // not estimated, or of another problem
    const auto parsed = parse_number(cells[value]);
    if (!parsed || !std::isfinite(*parsed))
      findings += "error: '" + cells[value] + "' is no number\n  " + path + ":" +
                  std::to_string(number) + ", column " + header[value] + "\n";
    else
      theta[u] = to_theta(*parsed, objective.unknowns()[u].scale);
  }
  if (!findings.empty()) throw InputError(findings);
}

void perturb(const ProblemObjective& objective, unsigned long long seed,
             std::vector<double>& theta) {
  std::mt19937_64 random(seed);
  for (std::size_t u = 0; u < theta.size(); ++u) {
    const EstimatedParameter& unknown = objective.unknowns()[u];
    const double chance = 2 * static_cast<double>(random() >> 11) * 0x1p-53 - 1;
    if (!std::isfinite(theta[u])) theta[u] = unknown.start;
    const double reach = unknown.scale == Scale::lin   ? 0.1 * std::max(std::fabs(theta[u]), 0.1)
                         : unknown.scale == Scale::log ? 0.1 * std::log(10.0)
                                                       : 0.1;
    theta[u] = std::clamp(theta[u] + chance * reach, unknown.lower, unknown.upper);
  }
}

}  // namespace

std::vector<double> parameter_point(const ProblemObjective& objective, const std::string& text,
                                    unsigned long long seed, const FileReader& read) {
  std::vector<double> theta = objective.nominal();
  if (text == "perturbed")
    perturb(objective, seed, theta);
  else if (text != "nominal" && text.find('=') == std::string::npos)
    read_point(objective, text, read, theta);
  if (text.find('=') != std::string::npos)
    for (const std::string& part : split_at_commas(text)) {
      const std::size_t equals = part.find('=');
      const std::string name = part.substr(0, equals);
      const std::size_t u = index_of(objective, name);
      if (u == theta.size()) {
        const std::string nearest = nearest_name(name, names_of(objective));
        throw OptionError(option("at") + ": no estimated parameter is called '" + name + "'",
                          nearest.empty() ? "" : "did you mean '" + nearest + "'?");
      }
      const auto value =
          equals == std::string::npos ? std::nullopt : parse_number(part.substr(equals + 1));
      if (!value || !std::isfinite(*value))
        throw OptionError(option("at") + " needs name=value, not '" + part + "'");
      theta[u] = to_theta(*value, objective.unknowns()[u].scale);
    }
  std::string missing;
  for (std::size_t u = 0; u < theta.size(); ++u)
    if (std::isnan(theta[u])) missing += (missing.empty() ? "" : ", ") + objective.unknowns()[u].id;
  if (!missing.empty())
    throw InputError("error: there is no value for " + missing +
                     "\n  the problem has no nominal value; " + option("at") +
                     " name=value gives one\n");
  return theta;
}

}  // namespace stiffit::internal
