// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/profiles/branches.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>

#include "base/threads.h"
#include "estimation/uncertainty/rivals.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

constexpr double clearly_beyond = 0.05;  // of the distance to a limit: as far as limits are good
constexpr double worth_following = 0.8;  // of the quantile: what is left beyond takes nobody far
// Of the quantile: the places that are looked at, and where a side without limit ends.
constexpr double shares_looked_at[] = {0.25, 0.5};

struct PassedPlace {
  std::size_t held = 0;
  const ProfilePoint* point = nullptr;
};

std::vector<PassedPlace> places_of(const std::vector<Profile>& profiles, double quantile) {
  std::vector<PassedPlace> places;
  for (const Profile& profile : profiles)
    for (const ProfileSide* side : {&profile.lower, &profile.upper}) {
      std::vector<const ProfilePoint*> chosen;
      auto choose = [&](const ProfilePoint* p) {
        if (p && p->ratio < worth_following * quantile &&
            std::find(chosen.begin(), chosen.end(), p) == chosen.end())
          chosen.push_back(p);
      };
      // Stretches beyond the limit do not hang together with the estimate.
      const auto end = std::find_if(side->points.begin(), side->points.end(),
                                    [&](const ProfilePoint& p) { return p.ratio > quantile; });
      for (double share : shares_looked_at) {
        const ProfilePoint* nearest = nullptr;
        for (auto p = side->points.begin(); p != end; ++p)
          if (!nearest ||
              std::fabs(p->ratio - share * quantile) < std::fabs(nearest->ratio - share * quantile))
            nearest = &*p;
        choose(nearest);
      }
      if (end == side->points.end() && !side->points.empty()) choose(&side->points.back());
      for (const ProfilePoint* p : chosen) places.push_back({profile.unknown, p});
    }
  return places;
}

// How far each unknown reaches from a place, one being held, with what is left of the quantile;
// NaN: the place does not say.
std::vector<double> reaches_from(const Objective& objective, const PassedPlace& place,
                                 const Evaluation& e, double left) {
  const std::size_t n = place.point->x.size();
  std::vector<double> reach(n, std::nan(""));
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < n; ++i) {
    const EstimatedParameter& u = objective.unknowns()[i];
    const double x = place.point->x[i];
    if (i != place.held && x > u.lower && x < u.upper && e.fisher[i * n + i] > 0) free.push_back(i);
  }
  const auto m = static_cast<Eigen::Index>(free.size());
  Eigen::MatrixXd f(m, m);
  for (Eigen::Index a = 0; a < m; ++a)
    for (Eigen::Index b = 0; b < m; ++b) f(a, b) = e.fisher[free[a] * n + free[b]];
  const Eigen::MatrixXd inverse =
      SymmetricFactors(f).solve_columns(Eigen::MatrixXd::Identity(m, m));
  for (Eigen::Index a = 0; a < m; ++a)
    if (inverse(a, a) > 0) reach[free[a]] = std::sqrt(left * inverse(a, a));
  return reach;
}

}  // namespace

std::vector<Branch> branches_beyond(const Objective& objective, const LocalFit& best,
                                    const std::vector<Limits>& limits,
                                    const std::vector<Profile>& profiles, double level, int threads,
                                    long& evaluations) {
  const double unit = value_unit(objective, best.at), quantile = single_quantile(objective, level);
  if (!std::isfinite(quantile)) return {};
  const std::vector<PassedPlace> places = places_of(profiles, quantile);
  std::vector<Evaluation> at(places.size());
  for_each_index(places.size(), threads, [&](std::size_t k) {
    at[k] = objective.evaluate(places[k].point->x, Need::fisher);
  });
  evaluations += static_cast<long>(places.size());
  struct Furthest {
    double excess = clearly_beyond;  // of the distance to the limit
    std::size_t place = 0;
  };
  std::map<std::pair<std::size_t, int>, Furthest> found;
  for (std::size_t k = 0; k < places.size(); ++k) {
    if (!at[k].ok()) continue;
    const double left = (quantile - std::max(0.0, places[k].point->ratio)) * unit;
    const std::vector<double> reach = reaches_from(objective, places[k], at[k], left);
    for (std::size_t i = 0; i < reach.size(); ++i)
      for (int direction : {-1, 1}) {
        const double limit = direction < 0 ? limits[i].low : limits[i].high;
        if (std::isnan(limit) || std::isnan(reach[i])) continue;
        const double end = to_theta(limit, objective.unknowns()[i].scale);
        const double way = direction * (end - best.x[i]);
        const double excess =
            (direction * (places[k].point->x[i] - best.x[i]) + reach[i] - way) / way;
        if (!(way > 0)) continue;
        auto [known, fresh] = found.try_emplace({i, direction});
        if (excess > known->second.excess)
          known->second = {excess, k};
        else if (fresh)
          found.erase(known);
      }
  }
  std::vector<Branch> branches;
  for (const auto& [side, furthest] : found) {
    LocalFit from;
    from.outcome = FitOutcome::converged;
    from.x = places[furthest.place].point->x;
    from.at = at[furthest.place];
    branches.push_back({side.first, side.second, with_noise_of(best, std::move(from))});
  }
  return branches;
}

ProfileSide follow_branch(const Objective& objective, const LocalFit& best, const Branch& branch,
                          ProfileOptions options) {
  options.minimum = best.at.value;
  options.beyond = false;
  options.min_points = 0;
  ProfileSide side;
  side.direction = branch.direction;
  profile_side(objective, branch.from, branch.unknown, options, side);
  return side;
}

bool has_ended(const ProfileSide& side) {
  return side.stop == ProfileStop::threshold || side.stop == ProfileStop::bound ||
         side.stop == ProfileStop::flat;
}

Limits stretch_of(const LocalFit& best, const Branch& branch, const ProfileSide& side,
                  Scale scale) {
  const double from = from_theta(best.x[branch.unknown], scale);
  const double to =
      side.stop == ProfileStop::threshold ? from_theta(side.limit, scale) : std::nan("");
  return branch.direction < 0 ? Limits{to, from} : Limits{from, to};
}

}  // namespace stiffit::internal
