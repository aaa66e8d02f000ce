// Loops over many short rows, sorted by their lengths: the usual lengths become constants, so that
// the loop over one row has no end to foresee.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

namespace stiffit::internal {

// Calls f with the length, as a std::integral_constant where it is at most `most`, else as an int.
template <int most, class F>
inline __attribute__((always_inline)) void with_constant_length(int length, F&& f) {
  if constexpr (most < 0)
    f(length);
  else if (length == most)
    f(std::integral_constant<int, most>{});
  else
    with_constant_length<most - 1>(length, f);
}

}  // namespace stiffit::internal
