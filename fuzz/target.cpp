// SPDX-License-Identifier: Apache-2.0
#include "target.h"

#include <cstdio>
#include <cstdlib>

namespace stiffit::internal {

std::span<const FuzzTarget* const> fuzz_targets() {
  static const FuzzTarget* const all[] = {&expression_target, &csv_target,  &yaml_target,
                                          &net_target,        &text_target, &petab_target,
                                          &emitter_target,    &sbml_target};
  return all;
}

const FuzzTarget* find_fuzz_target(std::string_view name) {
  for (const FuzzTarget* target : fuzz_targets())
    if (target->name == name) return target;
  return nullptr;
}

}  // namespace stiffit::internal
