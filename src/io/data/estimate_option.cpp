// SPDX-License-Identifier: Apache-2.0
#include "io/data/estimate_option.h"

#include <cmath>

#include "base/number.h"

namespace stiffit::internal {
namespace {

struct Part {
  std::string_view text;
  Span span;
};

class EstimateParser {
 public:
  explicit EstimateParser(Diagnostics& diagnostics)
      : diagnostics_(diagnostics), text_(diagnostics.source().text()) {}

  std::vector<Estimate> parse() {
    std::vector<Estimate> result;
    for (Part part : split(whole(), ','))
      if (auto estimate = item(part)) result.push_back(std::move(*estimate));
    if (text_.empty()) diagnostics_.error({}, "--estimate names nothing");
    return result;
  }

 private:
  Part whole() const { return part(0, text_.size()); }
  Part part(std::size_t begin, std::size_t end) const {
    while (begin < end && text_[begin] == ' ') ++begin;
    while (end > begin && text_[end - 1] == ' ') --end;
    return {text_.substr(begin, end - begin),
            {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}};
  }

  // At that sign outside of brackets: names of networks hold commas.
  std::vector<Part> split(const Part& from, char sign) const {
    std::vector<Part> parts;
    int open = 0;
    std::size_t begin = from.span.begin;
    for (std::size_t i = from.span.begin; i <= from.span.end; ++i) {
      if (i == from.span.end || (text_[i] == sign && open == 0)) {
        parts.push_back(part(begin, i));
        begin = i + 1;
      } else if (text_[i] == '(' || text_[i] == '[') {
        ++open;
      } else if (text_[i] == ')' || text_[i] == ']') {
        --open;
      }
    }
    return parts;
  }

  std::optional<double> number(const Part& part, const char* what) {
    auto value = parse_number(part.text);
    if (value && std::isfinite(*value)) return value;
    diagnostics_.error(at(part), "'" + std::string(part.text) + "' is not a number",
                       std::string(what) + " is wanted here");
    return std::nullopt;
  }

  // An empty part still has a place.
  static Span at(const Part& part) {
    return {part.span.begin, std::max(part.span.end, part.span.begin + 1)};
  }

  std::optional<Scale> scale(std::string_view word) const {
    if (word == "log") return Scale::log;
    if (word == "log10") return Scale::log10;
    if (word == "lin") return Scale::lin;
    return std::nullopt;
  }

  std::optional<Estimate> item(const Part& whole_item) {
    std::vector<Part> parts = split(whole_item, ':');
    Estimate result;
    result.span = whole_item.span;
    result.diagnostics = &diagnostics_;
    bool good = true;
    std::vector<Part> name = split(parts[0], '=');
    result.name = name[0].text;
    if (result.name.empty()) {
      diagnostics_.error(at(whole_item), "a name is missing here",
                         "name[=start][:low:high[:log|lin]], separated by commas");
      return std::nullopt;
    }
    if (name.size() > 2) {
      diagnostics_.error(at(name[2]), "a second '='");
      good = false;
    } else if (name.size() == 2) {
      result.start = number(name[1], "the start");
      good = result.start.has_value();
    }
    parts.erase(parts.begin());
    if (!parts.empty())
      if (auto found = scale(parts.back().text)) {
        result.scale = found;
        parts.pop_back();
      }
    if (parts.size() == 3) {
      diagnostics_.error(at(parts[2]), "unknown scale '" + std::string(parts[2].text) + "'",
                         "log or lin");
      return std::nullopt;
    }
    if (parts.size() == 1 || parts.size() > 3) {
      diagnostics_.error(at(whole_item), "bounds come in twos",
                         "name[=start][:low:high[:log|lin]]");
      return std::nullopt;
    }
    if (parts.size() == 2) {
      result.low = number(parts[0], "the lower bound");
      result.high = number(parts[1], "the upper bound");
      good = good && result.low && result.high;
    }
    if (!good) return std::nullopt;
    return result;
  }

  Diagnostics& diagnostics_;
  std::string_view text_;
};

constexpr double reach = 1e3;         // default bounds are start/reach and start*reach
constexpr double reach_of_data = 10;  // and around zero this times the largest datum

}  // namespace

std::vector<Estimate> parse_estimates(Diagnostics& diagnostics) {
  return EstimateParser(diagnostics).parse();
}

ProblemParameter settle_unknown(const std::string& id, const Estimate* estimate,
                                const UnknownDefaults& defaults, Diagnostics& diagnostics,
                                Span span) {
  ProblemParameter p;
  p.id = id;
  const bool given = estimate && estimate->start;
  double start = given ? *estimate->start : defaults.start;
  p.nominal = start;
  if (!std::isfinite(start)) {
    diagnostics.error(span, "'" + id + "' has no value to start from",
                      "write " + id + "=START in --estimate");
    return p;
  }
  if (estimate && estimate->low) {
    p.lower = *estimate->low;
    p.upper = *estimate->high;
  } else if (start != 0) {
    double near = start / reach, far = start * reach;
    p.lower = std::min(near, far);
    p.upper = std::max(near, far);
  } else {
    p.upper = reach_of_data * defaults.largest_datum;
    p.lower = defaults.not_negative ? 0 : -p.upper;
  }
  p.scale = p.lower > 0 ? Scale::log : Scale::lin;
  if (estimate && estimate->scale) p.scale = *estimate->scale;
  auto range = [&] { return format_number(p.lower) + ".." + format_number(p.upper); };
  if (p.lower == p.upper)
    diagnostics.error(span, "the bounds of '" + id + "' are equal: " + range(),
                      "leave it out to keep it fixed");
  else if (p.lower > p.upper)
    diagnostics.error(span, "the bounds of '" + id + "' are the wrong way round: " + range(),
                      "the lower one comes first");
  else if (start < p.lower || start > p.upper)
    diagnostics.error(span,
                      std::string(given ? "the start of '" : "the model's value of '") + id +
                          "', " + format_number(start) + ", lies outside of its bounds " + range(),
                      given ? "" : "give a start: " + id + "=...");
  if (p.scale != Scale::lin && p.lower <= 0)
    diagnostics.error(span, "a log scale needs bounds above 0, these are " + range());
  return p;
}

}  // namespace stiffit::internal
