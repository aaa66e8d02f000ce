// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/sampling/places.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace stiffit::internal {
namespace {

constexpr int bins = 200;
constexpr double least_share = 0.01, fewest_expected = 20, thinned = 0.1;

struct Member {
  std::size_t chain, draw;
};
using Place = std::vector<Member>;

struct Cut {
  std::size_t unknown = 0;
  double at = 0, score = 0;  // score 0: none
};

class Finder {
 public:
  Finder(const Draws& draws, std::span<const std::size_t> unknowns, double effective)
      : draws_(draws), unknowns_(unknowns) {
    for (std::size_t c = 0; c < draws.size(); ++c)
      for (std::size_t k = 0; k < draws[c].size(); ++k) all_.push_back({c, k});
    worth_ = all_.empty() ? 0 : std::min(1.0, effective / static_cast<double>(all_.size()));
  }

  std::vector<Place> places() const {
    std::vector<Place> open{all_}, found;
    while (!open.empty()) {
      Place place = std::move(open.back());
      open.pop_back();
      Cut cut;
      for (std::size_t unknown : unknowns_) widest_gap(place, unknown, cut);
      auto [below, above] = sides(place, cut);
      if (cut.score > 0 && visited(below) && visited(above)) {
        open.push_back(std::move(below));
        open.push_back(std::move(above));
      } else {
        found.push_back(std::move(place));
      }
    }
    return found;
  }

 private:
  double value(const Member& m, std::size_t unknown) const {
    return draws_[m.chain][m.draw][unknown];
  }

  std::pair<Place, Place> sides(const Place& place, const Cut& cut) const {
    std::pair<Place, Place> result;
    if (cut.score > 0)
      for (const Member& m : place)
        (value(m, cut.unknown) < cut.at ? result.first : result.second).push_back(m);
    return result;
  }

  bool visited(const Place& place) const {
    std::set<std::size_t> chains;
    for (const Member& m : place) chains.insert(m.chain);
    return 2 * chains.size() >= draws_.size();
  }

  // Takes the place of `best` if it parts more clearly.
  void widest_gap(const Place& place, std::size_t unknown, Cut& best) const {
    const auto least =
        static_cast<std::size_t>(std::ceil(least_share * static_cast<double>(all_.size())));
    std::vector<double> v;
    for (const Member& m : place) v.push_back(value(m, unknown));
    std::sort(v.begin(), v.end());
    const std::size_t n = v.size();
    if (n < 2 * least) return;
    const double low = v[n / 1000], width = (v[n - 1 - n / 1000] - low) / bins;
    if (!(width > 0)) return;
    std::vector<std::size_t> below;  // each edge of a bin
    for (int k = 0; k <= bins; ++k)
      below.push_back(static_cast<std::size_t>(
          std::lower_bound(v.begin(), v.end(), low + width * k) - v.begin()));
    // Of half of a side, next to the gap: how many draws in a stretch as long as the gap.
    auto expected = [&](std::size_t count, double edge, double middle, double gap) {
      const double length = std::fabs(edge - middle);
      return length > 0 ? worth_ * 0.5 * static_cast<double>(count) * gap / length
                        : std::numeric_limits<double>::infinity();
    };
    for (int i = 1; i < bins; ++i)
      for (int j = i + 1; j < bins; ++j) {
        const std::size_t left = below[static_cast<std::size_t>(i)],
                          right = n - below[static_cast<std::size_t>(j)];
        if (left < least || right < least) continue;
        const double from = low + width * i, to = low + width * j, gap = to - from;
        const double few = std::min(expected(left, from, v[left / 2], gap),
                                    expected(right, to, v[n - 1 - right / 2], gap));
        const double seen = worth_ * static_cast<double>(n - left - right);
        if (few < fewest_expected || seen > thinned * few) continue;
        const double score = few / (1 + seen);
        if (score > best.score) best = {unknown, 0.5 * (from + to), score};
      }
  }

  const Draws& draws_;
  std::span<const std::size_t> unknowns_;
  Place all_;
  double worth_ = 0;  // of one draw, in effective ones
};

}  // namespace

std::vector<std::vector<int>> separate_places(const Draws& draws,
                                              std::span<const std::size_t> unknowns,
                                              std::span<const double> best, double effective) {
  std::vector<std::vector<int>> result;
  for (auto& chain : draws) result.emplace_back(chain.size(), 0);
  if (!(effective >= fewest_expected)) return result;
  std::vector<Place> places = Finder(draws, unknowns, effective).places();
  if (places.size() < 2) return result;
  // How far the best point is from what a place holds, in all unknowns, beside its own width.
  auto distance = [&](const Place& place) {
    double sum = 0;
    for (std::size_t i : unknowns) {
      double low = std::numeric_limits<double>::infinity(), high = -low;
      for (const Member& m : place) {
        low = std::min(low, draws[m.chain][m.draw][i]);
        high = std::max(high, draws[m.chain][m.draw][i]);
      }
      const double out = std::max({0.0, low - best[i], best[i] - high});
      sum += out > 0 ? out / std::max(high - low, 1e-300) : 0;
    }
    return sum;
  };
  std::stable_sort(places.begin(), places.end(),
                   [](const Place& a, const Place& b) { return a.size() > b.size(); });
  const auto own = std::min_element(places.begin(), places.end(),
                                    [&](auto& a, auto& b) { return distance(a) < distance(b); });
  std::rotate(places.begin(), own, own + 1);
  for (std::size_t k = 0; k < places.size(); ++k)
    for (const Member& m : places[k]) result[m.chain][m.draw] = static_cast<int>(k);
  return result;
}

}  // namespace stiffit::internal
