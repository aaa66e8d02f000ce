// SPDX-License-Identifier: Apache-2.0
#include "cli/field_options.h"

#include <algorithm>

namespace stiffit::internal {

std::vector<OptionSpec> option_specs(const std::vector<api::ListedOption>& options) {
  std::vector<OptionSpec> specs;
  for (const api::ListedOption& o : options)
    if (o.program && !o.general)
      specs.push_back({o.name, o.value, o.help, o.letter, o.repeated, o.provenance});
  return specs;
}

std::vector<OptionSpec> search_options() {
  const std::vector<api::ListedOption> of_ensembles = api::option_list<api::PosteriorOptions>();
  std::vector<api::ListedOption> options = api::option_list<api::FitOptions>("--");
  std::erase_if(options, [&](const api::ListedOption& o) {
    return std::none_of(of_ensembles.begin(), of_ensembles.end(),
                        [&](const api::ListedOption& other) { return other.name == o.name; });
  });
  return option_specs(options);
}

void insert_after(std::vector<OptionSpec>& options, std::string_view name,
                  const std::vector<OptionSpec>& more) {
  const auto at = std::find_if(options.begin(), options.end(),
                               [&](const OptionSpec& option) { return option.name == name; });
  options.insert(at == options.end() ? at : at + 1, more.begin(), more.end());
}

}  // namespace stiffit::internal
