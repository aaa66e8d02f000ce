// Where inside a step a condition on the state first changes. The root is looked at in nine places
// of a piece of the step, and between them as the polynomial through these values, whose
// coefficients in Bernstein's form bound it: a condition that holds for a moment only is found too,
// as long as the polynomial is the root. Where its last coefficients say that it is not, the piece
// is halved. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/far_side.h"
#include "linear/small_solve.h"
#include "ode/events/event_handler.h"

namespace stiffit::internal {
namespace {

constexpr double nowhere = std::numeric_limits<double>::infinity();
constexpr std::size_t degree = 8, places = degree + 1;
// Of a step whose root no polynomial follows; of one that also bends with time by itself.
constexpr int most_halvings = 6, most_with_time = 14;
constexpr int deepest = 40;        // halvings of a polynomial
constexpr double resolved = 1e-3;  // last coefficients, of the range
constexpr double well_resolved = 1e-6;
using Values = std::array<double, places>;

// Chebyshev's points (extrema) in [0, 1], and what turns values there into coefficients.
struct Points {
  Values theta;
  std::vector<double> bernstein;  // [coefficient][value]
  double last[2][places];         // the two highest coefficients of Chebyshev's series

  Points() {
    const double pi = std::acos(-1.0);
    std::vector<double> matrix(places * places);
    bernstein.assign(places * places, 0);
    for (std::size_t j = 0; j < places; ++j) {
      theta[j] = j == degree ? 1 : 0.5 - 0.5 * std::cos(pi * static_cast<double>(j) / degree);
      double choose = 1;
      for (std::size_t i = 0; i < places; ++i) {
        matrix[j * places + i] = choose * std::pow(theta[j], static_cast<double>(i)) *
                                 std::pow(1 - theta[j], static_cast<double>(degree - i));
        choose *= static_cast<double>(degree - i) / static_cast<double>(i + 1);
      }
      bernstein[j * places + j] = 1;
      const double share = j == 0 || j == degree ? 0.5 : 1;
      last[0][j] =
          2.0 / degree * share * std::cos(pi * static_cast<double>((degree - 1) * j) / degree);
      last[1][j] = 1.0 / degree * share * std::cos(pi * static_cast<double>(j));
    }
    small_solve(matrix, bernstein, places, places);
  }
};
const Points points;

// The first place in [left, right] where the polynomial, not positive at 0, is seen to be; or
// nowhere.
double first_positive(const Values& b, double left, double right, int depth) {
  if (*std::max_element(b.begin(), b.end()) <= 0) return nowhere;
  if (depth == deepest) return b[degree] > 0 ? right : nowhere;
  Values low, high = b;
  for (std::size_t i = 0; i < places; ++i) {
    low[i] = high[0];
    for (std::size_t j = 0; j + i + 1 < places; ++j) high[j] = 0.5 * (high[j] + high[j + 1]);
  }
  const double middle = 0.5 * (left + right);
  if (const double found = first_positive(low, left, middle, depth + 1); found < nowhere)
    return found;
  if (low[degree] > 0) return middle;
  return first_positive(high, middle, right, depth + 1);
}

}  // namespace

// What has to stay negative for mode k to fit, as one or two smooth functions of its root.
void EventHandler::watch(std::size_t k) {
  const double value = p[static_cast<std::size_t>(program_.parameters) + k];
  switch (hybrid_.modes[k].kind) {
    case ModeKind::positive:
    case ModeKind::not_negative:
      watched_.push_back({k, value != 0 ? -1.0 : 1.0, 0, false});
      return;
    case ModeKind::zero:
      watched_.push_back({k, value != 0 ? 1 : -side_[k], 0, value != 0});
      return;
    default:
      watched_.push_back({k, -1, value, false});
      watched_.push_back({k, 1, -(value + 1), false});
  }
}

std::optional<double> EventHandler::crossing(double h, const Interpolant& state) {
  watched_.clear();
  bends_ = false;
  const std::size_t first_mode = program_.parameters;
  for (std::size_t k = 0; k < hybrid_.modes.size(); ++k) {
    const Mode& mode = hybrid_.modes[k];
    if (mode.clock || is_held(k) || (mode.held && p[first_mode + k] == 0)) continue;
    watch(k);
    bends_ |= hybrid_.clock_bounds[k].reads_time();
  }
  if (watched_.empty()) return std::nullopt;
  Found found{nowhere, 0};
  // What leaves an edge with no speed to begin with is within rounding of it for a while.
  if (!hybrid_.holds.empty()) {
    state(1, state_.data());
    roots_at(t + h, state_.data(), samples_);
    std::erase_if(watched_, [&](const Watched& w) {
      if (!leaving_[w.mode]) return false;
      const double over = excess(w.mode, samples_[w.mode]);
      if (over > 0) found = {1, w.mode};
      if (over != 0) leaving_[w.mode] = 0;
      return true;
    });
  }
  if (levels_.empty()) levels_.resize(static_cast<std::size_t>(most_with_time) + 1);
  levels_[0].resize(places * samples_.size());
  if (!watched_.empty()) {
    roots_at(t, y.data(), levels_[0].data());
    if (const Found other = crossing_between(0, 1, h, state, 0); other.theta < found.theta)
      found = other;
  }
  if (!(found.theta <= 1)) return std::nullopt;
  // Whatever changes within rounding of that moment changes with it.
  const double slack = std::max(1e-14 * std::fabs(t), 1e-11 * h);
  const double later = std::min(found.theta + slack / h, 1.0);
  state(later, state_.data());
  roots_at(t + later * h, state_.data(), samples_);
  for (std::size_t k = 0; k < samples_.size(); ++k)
    crossing_[k] = !hybrid_.modes[k].clock && excess(k, samples_[k]) > 0;
  crossing_[found.mode] = 1;
  left_side_ = side_;
  left_.assign(p.begin() + program_.parameters, p.begin() + program_.parameters + program_.modes);
  return found.theta;
}

// Where the states are between the places of a piece, as far as polynomials of its degree go.
void EventHandler::begin_box(double left, const Interpolant& state) {
  state(left, state_.data());
  low_ = high_ = state_;
}
void EventHandler::widen_box() {
  for (std::size_t i = 0; i < state_.size(); ++i) {
    low_[i] = std::min(low_[i], state_[i]);
    high_[i] = std::max(high_[i], state_[i]);
  }
}
bool EventHandler::fits_in_box(std::size_t k, double from, double to) {
  const IntervalTape& tape = hybrid_.clock_bounds[k];
  std::vector<Interval> box;
  for (int i : tape.states()) {
    const double low = low_[i], high = high_[i];
    box.push_back({low - 0.6 * (high - low), high + 0.6 * (high - low), false});
  }
  Interval bounds[2];
  tape.run({from, to, false}, box, p.data(), bounds, scratch_);
  return fits(k, bounds[0]);
}

// Between two places of the step; the roots at the left one are known.
EventHandler::Found EventHandler::crossing_between(double left, double right, double h,
                                                   const Interpolant& state, int halvings) {
  const std::size_t modes = samples_.size();
  std::vector<double>& roots = levels_[halvings];
  if (bends_) begin_box(left, state);
  for (std::size_t j = 1; j < places; ++j) {
    const double theta = j == degree ? right : left + (right - left) * points.theta[j];
    state(theta, state_.data());
    roots_at(t + theta * h, state_.data(), roots.data() + j * modes);
    if (bends_) widen_box();
  }
  auto place = [&](std::size_t j) {
    return j == degree ? right : left + (right - left) * points.theta[j];
  };
  Found found{nowhere, 0};
  auto take = [&](std::size_t k, double low, double high) {
    if (low >= found.theta) return;
    if (const double theta = locate(k, low, high, h, state); theta < found.theta)
      found = {theta, k};
  };
  bool rough = false;
  for (const Watched& w : watched_) {
    if (rough) break;
    const std::size_t k = w.mode;
    Values q;
    double most = -nowhere, least = nowhere;
    for (std::size_t j = 0; j < places; ++j) {
      const double root = roots[j * modes + k];
      q[j] = w.factor * (w.magnitude ? std::fabs(root) : root) + w.offset;
      // Where it stands the mode fits, whatever rounding says.
      if (j == 0 && q[0] > 0) q[0] = 0;
      most = q[j] > most ? q[j] : most;
      least = q[j] < least ? q[j] : least;
    }
    // It stood at the edge and has not left it but by rounding, or by less than is known of it:
    // switching there would only bring it back, again and again.
    constexpr double few_roundings = 4 * std::numeric_limits<double>::epsilon();
    if (q[0] == 0 && most <= few_roundings * std::fabs(w.offset)) continue;
    if (most > 0 && -q[0] <= most && most <= std::fabs(w.factor) * uncertainty(k) &&
        !sets_off_event(k))
      continue;
    const double range = most - least;
    const bool bends = hybrid_.clock_bounds[k].reads_time();
    if (bends ? fits_in_box(k, t + left * h, t + right * h) : most + 2 * range <= 0)
      continue;  // far away
    const int most_here = bends ? most_with_time : most_halvings;
    double tail = 0;
    for (const double* row : points.last) {
      double c = 0;
      for (std::size_t j = 0; j < places; ++j) c += row[j] * q[j];
      tail += std::fabs(c);
    }
    Values b;
    bool finite = true;
    for (std::size_t i = 0; i < places; ++i) {
      b[i] = 0;
      for (std::size_t j = 0; j < places; ++j) b[i] += points.bernstein[i * places + j] * q[j];
      finite &= std::isfinite(b[i]);
    }
    b[0] = q[0];
    b[degree] = q[degree];
    std::size_t first = 1;
    while (first < places && !(q[first] > 0)) ++first;
    if (!finite) {
      if (first < places) take(k, place(first - 1), place(first));
      continue;
    }
    // As far above the polynomial as the root may be.
    const double margin = 4 * tail;
    Values above = b;
    for (double& x : above) x += margin;
    above[0] = b[0];
    if (first_positive(above, 0, 1, 0) == nowhere && (!bends || halvings == most_here)) continue;
    // A moment that the polynomial shows has to be one of the root, too.
    if (const double theta = first_positive(b, 0, 1, 0); theta < nowhere) {
      const double inside = left + (right - left) * theta;
      state(inside, state_.data());
      roots_at(t + inside * h, state_.data(), samples_);
      const bool known = !bends || tail <= well_resolved * range || halvings == most_here;
      if (known && excess(k, samples_[k]) > 0) {
        take(k, left, inside);
        continue;
      }
    }
    if (halvings < most_here && (first == places || bends || tail > resolved * range))
      rough = true;
    else if (first < places)
      take(k, place(first - 1), place(first));
  }
  if (!rough) return found;
  // Both halves begin where there are roots already: at the left end, and in the middle, place 4.
  std::vector<double>& next = levels_[static_cast<std::size_t>(halvings) + 1];
  next.resize(places * modes);
  const double middle = 0.5 * (left + right);
  std::copy_n(roots.begin(), modes, next.begin());
  found = crossing_between(left, middle, h, state, halvings + 1);
  if (found.theta <= 1) return found;
  std::copy_n(roots.begin() + static_cast<long>(degree / 2 * modes), modes, next.begin());
  return crossing_between(middle, right, h, state, halvings + 1);
}

// Whether a trigger changes with this mode, as things stand: what events wait for is never passed.
bool EventHandler::sets_off_event(std::size_t k) {
  if (hybrid_.events.empty()) return false;
  std::vector<double> now(hybrid_.events.size()), then(now);
  evaluate(hybrid_.triggers, now);
  double& mode = p[static_cast<std::size_t>(program_.parameters) + k];
  const double kept = mode;
  mode = kept == 0;
  evaluate(hybrid_.triggers, then);
  mode = kept;
  return now != then;
}

// What the errors allowed in the states may make of a root where the step begins.
double EventHandler::uncertainty(std::size_t k) {
  if (!error_allowed) return 0;
  std::vector<double> values(samples_.size()), near = y;
  roots_at(t, near.data(), values);
  const double root = values[k];
  double sum = 0;
  for (std::size_t i = 0; i < near.size(); ++i) {
    near[i] = y[i] + error_allowed(static_cast<int>(i));
    roots_at(t, near.data(), values);
    near[i] = y[i];
    sum += std::fabs(values[k] - root);
  }
  return sum;
}

// The edge between fitting (left) and not (right), which
// lies on the far side, so that what the mode says of it is plain.
double EventHandler::locate(std::size_t k, double left, double right, double h,
                            const Interpolant& state) {
  std::vector<double> values(samples_.size());
  auto at = [&](double theta) {
    state(theta, state_.data());
    roots_at(t + theta * h, state_.data(), values);
    return excess(k, values[k]);
  };
  const double low = left == 0 ? excess(k, (roots_at(t, y.data(), values), values[k])) : at(left);
  const double high = at(right);
  if (low > 0) return left;
  const double resolution = std::max(1e-15, 4e-16 * std::fabs(t) / h);
  return far_side(left, low, right, high, resolution, at, [](double x) { return x > 0; });
}

}  // namespace stiffit::internal
