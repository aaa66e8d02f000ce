// What is wrong with an input, where, and what would mend it. Readers collect all findings of a
// file; nothing here prints.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace stiffit::internal {

enum class Severity { error, warning };

struct Diagnostic {
  Severity severity = Severity::error;
  std::string message;  // "unknown species 'ATPp'"
  Span span;            // where; empty for a finding about the whole file
  std::string hint;     // shown after the caret: "did you mean 'ATP', declared on line 3?"
};

// The findings about one source, at most `limit` errors (a garbage file has millions).
class Diagnostics {
 public:
  explicit Diagnostics(std::shared_ptr<const Source> source) : source_(std::move(source)) {}

  void error(Span span, std::string message, std::string hint = {});
  void warning(Span span, std::string message, std::string hint = {});
  bool has_errors() const { return errors_ > 0; }
  bool full() const { return errors_ >= limit; }  // a reader may stop here
  const std::vector<Diagnostic>& items() const { return items_; }
  const Source& source() const { return *source_; }
  const std::shared_ptr<const Source>& shared_source() const { return source_; }
  // The source with more files behind it (places stay what they are), or, before anything was
  // found, another one.
  void now_about(std::shared_ptr<const Source> source) { source_ = std::move(source); }

  static constexpr int limit = 50;

 private:
  std::shared_ptr<const Source> source_;
  std::vector<Diagnostic> items_;
  int errors_ = 0;
};

// The person's view:
//   error: unknown species 'ATPp'
//     glycolysis.rxn:14:11
//     14 | v3: F6P + ATPp -> FBP + ADP; k3
//        |           ^^^^ did you mean 'ATP', declared on line 3?
std::string render(const Diagnostic& diagnostic, const Source& source);
std::string render(const Diagnostics& diagnostics);

// Bad input that cannot go on: `what()` is the rendered text. Exit code 1.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The name of `candidates` nearest to `name` (edit distance at most a third of its length), or "".
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace stiffit::internal
