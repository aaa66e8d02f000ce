// SPDX-License-Identifier: Apache-2.0
#include "xml_tree.h"

namespace stiffit::internal {
namespace {

constexpr int deepest = 60;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::optional<XmlElement> document() {
    XmlElement root;
    skip_to_element();
    if (!element(root, 0)) return std::nullopt;
    return root;
  }

 private:
  bool starts(std::string_view what) const { return text_.substr(at_).starts_with(what); }
  bool skip_past(std::string_view what) {
    const std::size_t found = text_.find(what, at_);
    if (found == std::string_view::npos) return false;
    at_ = found + what.size();
    return true;
  }
  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  void skip_to_element() {
    for (;;) {
      skip_blanks();
      if (starts("<?") ? !skip_past("?>") : starts("<!--") ? !skip_past("-->") : true) return;
    }
  }
  std::string word() {
    const std::size_t end = std::min(text_.find_first_of(" \t\r\n=/><\"'", at_), text_.size());
    std::string result(text_.substr(at_, end - at_));
    at_ = end;
    return result;
  }

  bool element(XmlElement& into, int depth) {
    if (depth > deepest || !starts("<")) return false;
    ++at_;
    into.name = word();
    if (into.name.empty()) return false;
    for (skip_blanks(); !starts(">") && !starts("/>"); skip_blanks()) {
      std::string name = word();
      skip_blanks();
      if (name.empty() || !starts("=")) return false;
      ++at_;
      skip_blanks();
      const char quote = at_ < text_.size() ? text_[at_] : '\0';
      if (quote != '"' && quote != '\'') return false;
      const std::size_t end = text_.find(quote, ++at_);
      if (end == std::string_view::npos) return false;
      into.attributes.emplace_back(std::move(name), text_.substr(at_, end - at_));
      at_ = end + 1;
    }
    if (starts("/>")) return at_ += 2, true;
    ++at_;
    for (;;) {
      const std::size_t end = text_.find('<', at_);
      if (end == std::string_view::npos) return false;
      if (into.children.empty()) into.text += text_.substr(at_, end - at_);
      at_ = end;
      if (starts("<!--")) {
        if (!skip_past("-->")) return false;
      } else if (starts("</")) {
        return skip_past(">");
      } else {
        into.children.emplace_back();
        if (!element(into.children.back(), depth + 1)) return false;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

void write(const XmlElement& element, std::string& out) {
  out += "<" + element.name;
  for (const auto& [name, value] : element.attributes)
    out += " " + name +
           (value.find('"') == std::string::npos ? "=\"" + value + "\"" : "='" + value + "'");
  if (element.children.empty() && element.text.empty()) {
    out += "/>";
    return;
  }
  out += ">" + element.text;
  for (const XmlElement& child : element.children) write(child, out);
  out += "</" + element.name + ">";
}

}  // namespace

std::optional<XmlElement> parse_xml(std::string_view text) { return Parser(text).document(); }

std::string xml_text(const XmlElement& root) {
  std::string out = "<?xml version=\"1.0\"?>\n";
  write(root, out);
  return out;
}

void collect(XmlElement& element, std::vector<XmlElement*>& into) {
  into.push_back(&element);
  for (XmlElement& child : element.children) collect(child, into);
}

}  // namespace stiffit::internal
