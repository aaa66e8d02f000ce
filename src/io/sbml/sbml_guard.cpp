// SPDX-License-Identifier: Apache-2.0
#include "io/sbml/sbml_guard.h"

#include <algorithm>
#include <vector>

#include "io/sbml/read_sbml.h"

namespace stiffit::internal {

namespace {

// libSBML 5.19 survives a nesting of about 3000 elements, and formulas of about 10000 operators,
// on a stack of 8 MB.
constexpr std::size_t deepest_nesting = 1500;
constexpr std::ptrdiff_t longest_formula = 4000;  // operators
constexpr std::size_t largest_file = std::size_t{1} << 30;

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

Span span_at(std::size_t begin, std::size_t end) {
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

class Scanner {
 public:
  Scanner(std::string_view text, std::string& copy, Diagnostics& diagnostics)
      : text_(text), copy_(copy), diagnostics_(diagnostics) {}

  bool run() {
    std::size_t at = 0;
    while ((at = text_.find('<', at)) != std::string_view::npos) {
      if (starts(at, "<!--")) {
        if (!skip(at, "-->")) return false;
      } else if (starts(at, "<![CDATA[")) {
        if (!skip(at, "]]>")) return false;
      } else if (starts(at, "<?")) {
        if (!skip(at, "?>")) return false;
      } else if (starts(at, "<!")) {
        diagnostics_.error(span_at(at, std::min(at + 9, text_.size())),
                           "document types and entities are not read",
                           "an SBML file needs no <!DOCTYPE> or <!ENTITY>");
        return false;
      } else if (!tag(at)) {
        return false;
      }
    }
    if (!open_.empty()) {
      diagnostics_.error(span_at(open_.back().begin, open_.back().name_end),
                         "the file ends before <" + std::string(name_of(open_.back())) + "> closes",
                         "the file may be truncated");
      return false;
    }
    return true;
  }

 private:
  struct Open {
    std::size_t begin, name_end;
  };

  bool starts(std::size_t at, std::string_view what) const {
    return text_.substr(at, what.size()) == what;
  }
  std::string_view name_of(const Open& open) const {
    return text_.substr(open.begin + 1, open.name_end - open.begin - 1);
  }

  bool skip(std::size_t& at, std::string_view closing) {
    std::size_t end = text_.find(closing, at);
    if (end == std::string_view::npos) {
      diagnostics_.error(span_at(at, at + 2), "the file ends inside this markup",
                         "expected '" + std::string(closing) + "'; the file may be truncated");
      return false;
    }
    at = end + closing.size();
    return true;
  }

  // The '>' that closes the tag at `at`, outside of quotes.
  std::size_t tag_end(std::size_t at) const {
    char quote = 0;
    for (std::size_t i = at; i < text_.size(); ++i) {
      char c = text_[i];
      if (quote) {
        if (c == quote) quote = 0;
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '>') {
        return i;
      }
    }
    return std::string_view::npos;
  }

  bool tag(std::size_t& at) {
    std::size_t end = tag_end(at);
    if (end == std::string_view::npos) {
      diagnostics_.error(span_at(at, at + 1), "the file ends inside this tag",
                         "expected '>'; the file may be truncated");
      return false;
    }
    const bool closing = starts(at, "</");
    std::size_t name_begin = at + (closing ? 2 : 1);
    std::size_t name_end = std::min(text_.find_first_of(" \t\r\n/>", name_begin), end);
    std::string_view name = text_.substr(name_begin, name_end - name_begin);
    if (closing) {
      if (open_.empty() || name_of(open_.back()) != name) {
        diagnostics_.error(span_at(at, end + 1), "</" + std::string(name) + "> closes nothing",
                           open_.empty() ? std::string("no element is open here")
                                         : "expected </" + std::string(name_of(open_.back())) +
                                               ">, opened on line " +
                                               std::to_string(line_of(open_.back().begin)));
        return false;
      }
      std::size_t begin = open_.back().begin;
      open_.pop_back();
      if (is_prose(name) && !means_something(text_.substr(begin, end - begin)))
        blank(begin, end + 1);
    } else if (!seen_root_ && !is_known_level(at, end, name)) {
      return false;
    } else if (text_[end - 1] != '/') {
      open_.push_back({at, name_end});
      if (open_.size() > deepest_nesting) {
        diagnostics_.error(span_at(at, name_end), "elements are nested too deeply",
                           "more than " + std::to_string(deepest_nesting) + " levels");
        return false;
      }
    }
    if (!closing && !formula_is_bounded(at, end)) return false;
    at = end + 1;
    return true;
  }

  // The value of an attribute of the tag, without its quotes; empty if it has none.
  std::string_view attribute(std::size_t at, std::size_t end, const std::string& name) const {
    std::string_view tag = text_.substr(at, end - at);
    for (std::size_t i = 0; i < tag.size(); ++i) {
      if (tag[i] == '"' || tag[i] == '\'') {
        i = std::min(tag.find(tag[i], i + 1), tag.size());
        continue;
      }
      if (i == 0 || !is_blank(tag[i - 1]) || tag.substr(i, name.size()) != name) continue;
      std::size_t value = tag.find_first_not_of(" \t\r\n", i + name.size());
      if (value == std::string_view::npos || tag[value] != '=') continue;
      value = tag.find_first_not_of(" \t\r\n", value + 1);
      if (value == std::string_view::npos || (tag[value] != '"' && tag[value] != '\'')) return {};
      return tag.substr(value + 1, tag.find(tag[value], value + 1) - value - 1);
    }
    return {};
  }
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

  // libSBML gives up with an exception if the namespace is not that of the level and version.
  bool is_known_level(std::size_t at, std::size_t end, std::string_view root) {
    seen_root_ = true;
    const std::size_t colon = root.find(':');
    const std::string_view level = attribute(at, end, "level"),
                           version = attribute(at, end, "version"),
                           found = attribute(at, end,
                                             colon == std::string_view::npos
                                                 ? "xmlns"
                                                 : "xmlns:" + std::string(root.substr(0, colon)));
    const std::string wanted = namespace_of(level, version);
    if (level.empty() || version.empty() || wanted == found) return true;  // or libSBML says it
    diagnostics_.error(span_at(at, end + 1),
                       wanted.empty() ? "there is no SBML Level " + std::string(level) +
                                            " Version " + std::string(version)
                                      : "the namespace is not that of Level " + std::string(level) +
                                            " Version " + std::string(version),
                       wanted.empty() ? "" : "expected xmlns=\"" + wanted + "\"");
    return false;
  }
  static std::string namespace_of(std::string_view level, std::string_view version) {
    const std::string base = "http://www.sbml.org/sbml/level";
    const std::string number(version);
    const bool one = version == "1", two = version == "2";
    if (level == "1" && (one || two)) return base + "1";
    if (level == "2" && one) return base + "2";
    if (level == "2" && (two || version == "3" || version == "4" || version == "5"))
      return base + "2/version" + number;
    if (level == "3" && (one || two)) return base + "3/version" + number + "/core";
    return {};
  }

  // Level 1 writes formulas as text; each operator may be one level of the tree.
  bool formula_is_bounded(std::size_t at, std::size_t end) {
    if (end - at < static_cast<std::size_t>(longest_formula)) return true;
    std::string_view inside = text_.substr(at, end - at);
    auto operators = std::count_if(inside.begin(), inside.end(), [](char c) {
      return std::string_view("+-*/^(,").find(c) != std::string_view::npos;
    });
    if (operators <= longest_formula) return true;
    diagnostics_.error(span_at(at, at + 1), "this formula is too long",
                       "more than " + std::to_string(longest_formula) + " operators");
    return false;
  }

  static bool is_prose(std::string_view name) {
    if (std::size_t colon = name.find(':'); colon != std::string_view::npos)
      name.remove_prefix(colon + 1);
    return name == "notes" || name == "annotation";
  }

  // The one annotation that changes the mathematics: this function is a rate of change.
  static bool means_something(std::string_view annotation) {
    return annotation.find(derivative_annotation) != std::string_view::npos;
  }

  void blank(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (copy_[i] != '\n') copy_[i] = ' ';
  }

  int line_of(std::size_t offset) const {
    return diagnostics_.source().locate(static_cast<std::uint32_t>(offset)).line;
  }

  std::string_view text_;
  std::string& copy_;
  Diagnostics& diagnostics_;
  std::vector<Open> open_;
  bool seen_root_ = false;
};

// libSBML demands an encoding in the XML declaration, which XML does not (UTF-8 is meant then).
void complete_declaration(GuardedText& guarded) {
  std::string& text = guarded.text;
  constexpr std::string_view full = R"(<?xml version="1.0" encoding="UTF-8"?>)";
  if (!text.starts_with("<?xml")) {
    text.insert(0, full);
    guarded.shift += static_cast<int>(full.size());
    return;
  }
  std::size_t end = text.find("?>");
  std::string_view declaration = std::string_view(text).substr(0, end);
  if (declaration.find("encoding") != std::string_view::npos) return;
  constexpr std::string_view missing = R"( encoding="UTF-8")";
  std::size_t at = declaration.find("standalone");
  if (at == std::string_view::npos) at = end;
  guarded.shifted_line =
      1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<long>(end), '\n'));
  guarded.shift += static_cast<int>(missing.size()) + 1;
  text.insert(at, std::string(missing) + " ");
}

}  // namespace

