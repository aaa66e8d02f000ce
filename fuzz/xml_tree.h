// A text of XML as a tree, as far as changing it needs: elements, attributes and text. What is not
// well-formed gives no tree. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stiffit::internal {

struct XmlElement {
  std::string name;
  std::vector<std::pair<std::string, std::string>> attributes;  // values as written
  std::string text;                                             // before the first child
  std::vector<XmlElement> children;
};

// Declarations and comments are passed over.
std::optional<XmlElement> parse_xml(std::string_view text);
std::string xml_text(const XmlElement& root);

// The element and all below it, in order.
void collect(XmlElement& element, std::vector<XmlElement*>& into);

}  // namespace stiffit::internal
