// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/profile.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "base/number.h"
#include "estimation/optimizers/held_objective.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/uncertainty/statistics.h"

namespace stiffit::internal {
namespace {

// Of the quantile: a step that raises the ratio by more is halved, one by less is doubled.
constexpr double largest_rise = 0.35, smallest_rise = 0.08;
constexpr double longest_step = 0.08;    // of the range between the bounds
constexpr double close_enough = 0.02;    // of the quantile, at the interval's end
constexpr double narrowest = 1e-7;       // of the range: a bracket that is a limit by itself
constexpr double clearly_better = 0.01;  // units of the objective
constexpr double flat_share = 0.01;      // of the quantile

class Walk {
 public:
  Walk(const Objective& objective, const LocalFit& best, std::size_t unknown,
       const ProfileOptions& options, ProfileSide& side,
       const std::function<void(const ProfilePoint&)>& on_point)
      : objective_(objective),
        best_(best),
        unknown_(unknown),
        bounds_(objective.unknowns()[unknown]),
        options_(options),
        side_(side),
        on_point_(on_point),
        minimum_(std::isnan(options.minimum) ? best.at.value : options.minimum),
        unit_(value_unit(objective, best.at)),
        quantile_(single_quantile(objective, options.level)) {
    double width = bounds_.upper - bounds_.lower;
    range_ = std::isfinite(width) ? width : 100 * std::max(1.0, std::abs(best.x[unknown]));
    end_ = side.direction < 0 ? bounds_.lower : bounds_.upper;
    if (!std::isfinite(end_)) end_ = best.x[unknown] + side.direction * range_;
    if (!side.points.empty()) evaluations_ = side.points.back().evaluations;
  }

  void run() {
    if (!std::isfinite(quantile_))
      return stop(ProfileStop::limit,
                  "no more data than estimated parameters: no quantile to compare with");
    std::erase_if(side_.points, [](const ProfilePoint& p) { return !(p.next_step > 0); });
    double h = side_.points.empty() ? first_step() : side_.points.back().next_step;
    while (true) {
      if (side_.points.size() >= static_cast<std::size_t>(options_.max_points))
        return stop(ProfileStop::limit,
                    "stopped after " + std::to_string(options_.max_points) + " points");
      if (evaluations_ >= options_.max_evaluations)
        return stop(ProfileStop::limit,
                    "stopped after " + std::to_string(evaluations_) + " evaluations");
      double at = theta(), room = std::abs(end_ - at);
      if (room <= 1e-9 * range_) return stop_at_end();
      // Not a sliver before the end.
      double length = h > 0.8 * room ? room : h;
      std::optional<ProfilePoint> next = fit_at(at + side_.direction * length);
      if (interrupted()) return stop(ProfileStop::interrupted, "interrupted");
      if (!next) {
        h = length / 4;
        if (h < 1e-5 * range_)
          return stop(ProfileStop::unintegrable,
                      "the model cannot be evaluated beyond " + text(at) + ": " + failure_);
        continue;
      }
      if (is_better(*next)) return stop_at_better(std::move(*next));
      double rise = next->ratio - ratio();
      if (next->ratio > quantile_) return close_in(std::move(*next));
      if (rise > largest_rise * quantile_ && length > 1e-4 * range_) {
        h = length / 2;
        continue;
      }
      // Where it falls there may be another minimum ahead: no longer steps then.
      h = std::abs(rise) < smallest_rise * quantile_ ? 2 * length : length;
      keep(std::move(*next), std::min(h, longest_step * range_));
      h = side_.points.back().next_step;
    }
  }

 private:
  double theta() const {
    return side_.points.empty() ? best_.x[unknown_] : side_.points.back().theta;
  }
  double ratio() const {
    return side_.points.empty() ? 2 * (best_.at.value - minimum_) / unit_
                                : side_.points.back().ratio;
  }
  std::string text(double at) const {
    return bounds_.id + " = " + format_number(std::stod(short_text(from_theta(at, bounds_.scale))));
  }
  static std::string short_text(double value) {
    char buffer[40];
    snprintf(buffer, sizeof buffer, "%.5g", value);
    return buffer;
  }
  bool interrupted() const { return options_.local.interrupt && options_.local.interrupt->load(); }

  // A fifth of the way that the Fisher information foretells, others held: on the safe side.
  double first_step() const {
    std::size_t n = best_.x.size();
    double information = best_.at.fisher[unknown_ * n + unknown_];
    double reach = information > 0 ? std::sqrt(quantile_ * unit_ / information) : range_;
    return std::clamp(0.3 * reach, 1e-4 * range_, longest_step * range_);
  }

