// When clocks that are not linear next leave their mode: bounds of the root and of its slope over
// stretches of time, halved until they say that nothing happens or that the root rises or falls
// throughout, so that no window is too narrow to be found and no period too many. The search goes
// only as far ahead as steps do, and never looks at where the run ends.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "ode/events/event_handler.h"

namespace stiffit::internal {
namespace {

// A root that stays within rounding of its edge for a stretch of time cannot be told from it; after
// so many halvings the rest of the stretch is only looked at in this many places.
constexpr long most_pieces = 200000;
constexpr double last_places = 65536;

}  // namespace

// Whether mode k, as it stands, fits all of these roots.
bool EventHandler::fits(std::size_t k, const Interval& root) const {
  if (root.empty()) return true;  // there is none
  const double value = p[static_cast<std::size_t>(program_.parameters) + k];
  switch (hybrid_.modes[k].kind) {
    case ModeKind::positive:
      return value != 0 ? root.low > 0 : root.high <= 0;
    case ModeKind::not_negative:
      return value != 0 ? root.low >= 0 : root.high < 0;
    case ModeKind::zero:
      if (value != 0) return root.low == 0 && root.high == 0;
      return side_[k] > 0 ? root.low > 0 : side_[k] < 0 ? root.high < 0 : !root.contains(0);
    default:
      return root.low >= value && root.high < value + 1;
  }
}

// Whether a root that only rises, or only falls, can leave the mode at all.
bool EventHandler::moves_away(std::size_t k, bool rises) const {
  const double value = p[static_cast<std::size_t>(program_.parameters) + k];
  switch (hybrid_.modes[k].kind) {
    case ModeKind::positive:
    case ModeKind::not_negative:
      return (value != 0) != rises;
    case ModeKind::zero:
      return value != 0 || (rises ? side_[k] <= 0 : side_[k] >= 0);
    default:
      return true;
  }
}

// The first double in (left, right] at which mode k does not fit; it does not at `right`.
double EventHandler::first_misfit(std::size_t k, double left, double right) {
  auto at = [&](double time) {
    roots_at(time, y.data(), samples_);
    return samples_[k];
  };
  double low = excess(k, at(left)), high = excess(k, at(right));
  for (int i = 0;; ++i) {
    double middle = left + (right - left) * (low / (low - high));
    if (i % 3 == 2 || !(middle > left && middle < right)) middle = left + 0.5 * (right - left);
    if (!(middle > left && middle < right)) return right;
    const double root = at(middle), value = excess(k, root);
    if (!fits(k, Interval::at(root))) {
      right = middle;
      high = value;
      low *= 0.5;
    } else {
      left = middle;
      low = value;
      high *= 0.5;
    }
  }
}

// When mode k first does not fit, after `from` and up to `to`; or never.
double EventHandler::search_clock(std::size_t k, double from, double to) {
  const IntervalTape& tape = hybrid_.clock_bounds[k];
  auto fits_at = [&](double time) {
    roots_at(time, y.data(), samples_);
    return fits(k, Interval::at(samples_[k]));
  };
  double smallest = 0;
  long pieces = 0;
  std::vector<std::pair<double, double>> waiting{{from, to}};
  while (!waiting.empty()) {
    const auto [left, right] = waiting.back();
    waiting.pop_back();
    if (++pieces == most_pieces) smallest = (to - from) / last_places;
    const Interval time{left, right, false};
    Interval bounds[2], point[2];
    tape.run(time, y.data(), p.data(), bounds, scratch_);
    if (fits(k, bounds[0])) continue;
    const double middle = left + 0.5 * (right - left);
    const bool smooth = !bounds[0].broken && !bounds[1].broken && !bounds[1].empty();
    if (smooth && (bounds[1].low >= 0 || bounds[1].high <= 0)) {
      const bool rises = bounds[1].low >= 0;
      if (!moves_away(k, rises)) continue;
      // Of a floor only the edge that lies ahead.
      const double value = p[static_cast<std::size_t>(program_.parameters) + k];
      roots_at(right, y.data(), samples_);
      const double root = samples_[k];
      const bool left_it = hybrid_.modes[k].kind == ModeKind::whole
                               ? (rises ? root >= value + 1 : root < value)
                               : !fits(k, Interval::at(root));
      if (left_it) return first_misfit(k, left, right);
      continue;
    }
    if (smooth && std::isfinite(bounds[1].low) && std::isfinite(bounds[1].high)) {
      tape.run(Interval::at(middle), y.data(), p.data(), point, scratch_);
      if (fits(k, common(bounds[0], point[0] + bounds[1] * (time - Interval::at(middle)))))
        continue;
    }
    if (!(middle > left && middle < right) || right - left < smallest) {
      if (!fits_at(right)) return first_misfit(k, left, right);
      continue;
    }
    waiting.emplace_back(middle, right);
    waiting.emplace_back(left, middle);
  }
  return never;
}

// Begins the search anew where anything that the root depends on has changed.
void EventHandler::restart_search(std::size_t k) {
  const IntervalTape& tape = hybrid_.clock_bounds[k];
  Ahead& ahead = ahead_[k];
  std::vector<double> now{p[static_cast<std::size_t>(program_.parameters) + k], side_[k]};
  for (int i : tape.parameters()) now.push_back(p[i]);
  for (int i : tape.states()) now.push_back(y[i]);
  if (now == ahead.seen && ahead.found > t && ahead.searched >= t) return;
  ahead = {t, never, std::move(now)};
}

void EventHandler::look_ahead(double until) {
  if (!has_nonlinear_time_events_) return;
  for (std::size_t k = 0; k < ahead_.size(); ++k) {
    Ahead& ahead = ahead_[k];
    if (!is_bent(k) || ahead.found < never || !(ahead.searched < until)) continue;
    ahead.found = search_clock(k, ahead.searched, until);
    ahead.searched = until;
    time_event_times_[k] = ahead.found;
    if (ahead.found < stop_) {
      stop_ = ahead.found;
      time_tolerance_ = 0;
    }
  }
}

}  // namespace stiffit::internal
