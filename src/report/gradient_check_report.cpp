// SPDX-License-Identifier: Apache-2.0
#include "report/gradient_check_report.h"

#include <algorithm>

#include "base/number.h"
#include "report/text_table.h"

namespace stiffit::internal {
namespace {

std::string verdict_name(const std::string& verdict) {
  return verdict == "wrong" ? "WRONG" : verdict;
}

}  // namespace

std::string gradient_check_text(const api::CheckedGradient& checked) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> header{"parameter", "scale", "difference", "uncertainty"};
  for (const api::CheckedMethod& m : checked.methods)
    if (m.failure.empty()) header.insert(header.end(), {m.method, "error", ""});
  std::size_t count = 0;
  for (const api::CheckedMethod& m : checked.methods) count = std::max(count, m.entries.size());
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<std::string> row;
    for (const api::CheckedMethod& m : checked.methods) {
      if (!m.failure.empty()) continue;
      const api::CheckedEntry& c = m.entries[k];
      if (row.empty())
        row = {c.parameter, c.scale, format_number(c.difference), format_short(c.uncertainty, 2)};
      row.insert(row.end(),
                 {format_number(c.gradient), format_short(c.error, 2), verdict_name(c.verdict)});
    }
    if (!row.empty()) rows.push_back(std::move(row));
  }
  std::string text = rows.empty() ? "" : text_table(header, rows) + "\n";
  rows.clear();
  for (const api::CheckedMethod& m : checked.methods)
    rows.push_back({m.method,
                    std::to_string(m.adjoint) + " of " + std::to_string(checked.experiments),
                    std::to_string(m.right), std::to_string(m.unsure), std::to_string(m.wrong),
                    format_short(m.worst, 2), format_short(m.seconds, 3)});
  text += text_table({"method", "backwards", "right", "unsure", "wrong", "worst", "CPU s"}, rows);
  return text + "forward against adjoint: " + format_short(checked.between, 2) + "\n";
}

void add_json(const api::CheckedGradient& checked, JsonWriter& json) {
  json.key("check").begin_array();
  for (const api::CheckedMethod& m : checked.methods) {
    json.begin_object().member("method", m.method);
    if (!m.failure.empty()) json.member("failure", m.failure);
    json.member("adjoint_experiments", m.adjoint).member("right", m.right);
    json.member("unsure", m.unsure).member("wrong", m.wrong).member("worst", m.worst);
    json.member("seconds", m.seconds).key("entries").begin_array();
    for (const api::CheckedEntry& c : m.entries)
      json.begin_object()
          .member("parameter", c.parameter)
          .member("gradient", c.gradient)
          .member("difference", c.difference)
          .member("uncertainty", c.uncertainty)
          .member("error", c.error)
          .member("verdict", verdict_name(c.verdict))
          .member("passed", c.passed)
          .end_object();
    json.end_array().end_object();
  }
  json.end_array().member("experiments", checked.experiments);
  json.member("forward_against_adjoint", checked.between);
  json.member("difference_seconds", checked.seconds);
}

std::string complaint(const api::CheckedGradient& checked) {
  std::string text;
  for (const api::CheckedMethod& m : checked.methods) {
    if (!m.failure.empty())
      text += "error: no gradient by " + m.method + " sensitivities\n  " + m.failure + "\n";
    else if (m.wrong > 0)
      text += "error: " + std::to_string(m.wrong) + " of " + std::to_string(m.entries.size()) +
              " entries of the gradient by " + m.method +
              " sensitivities do not agree with differences\n";
    else if (m.unsure > 0)
      text += "error: " + std::to_string(m.unsure) + " of " + std::to_string(m.entries.size()) +
              " differences are too noisy to check the gradient by " + m.method +
              " sensitivities\n";
  }
  return text;
}

}  // namespace stiffit::internal
