// What a mode is where its root has a value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "symbolic/discontinuity_lowering.h"

namespace stiffit::internal {

inline double mode_value(ModeKind kind, double root) {
  switch (kind) {
    case ModeKind::positive:
      return root > 0;
    case ModeKind::not_negative:
      return root >= 0;
    case ModeKind::zero:
      return root == 0;
    case ModeKind::whole:
      break;
  }
  return std::floor(root);
}

}  // namespace stiffit::internal
