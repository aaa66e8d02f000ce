// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "base/number.h"
#include "io/files/read_source.h"

namespace stiffit::internal {
namespace {

// Columns counted in characters. Places that are asked for in their order take one pass over the
// text, however many they are and however long its lines.
class CharacterColumns {
 public:
  explicit CharacterColumns(const Source& source) : source_(source), text_(source.text()) {}

  int operator()(std::uint32_t offset) {
    const auto begin = offset - static_cast<std::uint32_t>(source_.locate(offset).column - 1);
    if (begin != line_ || offset < counted_) {
      line_ = counted_ = begin;
      count_ = 1;
    }
    const std::size_t end = std::min<std::size_t>(offset, text_.size());
    for (; counted_ < end; ++counted_) {
      const bool inside = (static_cast<unsigned char>(text_[counted_]) & 0xC0u) == 0x80u;
      const bool line_end = text_[counted_] == '\r' && text_.substr(counted_ + 1, 1) == "\n";
      count_ += !inside && !line_end;
    }
    return count_;
  }

 private:
  const Source& source_;
  std::string_view text_;
  std::size_t line_ = 0, counted_ = 0;
  int count_ = 1;
};

void add_place(Finding& finding, const Source& source, Span span,
               const std::map<std::uint32_t, int>& columns) {
  if (span.empty() && span.begin == 0) return;
  const std::uint32_t end = std::max(span.begin, span.end);
  finding.file = source.name_at(span.begin);
  finding.line = source.locate(span.begin).line;
  finding.column = columns.at(span.begin);
  finding.end_line = source.locate(end).line;
  finding.end_column = span.empty() ? finding.column + 1 : columns.at(end);
}

Finding about_the_whole(Severity severity, std::string message) {
  Finding finding;
  finding.severity = severity;
  finding.message = std::move(message);
  return finding;
}

// "  NAME:LINE:COLUMN"
void read_place(Finding& finding, const std::string& line, std::size_t begin) {
  const std::size_t colon = line.find(':', begin);
  const auto row = parse_number(line.substr(begin, colon - begin));
  const auto column = colon == std::string::npos ? row : parse_number(line.substr(colon + 1));
  if (!row || !column) return;
  finding.line = finding.end_line = static_cast<int>(*row);
  finding.column = static_cast<int>(*column);
  finding.end_column = finding.column + 1;
}

}  // namespace

std::vector<Finding> placed_findings(const Diagnostics& diagnostics) {
  std::map<std::uint32_t, int> columns;  // of all places, in their order
  for (const Diagnostic& d : diagnostics.items())
    for (std::uint32_t offset : {d.span.begin, std::max(d.span.begin, d.span.end)})
      columns.emplace(offset, 0);
  CharacterColumns column_of(diagnostics.source());
  for (auto& [offset, column] : columns) column = column_of(offset);
  std::vector<Finding> findings;
  for (const Diagnostic& d : diagnostics.items()) {
    Finding& finding = findings.emplace_back(about_the_whole(d.severity, d.message));
    finding.hint = d.hint;
    add_place(finding, diagnostics.source(), d.span, columns);
  }
  return findings;
}

std::vector<Finding> rendered_findings(const std::string& text, const std::string& source_name) {
  std::vector<Finding> findings;
  std::istringstream lines(text);
  const std::string place = "  " + source_name + ":";
  for (std::string line; std::getline(lines, line);) {
    const bool error = line.starts_with("error: "), warning = line.starts_with("warning: ");
    if (error || warning || findings.empty()) {
      findings.push_back(about_the_whole(warning ? Severity::warning : Severity::error,
                                         line.substr(error     ? 7
                                                     : warning ? 9
                                                               : 0)));
      continue;
    }
    Finding& finding = findings.back();
    const std::size_t bar = line.find('|');
    if (line.starts_with(place) && finding.line == 0) {
      read_place(finding, line, place.size());
    } else if (bar != std::string::npos && line.find_first_not_of(' ') == bar) {
      const std::size_t caret = line.find('^', bar);
      if (caret == std::string::npos) continue;
      const std::size_t end = line.find_first_not_of('^', caret);
      if (finding.line > 0)
        finding.end_column = finding.column + static_cast<int>(std::min(end, line.size()) - caret);
      if (end != std::string::npos) finding.hint = line.substr(end + 1);
    } else if (finding.line == 0 && line.starts_with("  ") && line != "  " + source_name) {
      finding.hint += (finding.hint.empty() ? "" : " ") + line.substr(2);
    }
  }
  return findings;
}

}  // namespace stiffit::internal