std::optional<GuardedText> guard_sbml(std::string_view text, Diagnostics& diagnostics) {
  if (text.size() > largest_file) {
    diagnostics.error({}, "the file is larger than 1 GB");
    return std::nullopt;
  }
  if (std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    diagnostics.error(span_at(zero, zero + 1), "this is not an XML text: it holds a zero byte");
    return std::nullopt;
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    diagnostics.error({}, "the file is empty");
    return std::nullopt;
  }
  // A document type may stand before the root; it has a message of its own.
  if (!looks_like_sbml(text) && text.find("<!") == std::string_view::npos) {
    std::size_t at = text.find_first_not_of(" \t\r\n");
    diagnostics.error(span_at(at, at + 1), "this is not an SBML file",
                      "expected an XML document with an <sbml> element");
    return std::nullopt;
  }
  GuardedText guarded;
  guarded.text = text;
  if (!Scanner(text, guarded.text, diagnostics).run()) return std::nullopt;
  if (text.starts_with(byte_order_mark)) {
    guarded.text.erase(0, byte_order_mark.size());
    guarded.shift = -static_cast<int>(byte_order_mark.size());
  }
  complete_declaration(guarded);
  return guarded;
}

bool looks_like_sbml(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  while (true) {
    std::size_t at = text.find_first_not_of(" \t\r\n");
    if (at == std::string_view::npos || text[at] != '<') return false;
    text.remove_prefix(at);
    const bool comment = text.starts_with("<!--");
    if (!comment && !text.starts_with("<?") && !text.starts_with("<!")) break;
    std::string_view closing = comment ? "-->" : ">";
    std::size_t end = text.find(closing);
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + closing.size());
  }
  std::string_view name =
      text.substr(1, std::min(text.find_first_of(" \t\r\n/>"), text.size()) - 1);
  if (std::size_t colon = name.find(':'); colon != std::string_view::npos)
    name.remove_prefix(colon + 1);
  return name == "sbml";
}

}  // namespace stiffit::internal
