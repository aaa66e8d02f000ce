// What the build with sanitizers leaves out. They make code about ten times slower, and what they
// look for (memory, undefined behaviour) shows in a part of the cases as well; whether the numbers
// are right is settled by the plain build, which runs all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace stiffit::internal {

#ifdef __SANITIZE_ADDRESS__
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// All of them; with sanitizers every n-th, beginning with number `first` (counted from 0, mod n).
template <class T>
std::vector<T> thinned(std::vector<T> all, std::size_t n, std::size_t first = 0) {
  if (!sanitized) return all;
  std::vector<T> some;
  for (std::size_t i = first % n; i < all.size(); i += n) some.push_back(all[i]);
  return some;
}

}  // namespace stiffit::internal