  std::vector<double> others(const std::vector<double>& x) const {
    std::vector<double> rest = x;
    rest.erase(rest.begin() + unknown_);
    return rest;
  }

  // Where the others should be, from the two points before it.
  std::vector<double> extrapolated(double at) const {
    std::vector<const std::vector<double>*> p{&best_.x};
    for (const ProfilePoint& point : side_.points)
      if ((at - point.theta) * side_.direction >= 0) p.push_back(&point.x);
    if (p.size() == 1) return others(best_.x);
    const std::vector<double>& last = *p.back();
    const std::vector<double>& before = *p[p.size() - 2];
    double step = last[unknown_] - before[unknown_];
    double t = step != 0 ? (at - last[unknown_]) / step : 0;
    t = std::clamp(t, -1.0, 2.0);
    std::vector<double> x(last.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const EstimatedParameter& u = objective_.unknowns()[i];
      x[i] = std::clamp(last[i] + t * (last[i] - before[i]), u.lower, u.upper);
    }
    return others(x);
  }

  std::optional<ProfilePoint> fit_at(double at) {
    HeldObjective held(objective_, unknown_, at);
    ProfilePoint point;
    point.theta = at;
    if (held.unknowns().empty()) {
      ++evaluations_;
      Evaluation e = held.evaluate({}, Need::value);
      if (!e.ok() || !std::isfinite(e.value)) {
        ++side_.failures;
        failure_ = e.failure;
        return {};
      }
      point.value = e.value;
      point.x = {at};
    } else {
      LocalFit fit = fit_trust_region(held, extrapolated(at), options_.local);
      count(fit);
      if (!fit.usable() && !interrupted()) {
        fit = fit_trust_region(held, others(side_.points.empty() ? best_.x : side_.points.back().x),
                               options_.local);
        count(fit);
      }
      if (!fit.usable()) {
        failure_ = fit.message;
        return {};
      }
      point.value = fit.at.value;
      point.x = held.whole_point(fit.x);
    }
    point.ratio = 2 * (point.value - minimum_) / unit_;
    point.evaluations = evaluations_;
    return point;
  }

  void count(const LocalFit& fit) {
    evaluations_ += fit.values + fit.gradients;
    side_.failures += fit.failures;
  }

  void keep(ProfilePoint point, double next_step) {
    point.next_step = next_step;
    side_.points.push_back(std::move(point));
    if (on_point_) on_point_(side_.points.back());
  }

  double root_of(const ProfilePoint& p) const { return std::sqrt(std::max(0.0, p.ratio)); }

  enum class Closing { closed, evaluations, unintegrable, better, interrupted };
  // A place where the ratio passes the quantile: inside at `low`, outside at `high`, on whichever
  // side of each other.
  struct Bracket {
    double low = 0, high = 0;       // theta
    double below = 0, above = 0;    // square root of the ratio, less that of the quantile
    double limit = 0;               // at the end
    double failed = 0;              // where it could not be evaluated
    std::vector<ProfilePoint> met;  // kept at the end: a walk goes on from whole steps
  };

  // Closes the bracket by the Illinois rule on the square root of the ratio, which is nearly
  // linear, until the ratio is that of the limit or the bracket is nothing (a cliff).
  Closing close(Bracket& b, bool closed) {
    const double wanted = std::sqrt(quantile_);
    double low_weight = b.below, high_weight = b.above;
    int last = 0;  // the side that the last point fell on
    while (!closed && std::abs(b.high - b.low) > narrowest * range_) {
      if (evaluations_ >= options_.max_evaluations) return Closing::evaluations;
      const double share = std::clamp(low_weight / (low_weight - high_weight), 0.02, 0.98);
      const double at = b.low + share * (b.high - b.low);
      std::optional<ProfilePoint> middle = fit_at(at);
      if (interrupted()) return Closing::interrupted;
      if (!middle) {
        b.failed = at;
        return Closing::unintegrable;
      }
      const bool better = is_better(*middle);
      const double root = root_of(*middle) - wanted;
      closed = std::abs(middle->ratio - quantile_) < close_enough * quantile_;
      b.met.push_back(std::move(*middle));
      if (better) return Closing::better;
      if (root < 0) {
        b.low = at, b.below = low_weight = root;
        if (last < 0) high_weight /= 2;  // the other end would stay for ever
        last = -1;
      } else {
        b.high = at, b.above = high_weight = root;
        if (last > 0) low_weight /= 2;
        last = 1;
      }
    }
    // What is left of the bracket is straight, or too narrow to matter.
    b.limit = b.above > b.below ? b.low - b.below / (b.above - b.below) * (b.high - b.low) : b.high;
    return Closing::closed;
  }

