// What an XML text must be before libSBML sees it. Its parser recurses as deep as the text nests,
// and expands entities; a file of a few kilobytes could end the process. Comes in: the file; goes
// out: the same text, position for position, without notes and annotations (they are most of a
// curated model, and nothing here reads them) but for those that mark a derivative.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostic.h"

namespace stiffit::internal {

// In the annotation of a function with the body NaN it means rateOf.
inline constexpr std::string_view derivative_annotation = "wikipedia.org/wiki/Derivative";

struct GuardedText {
  std::string text;
  int shifted_line = 1;  // on this line the columns of `text` stand
  int shift = 0;         // this far to the right of the source's
};

// Nothing, with the reason in `diagnostics`, if the text is not to be parsed.
std::optional<GuardedText> guard_sbml(std::string_view text, Diagnostics& diagnostics);

}  // namespace stiffit::internal
