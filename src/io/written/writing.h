// What a writer gives: the file, and what of the model the target has no words for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace stiffit::internal {

struct Writing {
  std::string text;
  std::vector<std::string> left_out;  // each a sentence for the user; the rest means the same
};

}  // namespace stiffit::internal
