// Whether draws lie in separate places: clouds with a gap between them in the values of some
// unknown. An interval over all of them would be one that hardly a draw lies in the middle of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace stiffit::internal {

// [chain][draw][unknown]
using Draws = std::vector<std::vector<std::vector<double>>>;

// The place of each draw, [chain][draw]: 0 is the one that `best` lies in, the others follow by
// their share of the draws. Looked at are these `unknowns`, one by one, within each place that was
// found so far. A gap parts two places if it holds less than a tenth of what the halves next to it
// lead to expect, at least 20 of the `effective` draws, and if each of the two has at least a
// hundredth of all draws and was visited by at least half of the chains.
std::vector<std::vector<int>> separate_places(const Draws& draws,
                                              std::span<const std::size_t> unknowns,
                                              std::span<const double> best, double effective);

}  // namespace stiffit::internal
