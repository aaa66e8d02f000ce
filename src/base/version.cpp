// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

namespace stiffit::internal {

std::string version() { return STIFFIT_VERSION; }

}  // namespace stiffit::internal
