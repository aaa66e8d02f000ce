// Profile likelihood: one unknown is moved away from the estimate, step by step, and the others are
// fitted anew at each. Where 2 (value - minimum) passes the quantile, the interval ends. Every side
// stops with a reason, after a bounded number of points and evaluations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "estimation/optimizers/local_fit.h"
#include "estimation/uncertainty/grade.h"

namespace stiffit::internal {

struct ProfileOptions {
  double level = 0.95;
  int max_points = 60;           // of one side, before its limit is closed in on
  int min_points = 0;            // of one side that has a limit, for a picture
  long max_evaluations = 20000;  // of one side, values and gradients
  bool beyond = false;           // on to the bound, for values further out that fit as well
  // What values are compared with, if not with that of the fit: a better one's. NaN: none.
  double minimum = std::numeric_limits<double>::quiet_NaN();
  LocalOptions local;  // for the others; its interrupt stops the profile
};

struct ProfilePoint {
  double theta = 0;       // of the unknown that is moved
  double value = 0;       // of the objective, the others fitted
  double ratio = 0;       // 2 (value - minimum) / unit: passes the quantile at the limit
  std::vector<double> x;  // all unknowns
  double next_step = 0;   // the state of the walk, so that it can go on from here
  long evaluations = 0;   // so far on this side
};

enum class ProfileStop {
  threshold,     // the interval ends here
  bound,         // the bound was reached first
  flat,          // the bound (or far out) was reached and nothing changed on the way
  unintegrable,  // the model cannot be evaluated further out
  better,        // a better fit than the estimate was found: profile from there
  limit,         // too many points or evaluations
  interrupted,
};

struct ProfileSide {
  int direction = 1;  // -1 towards the lower bound
  bool done = false;
  ProfileStop stop = ProfileStop::limit;
  std::string message;
  double limit = 0;  // theta of the interval's end; NaN: none on this side
  // Further stretches of theta that fit as well, outwards: where each begins and ends. NaN: it has
  // no end before the bound.
  std::vector<std::pair<double, double>> beyond;
  std::vector<ProfilePoint> points;
  long failures = 0;
};

struct Profile {
  std::size_t unknown = 0;
  ProfileSide lower, upper;
  std::vector<Limits> others;  // values that fit as well, around other minima
  std::string verdict;         // in words
};

const char* stop_name(ProfileStop stop);
// Values that fit, ascending: the interval around the estimate and what else there is, joined where
// it overlaps. NaN: no limit. Of a profile whose sides were followed.
std::vector<Limits> profile_stretches(const Profile& profile, Scale scale);
// From the estimate outwards.
void order_points(ProfileSide& side);

// Goes on from the points that `side` has. `on_point` is called for each further one.
void profile_side(const Objective& objective, const LocalFit& best, std::size_t unknown,
                  const ProfileOptions& options, ProfileSide& side,
                  const std::function<void(const ProfilePoint&)>& on_point = {});

// `theta`: the estimate.
std::string profile_verdict(const EstimatedParameter& unknown, double theta,
                            const Profile& profile);

}  // namespace stiffit::internal
