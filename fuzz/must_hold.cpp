// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>

#include "target.h"

namespace stiffit::internal {

void must_hold(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace stiffit::internal