  // The last point is inside, `outside` beyond.
  void close_in(ProfilePoint outside) {
    const double wanted = std::sqrt(quantile_);
    Bracket b;
    b.low = theta(), b.high = outside.theta;
    b.below = std::sqrt(std::max(0.0, ratio())) - wanted, b.above = root_of(outside) - wanted;
    const bool closed = std::abs(outside.ratio - quantile_) < close_enough * quantile_;
    b.met.push_back(std::move(outside));
    switch (close(b, closed)) {
      case Closing::evaluations:
        return give_up_closing(std::move(b.met), b.low, b.high);
      case Closing::interrupted:
        return stop(ProfileStop::interrupted, "interrupted");
      case Closing::unintegrable:
        return stop(ProfileStop::unintegrable,
                    "the model cannot be evaluated at " + text(b.failed) + ": " + failure_);
      case Closing::better:
        return stop_at_better(std::move(b.met.back()));
      case Closing::closed:
        break;
    }
    const double limit = b.limit;
    for (ProfilePoint& point : b.met) keep(std::move(point), 0);
    order_points(side_);
    if (options_.beyond && !look_beyond()) return;
    side_.limit = limit;
    if (!fill_up()) return stop(ProfileStop::interrupted, "interrupted");
    side_.stop = ProfileStop::threshold;
    side_.message = "the limit is " + text(side_.limit);
    side_.done = true;
  }

  void stop_at_better(ProfilePoint point) {
    keep(std::move(point), 0);
    stop(ProfileStop::better, "a better fit was found at " + text(theta()));
  }

  // From the limit on to the bound, in long steps: where the ratio is below the quantile again,
  // another stretch begins. False: the side has ended otherwise.
  bool look_beyond() {
    const double wanted = std::sqrt(quantile_);
    double at = theta();
    bool inside = false;
    double root = root_of(side_.points.back()) - wanted;
    while (std::abs(end_ - at) > 1e-9 * range_ && evaluations_ < options_.max_evaluations &&
           side_.points.size() < static_cast<std::size_t>(4 * options_.max_points)) {
      const double room = std::abs(end_ - at);
      const double length = longest_step * range_ > 0.8 * room ? room : longest_step * range_;
      const double to = at + side_.direction * length;
      std::optional<ProfilePoint> next = fit_at(to);
      if (interrupted()) return stop(ProfileStop::interrupted, "interrupted"), false;
      if (!next) break;  // what cannot be evaluated does not fit
      if (is_better(*next)) return stop_at_better(std::move(*next)), false;
      const double there = root_of(*next) - wanted;
      Bracket b;
      if (inside == (there < 0)) {
        keep(std::move(*next), 0);
      } else {
        const bool closed = std::abs(next->ratio - quantile_) < close_enough * quantile_;
        b.low = inside ? at : to, b.high = inside ? to : at;
        b.below = inside ? root : there, b.above = inside ? there : root;
        b.met.push_back(std::move(*next));
        const Closing end = close(b, closed);
        if (end == Closing::interrupted)
          return stop(ProfileStop::interrupted, "interrupted"), false;
        if (end == Closing::better) return stop_at_better(std::move(b.met.back())), false;
        const double limit = end == Closing::closed ? b.limit : b.high;
        for (ProfilePoint& point : b.met) keep(std::move(point), 0);
        order_points(side_);
        if (inside)
          side_.beyond.back().second = limit;
        else
          side_.beyond.emplace_back(limit, std::numeric_limits<double>::quiet_NaN());
        inside = !inside;
      }
      at = to;
      root = there;
    }
    return true;
  }

  void give_up_closing(std::vector<ProfilePoint> met, double low, double high) {
    for (ProfilePoint& point : met) keep(std::move(point), 0);
    order_points(side_);
    stop(ProfileStop::limit, "stopped after " + std::to_string(evaluations_) +
                                 " evaluations: the limit is between " + text(low) + " and " +
                                 text(high));
  }

  bool is_better(const ProfilePoint& p) const {
    return p.value < minimum_ - clearly_better * unit_;
  }

  // Points where a picture would have gaps. False: interrupted.
  bool fill_up() {
    auto up_to_limit = [&] {
      return std::count_if(side_.points.begin(), side_.points.end(), [&](const ProfilePoint& p) {
        return (p.theta - side_.limit) * side_.direction <= 0;
      });
    };
    while (up_to_limit() < options_.min_points && evaluations_ < options_.max_evaluations) {
      double widest = 0, at = 0;
      double before = best_.x[unknown_];
      for (const ProfilePoint& p : side_.points) {
        if ((p.theta - side_.limit) * side_.direction > 0) break;  // enough up to the limit
        if (std::abs(p.theta - before) > widest) {
          widest = std::abs(p.theta - before);
          at = 0.5 * (p.theta + before);
        }
        before = p.theta;
      }
      // The limit may have been closed in on from outside alone.
      if (std::abs(side_.limit - before) > widest) {
        widest = std::abs(side_.limit - before);
        at = 0.5 * (side_.limit + before);
      }
      // Measured by what is drawn: bounds may be wider by many orders of magnitude.
      if (!(widest > narrowest * std::abs(side_.limit - best_.x[unknown_]))) break;
      std::optional<ProfilePoint> point = fit_at(at);
      if (interrupted()) return false;
      if (!point) break;
      keep(std::move(*point), 0);
      order_points(side_);
    }
    return true;
  }

