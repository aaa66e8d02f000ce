// SPDX-License-Identifier: Apache-2.0
#include "cli/field_options.h"

namespace stiffit {

std::vector<OptionSpec> option_specs(const std::vector<FieldInfo>& fields) {
  std::vector<OptionSpec> options;
  for (const FieldInfo& f : fields)
    if (f.shown(on_command_line) && !f.in_general)
      options.push_back({f.name, f.value, spelled(f.help, "--"), f.letter, f.repeated});
  return options;
}

}  // namespace stiffit
