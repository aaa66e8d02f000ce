// SPDX-License-Identifier: Apache-2.0
#include "cli/field_options.h"

#include <algorithm>

namespace stiffit::internal {

std::vector<OptionSpec> option_specs(const std::vector<FieldInfo>& fields) {
  std::vector<OptionSpec> options;
  for (const FieldInfo& f : fields)
    if (f.shown(on_command_line) && !f.in_general)
      options.push_back({f.name, f.value, spelled(f.help, "--"), f.letter, f.repeated,
                         f.provenance != Provenanced::no});
  return options;
}

void insert_after(std::vector<OptionSpec>& options, std::string_view name,
                  const std::vector<OptionSpec>& more) {
  const auto at = std::find_if(options.begin(), options.end(),
                               [&](const OptionSpec& option) { return option.name == name; });
  options.insert(at == options.end() ? at : at + 1, more.begin(), more.end());
}

}  // namespace stiffit::internal
