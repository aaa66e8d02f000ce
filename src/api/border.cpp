// SPDX-License-Identifier: Apache-2.0
#include <cctype>

#include "api/inside.h"
#include "base/number.h"
#include "estimation/objective/fitted_data.h"

namespace stiffit::api {

std::string without_dashes(const UsageError& error) {
  std::string text = std::string("error: ") + error.what() + "\n";
  if (!error.hint().empty()) text += "  " + error.hint() + "\n";
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool word_begins = i == 0 || std::isspace(static_cast<unsigned char>(text[i - 1]));
    const bool option = text.compare(i, 2, "--") == 0 && i + 2 < text.size() &&
                        std::isalpha(static_cast<unsigned char>(text[i + 2]));
    if (word_begins && option)
      ++i;  // and the second by the loop
    else
      result += text[i];
  }
  return result;
}

std::vector<std::string> settings(const std::map<std::string, double>& set) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : set) texts.push_back(name + "=" + format_number(value));
  return texts;
}

std::vector<Unknown> public_unknowns(const std::vector<stiffit::Unknown>& unknowns) {
  std::vector<Unknown> list;
  for (const stiffit::Unknown& u : unknowns)
    list.push_back({u.id, scale_name(u.scale), u.lower, u.upper, u.start});
  return list;
}

std::vector<Datum> public_data(const ProblemObjective& objective, const std::vector<double>& theta,
                               double deviation, std::string& failure) {
  std::vector<Datum> data;
  for (const FittedDatum& d : fitted_data(objective, theta, deviation, failure))
    data.push_back(
        {d.observable, d.experiment, d.time, d.measurement, d.simulation, d.noise, d.residual});
  return data;
}

}  // namespace stiffit::api
