// SPDX-License-Identifier: Apache-2.0
#include "workbench/version.h"

namespace stiffit {

std::string version() { return STIFFIT_VERSION; }

}  // namespace stiffit
