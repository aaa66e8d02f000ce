// What is fuzzed: one kind of input each, run through everything that reads it and as far beyond
// as is quick. An input is refused with findings or gives numbers that hold; anything else (a
// crash, a hang, another exception, a number that two ways of computing do not agree on) ends the
// process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/splitmix.h"

namespace stiffit::internal {

struct FuzzTarget {
  std::string_view name;
  std::size_t longest;  // bytes of an input
  int changes;          // that every build tries: a second of work or so
  void (*run)(std::string_view input);
  std::span<const std::string_view> words;  // that inputs of this kind are made of
  // A changed input; null: change_text with the words above.
  std::string (*change)(std::string_view input, std::string_view other, SplitMix& random) = nullptr;
};

// In the order of their speed.
std::span<const FuzzTarget* const> fuzz_targets();
const FuzzTarget* find_fuzz_target(std::string_view name);

extern const FuzzTarget expression_target, csv_target, yaml_target, net_target, text_target,
    petab_target, emitter_target, sbml_target;

// Ends the process with a word about what does not hold.
void must_hold(bool holds, const char* what);

}  // namespace stiffit::internal
