// Places that a profile passes through fit the data as well as the threshold allows: limits of all
// other unknowns have to hold there, too. Around a best fit on a plateau (a rate so fast that
// nothing feels it any more) neither the curvature nor a walk from there sees what lies beyond its
// edge; the profile of the one that leaves the plateau does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/uncertainty/profile.h"

namespace stiffit::internal {

// A place from which an unknown seems to reach beyond its limit.
struct Branch {
  std::size_t unknown = 0;
  int direction = 1;
  LocalFit from;
};

// `limits`: of every unknown, as values; NaN: open. At most one for each side of each.
// `evaluations` grows by those that this took.
std::vector<Branch> branches_beyond(const Objective& objective, const LocalFit& best,
                                    const std::vector<Limits>& limits,
                                    const std::vector<Profile>& profiles, double level, int threads,
                                    long& evaluations);

// Follows one to its limit. `options`: those of the profiles around `best`.
ProfileSide follow_branch(const Objective& objective, const LocalFit& best, const Branch& branch,
                          ProfileOptions options);

// To its limit, or to the bound without one.
bool has_ended(const ProfileSide& side);

// What a side that was followed to its end adds to what fits: it hangs together with the estimate.
Limits stretch_of(const LocalFit& best, const Branch& branch, const ProfileSide& side, Scale scale);

}  // namespace stiffit::internal
