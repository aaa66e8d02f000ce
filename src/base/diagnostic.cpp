// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostic.h"

#include <algorithm>

namespace stiffit::internal {

void Diagnostics::error(Span span, std::string message, std::string hint) {
  if (errors_ >= limit) return;
  ++errors_;
  items_.push_back({Severity::error, std::move(message), span, std::move(hint)});
}

void Diagnostics::warning(Span span, std::string message, std::string hint) {
  if (items_.size() >= 4 * limit) return;
  items_.push_back({Severity::warning, std::move(message), span, std::move(hint)});
}

namespace {

constexpr std::size_t widest_line = 160;  // longer source lines are cut around the caret

std::string caret_lines(const Diagnostic& d, const Source& source) {
  LineColumn at = source.locate(d.span.begin);
  std::string_view line = source.line_at(d.span.begin);
  std::size_t column = static_cast<std::size_t>(at.column - 1);
  std::size_t width = d.span.empty() ? 1 : d.span.end - d.span.begin;
  width = std::clamp<std::size_t>(
      width, 1, std::max<std::size_t>(1, line.size() - std::min(column, line.size())));
  std::size_t begin = 0;
  if (line.size() > widest_line) {
    begin = column > widest_line / 2 ? column - widest_line / 2 : 0;
    column -= begin;
    width = std::min(width, widest_line - std::min(column, widest_line - 1));
  }
  std::string shown(line.substr(begin, widest_line));  // lines may be as long as files
  for (char& c : shown)
    if (c == '\t' || static_cast<unsigned char>(c) < 32) c = ' ';
  std::string number = std::to_string(at.line);
  std::string out = "  " + number + " | " + shown + "\n";
  out += "  " + std::string(number.size(), ' ') + " | " + std::string(column, ' ') +
         std::string(width, '^');
  if (!d.hint.empty()) out += " " + d.hint;
  return out + "\n";
}

}  // namespace

std::string render(const Diagnostic& d, const Source& source) {
  std::string out = d.severity == Severity::error ? "error: " : "warning: ";
  out += d.message + "\n";
  if (d.span.empty() && d.span.begin == 0) {
    if (!source.name().empty()) out += "  " + source.name() + "\n";
    if (!d.hint.empty()) out += "  " + d.hint + "\n";
    return out;
  }
  LineColumn at = source.locate(d.span.begin);
  out += "  " + source.name_at(d.span.begin) + ":" + std::to_string(at.line) + ":" +
         std::to_string(at.column) + "\n";
  return out + caret_lines(d, source);
}

std::string render(const Diagnostics& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics.items()) out += render(d, diagnostics.source());
  if (diagnostics.full())
    out += "too many errors; the first " + std::to_string(Diagnostics::limit) + " are shown\n";
  return out;
}

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t cost = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({cost, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > 64) return {};
  std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::string nearest;
  for (const std::string& candidate : candidates) {
    std::size_t gap = candidate.size() > name.size() ? candidate.size() - name.size()
                                                     : name.size() - candidate.size();
    if (gap >= best) continue;
    std::size_t distance = edit_distance(name, candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

}  // namespace stiffit::internal