  void stop_at_end() {
    double most = 0;
    for (const ProfilePoint& p : side_.points) most = std::max(most, p.ratio);
    bool bounded = std::isfinite(side_.direction < 0 ? bounds_.lower : bounds_.upper);
    std::string end = bounded ? "the bound " + text(end_) : text(end_);
    if (most < flat_share * quantile_ && !side_.points.empty())
      return stop(ProfileStop::flat, "flat: nothing changes up to " + end);
    stop(bounded ? ProfileStop::bound : ProfileStop::limit,
         end + " was reached below the threshold");
  }

  void stop(ProfileStop reason, std::string message) {
    side_.stop = reason;
    side_.message = std::move(message);
    side_.limit = std::numeric_limits<double>::quiet_NaN();
    side_.done = reason != ProfileStop::interrupted;
  }

  const Objective& objective_;
  const LocalFit& best_;
  std::size_t unknown_;
  const EstimatedParameter& bounds_;
  const ProfileOptions& options_;
  ProfileSide& side_;
  const std::function<void(const ProfilePoint&)>& on_point_;
  double minimum_, unit_, quantile_, range_, end_;
  long evaluations_ = 0;
  std::string failure_;
};

}  // namespace

const char* stop_name(ProfileStop stop) {
  switch (stop) {
    case ProfileStop::threshold:
      return "threshold";
    case ProfileStop::bound:
      return "bound";
    case ProfileStop::flat:
      return "flat";
    case ProfileStop::unintegrable:
      return "cannot-be-integrated";
    case ProfileStop::better:
      return "better-fit";
    case ProfileStop::limit:
      return "limit";
    case ProfileStop::interrupted:
      return "interrupted";
  }
  return "unknown";
}

void order_points(ProfileSide& side) {
  std::stable_sort(side.points.begin(), side.points.end(),
                   [&](const ProfilePoint& a, const ProfilePoint& b) {
                     return a.theta * side.direction < b.theta * side.direction;
                   });
}

void profile_side(const Objective& objective, const LocalFit& best, std::size_t unknown,
                  const ProfileOptions& options, ProfileSide& side,
                  const std::function<void(const ProfilePoint&)>& on_point) {
  if (side.done) return;
  Walk(objective, best, unknown, options, side, on_point).run();
}

std::vector<Limits> profile_stretches(const Profile& p, Scale scale) {
  auto value = [&](double theta) { return std::isnan(theta) ? theta : from_theta(theta, scale); };
  auto limit = [&](const ProfileSide& side) {
    return side.stop == ProfileStop::threshold ? value(side.limit) : std::nan("");
  };
  std::vector<Limits> all{{limit(p.lower), limit(p.upper)}};
  for (auto [from, to] : p.lower.beyond) all.push_back({value(to), value(from)});
  for (auto [from, to] : p.upper.beyond) all.push_back({value(from), value(to)});
  all.insert(all.end(), p.others.begin(), p.others.end());
  return joined_stretches(std::move(all));
}

std::string profile_verdict(const EstimatedParameter& unknown, double theta, const Profile& p) {
  const std::vector<Limits> stretches = profile_stretches(p, unknown.scale);
  const Limits limits{stretches.front().low, stretches.back().high};
  const std::string apart =
      stretches.size() > 1 ? "; only " + stretches_words(stretches) + " fit" : "";
  const bool low = !std::isnan(limits.low), high = !std::isnan(limits.high);
  if (low && high) {
    const double at = from_theta(theta, unknown.scale);
    return range_words(grade_of(at, limits, unknown), at, limits) + apart;
  }
  if (low) return "one-sided: at least " + format_short(limits.low, 4) + apart;
  if (high) return "one-sided: at most " + format_short(limits.high, 4) + apart;
  if (!apart.empty()) return "not determined within its bounds" + apart;
  if (p.lower.stop == ProfileStop::flat && p.upper.stop == ProfileStop::flat)
    return "not determined: no value within its bounds fits worse";
  return "not determined within its bounds";
}

}  // namespace stiffit::internal
