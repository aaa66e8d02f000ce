// Changed inputs for fuzzing without libFuzzer, and what libFuzzer's own changes are mixed with:
// words, numbers and lines instead of bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/splitmix.h"
#include "target.h"

namespace stiffit::internal {

// One change; `other` is an input to take pieces from, and may be empty.
std::string change_text(std::string_view input, std::string_view other,
                        std::span<const std::string_view> words, SplitMix& random);

// One to six changes by the target's own ways, cut at its longest.
std::string change_input(const FuzzTarget& target, std::string_view input, std::string_view other,
                         SplitMix& random);

// A number as people and machines might write it, ordinary or extreme.
std::string_view some_number(SplitMix& random);

}  // namespace stiffit::internal
