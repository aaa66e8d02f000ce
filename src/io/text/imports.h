// `import "other.rxn"`: the files that a text model names, and those that they name, put behind it
// in one source. In: findings about the model's own file. Out: findings about all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/diagnostic.h"

namespace stiffit::internal {

// Files are looked for in `folder`, where the model lies, and below; empty: there are none. Each is
// read once; what cannot be read, and files that import each other, are errors.
void gather_imports(Diagnostics& diagnostics, const std::string& folder);

}  // namespace stiffit::internal
