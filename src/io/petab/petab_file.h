// One file of a PEtab problem and the findings about it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <set>
#include <string>
#include <tuple>

#include "base/diagnostic.h"

namespace stiffit::internal {

class PetabFile {
 public:
  PetabFile(std::string name, std::string text)
      : diagnostics_(std::make_shared<const Source>(std::move(name), std::move(text))) {}

  // A table that several models share is looked at once for each: the same finding counts once.
  void error(Span span, std::string message, std::string hint = {}) {
    if (is_new(span, message)) diagnostics_.error(span, std::move(message), std::move(hint));
  }
  void warning(Span span, std::string message, std::string hint = {}) {
    if (is_new(span, message)) diagnostics_.warning(span, std::move(message), std::move(hint));
  }

  const std::string& name() const { return diagnostics_.source().name(); }
  std::string_view text() const { return diagnostics_.source().text(); }
  const Diagnostics& diagnostics() const { return diagnostics_; }
  Diagnostics& diagnostics() { return diagnostics_; }

 private:
  bool is_new(Span span, const std::string& message) {
    return seen_.emplace(span.begin, span.end, message).second;
  }

  Diagnostics diagnostics_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::string>> seen_;
};

}  // namespace stiffit::internal
