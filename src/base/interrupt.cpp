// SPDX-License-Identifier: Apache-2.0
#include "base/interrupt.h"

namespace stiffit::internal {

bool InterruptScope::look() {
  ++polls_;
  return current_->load(std::memory_order_relaxed) || (left_ > 0 && --left_ == 0);
}

}  // namespace stiffit::internal
