// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/combinations/identifiable_combinations.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/number.h"
#include "estimation/optimizers/held_objective.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/uncertainty/combinations/quantity_profile.h"
#include "estimation/uncertainty/combinations/small_expression.h"

namespace stiffit::internal {
namespace {

using Eigen::VectorXd;

constexpr std::size_t most_listed = 12, most_tests = 16;
constexpr double most_drift = 1;     // along the valley, in stretched units: a factor of e
constexpr double each_counts = 0.1;  // so much must an unknown alone change what it stands in
constexpr double felt_share = 0.1;   // of the quantile: what one more sign must be worth
constexpr double takes_part = 0.1;   // of the way of the unknown that is moved

struct Candidate {
  SmallExpression expression;
  double cost = 0;    // largest rise of the ratio along the valley, foreseen, if it is held
  double spread = 0;  // of its stretched value at the best point, one standard deviation
};

class CombinationFinder {
 public:
  CombinationFinder(const Objective& objective, const LocalFit& best,
                    const std::vector<std::size_t>& doubtful,
                    const std::vector<std::pair<std::string, double>>& constants,
                    const ValleyOptions& options)
      : objective_(objective),
        best_(best),
        doubtful_(doubtful),
        options_(options),
        unknowns_(objective.unknowns()),
        n_(unknowns_.size()) {
    for (const EstimatedParameter& u : unknowns_) names_.push_back(u.id);
    for (const auto& [name, value] : constants) {
      names_.push_back(name);
      constants_.push_back(value);
    }
  }

  CombinationSearch run() {
    valley_ = follow_valley(objective_, best_, doubtful_, options_);
    result_.evaluations = valley_.evaluations;
    result_.unfinished = valley_.unfinished;
    result_.better = valley_.better;
    if (result_.better || result_.unfinished) return std::move(result_);
    for (std::size_t u : doubtful_)
      if (valley_.is_open(u, unknowns_, best_)) open_.push_back(u);
    for (std::size_t u : open_) result_.open.push_back(described(u));
    if (open_.size() < 2) return std::move(result_);
    gather_points();
    std::vector<Candidate> candidates = foreseen();
    std::size_t tests = 0;
    for (const Candidate& c : candidates) {
      if (says_nothing_new(c)) continue;
      if (result_.found.size() == most_listed || tests == most_tests || out_of_time()) break;
      ++tests;
      if (holds(c)) add_if_determined(c);
    }
    std::stable_sort(result_.found.begin(), result_.found.end(), [](const auto& a, const auto& b) {
      return a.expression.variables() < b.expression.variables();
    });
    return std::move(result_);
  }

 private:
  struct Place {
    std::vector<double> values;  // with the constants
    VectorXd slopes;             // d value / d theta of the unknowns
    const ValleyPoint* point = nullptr;
  };

  bool out_of_time() {
    const bool interrupted = options_.local.interrupt && options_.local.interrupt->load();
    const bool late = options_.deadline && std::chrono::steady_clock::now() > *options_.deadline;
    if (interrupted || late || result_.evaluations >= options_.max_evaluations)
      result_.unfinished = true;
    return result_.unfinished;
  }

  Place place_of(const std::vector<double>& x, const ValleyPoint* point) const {
    Place p;
    p.values = values_of(unknowns_, x);
    p.slopes.resize(static_cast<Eigen::Index>(n_));
    for (std::size_t i = 0; i < n_; ++i)
      p.slopes(static_cast<Eigen::Index>(i)) = theta_slope(p.values[i], unknowns_[i].scale);
    p.values.insert(p.values.end(), constants_.begin(), constants_.end());
    p.point = point;
    return p;
  }

  void gather_points() {
    at_best_ = place_of(best_.x, nullptr);
    for (const ValleyWay& way : valley_.ways)
      for (const ValleyPoint& p : way.points) places_.push_back(place_of(p.x, &p));
    for (const ValleyPoint& p : valley_.beyond) places_.push_back(place_of(p.x, &p));
    covariance_ = bounded_covariance(unknowns_, best_.at.fisher, options_.unit);
  }

  // Who goes with it, and whether the data feel it alone.
  OpenUnknown described(std::size_t u) {
    OpenUnknown open;
    open.unknown = u;
    double low = best_.x[u], high = low;
    for (int direction : {-1, 1})
      for (const ValleyPoint& p : valley_.way(u, direction).points) {
        low = std::min(low, p.x[u]);
        high = std::max(high, p.x[u]);
      }
    open.low = from_theta(low, unknowns_[u].scale);
    open.high = from_theta(high, unknowns_[u].scale);
    std::vector<std::pair<double, std::size_t>> ways;
    for (std::size_t i = 0; i < n_; ++i) {
      double most = 0;
      for (int direction : {-1, 1})
        for (const ValleyPoint& p : valley_.way(u, direction).points)
          most = std::max(most, moved(p.x, i) / std::max(moved(p.x, u), 1e-300));
      if (i != u && most > takes_part) ways.emplace_back(-most, i);
    }
    std::stable_sort(ways.begin(), ways.end());
    for (std::size_t k = 0; k < std::min<std::size_t>(ways.size(), 4); ++k)
      open.with.push_back(names_[ways[k].second]);
    for (int direction : {-1, 1}) {
      const ValleyWay& way = valley_.way(u, direction);
      if (way.test < 0) continue;
      std::vector<double> x = best_.x;
      x[u] = way.points[static_cast<std::size_t>(way.test)].x[u];
      const Evaluation e = objective_.evaluate(x, Need::value);
      ++result_.evaluations;
      open.felt = open.felt || !e.ok() ||
                  2 * (e.value - best_.at.value) / options_.unit > options_.quantile;
    }
    return open;
  }

  // On a scale of factors, or of the bounds' distance where there is none.
  double moved(const std::vector<double>& x, std::size_t i) const {
    const EstimatedParameter& u = unknowns_[i];
    if (u.scale == Scale::log10) return std::abs(x[i] - best_.x[i]) * std::log(10.0);
    if (u.scale == Scale::log) return std::abs(x[i] - best_.x[i]);
    if (x[i] * best_.x[i] > 0) return std::abs(std::log(x[i] / best_.x[i]));
    return std::abs(x[i] - best_.x[i]) / std::max(std::abs(best_.x[i]), 1e-300);
  }

  VectorXd slopes_of(const SmallExpression& e, const Place& p, double stretch_slope) const {
    std::vector<double> gradient;
    e.value(p.values, &gradient);
    VectorXd slopes(static_cast<Eigen::Index>(n_));
    for (std::size_t i = 0; i < n_; ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      slopes(k) = stretch_slope * gradient[i] * p.slopes(k);
    }
    return slopes;
  }

  // Candidates that the valley does not speak against, the most likely first.
  std::vector<Candidate> foreseen() const {
    ExpressionParts parts;
    const std::set<std::size_t> open(open_.begin(), open_.end());
    for (std::size_t i = 0; i < n_; ++i)
      (open.count(i) ? parts.open : parts.known).push_back(static_cast<int>(i));
    for (std::size_t k = 0; k < constants_.size(); ++k)
      parts.constants.push_back(static_cast<int>(n_ + k));
    if (parts.known.size() > 12) parts.known.clear();
    parts.most_complexity = parts.open.size() <= 6 ? 5 : parts.open.size() <= 10 ? 4 : 3;
    std::vector<Candidate> found;
    for_each_expression(parts, [&](const SmallExpression& e) {
      Candidate c{e, 0, 0};
      if (foresee(c, open)) found.push_back(std::move(c));
    });
    auto rank = [&](const Candidate& c) {
      return c.cost / (felt_share * options_.quantile) + c.expression.complexity;
    };
    std::stable_sort(found.begin(), found.end(),
                     [&](const Candidate& a, const Candidate& b) { return rank(a) < rank(b); });
    return found;
  }

  bool foresee(Candidate& c, const std::set<std::size_t>& open) const {
    const SmallExpression& e = c.expression;
    const double value = e.value(at_best_.values);
    const bool difference =
        std::any_of(e.factors.begin(), e.factors.end(), [](const ExpressionFactor& f) {
          return std::any_of(f.terms.begin(), f.terms.end(),
                             [](const ExpressionTerm& t) { return t.coefficient < 0; });
        });
    if (value == 0 || !std::isfinite(value) || (difference && value < 0)) return false;
    const double small = 0.1 * std::abs(value);
    auto stretch = [&](double v) { return std::asinh(v / small); };
    const double own = stretch(value);
    for (const Place& p : places_)
      if (!(std::abs(stretch(e.value(p.values)) - own) < most_drift)) return false;
    for (int v : e.variables())
      if (open.count(static_cast<std::size_t>(v)) && !counts(e, v, own, stretch)) return false;
    const VectorXd slopes = slopes_of(e, at_best_, 1 / std::hypot(value, small));
    c.spread = std::sqrt(std::max(0.0, slopes.dot(covariance_ * slopes)));
    if (!(std::sqrt(options_.quantile) * c.spread < std::log(roughly_factor))) return false;
    for (const Place& p : places_) {
      if (pressed(*p.point)) continue;
      const double there = e.value(p.values), off = stretch(there) - own;
      const VectorXd s = slopes_of(e, p, 1 / std::hypot(there, small));
      const double variance = s.dot(p.point->covariance * s);
      const double cost = off == 0 ? 0 : off * off / std::max(variance, 1e-300);
      // Far out the limits of its value tell how constant it is; which one is most so counts.
      if (p.point->near && cost > options_.quantile) return false;
      c.cost = std::max(c.cost, p.point->near ? cost : 0.5 * std::min(cost, options_.quantile));
    }
    return true;
  }

  // Others at their bounds cannot give way: what does not fit quite as well there says nothing.
  bool pressed(const ValleyPoint& p) const {
    if (p.ratio < 1e-3 * options_.quantile) return false;
    for (std::size_t i = 0; i < n_; ++i) {
      const double near = 1e-3 * (unknowns_[i].upper - unknowns_[i].lower);
      if (i != p.moved && std::isfinite(near) &&
          (p.x[i] - unknowns_[i].lower < near || unknowns_[i].upper - p.x[i] < near))
        return true;
    }
    return false;
  }

  // An unknown beside which the others are large says nothing by staying constant.
  template <class Stretch>
  bool counts(const SmallExpression& e, int v, double own, const Stretch& stretch) const {
    std::vector<double> values = at_best_.values;
    const auto i = static_cast<std::size_t>(v);
    for (const Place& p : places_) {
      values[i] = p.values[i];
      if (std::abs(stretch(e.value(values)) - own) > each_counts) return true;
    }
    return false;
  }

  // What is known already: unknowns that are not open, and what was found before.
  bool says_nothing_new(const Candidate& c) const {
    VectorXd g = slopes_of(c.expression, at_best_, 1);
    for (std::size_t i = 0; i < n_; ++i)
      if (std::find(open_.begin(), open_.end(), i) == open_.end())
        g(static_cast<Eigen::Index>(i)) = 0;
    const double before = g.norm();
    for (const VectorXd& d : said_) g -= d * d.dot(g);
    return g.norm() < 0.05 * before;
  }

  void remember(const Candidate& c) {
    VectorXd g = slopes_of(c.expression, at_best_, 1);
    for (std::size_t i = 0; i < n_; ++i)
      if (std::find(open_.begin(), open_.end(), i) == open_.end())
        g(static_cast<Eigen::Index>(i)) = 0;
    for (const VectorXd& d : said_) g -= d * d.dot(g);
    if (g.norm() > 0) said_.push_back(g / g.norm());
  }

  Quantity quantity_of(const SmallExpression& e) const {
    return {"", e.text(names_),
            [&e, this](std::span<const double> values, std::vector<double>* gradient) {
              std::vector<double> all(values.begin(), values.end());
              all.insert(all.end(), constants_.begin(), constants_.end());
              const double value = e.value(all, gradient);
              if (gradient) gradient->resize(values.size());
              return value;
            }};
  }

  // With its value held, every open unknown in it can go where the valley leads.
  bool holds(const Candidate& c) {
    constexpr double strong = 30, most_off = 0.5;  // beside its standard deviation
    const Quantity quantity = quantity_of(c.expression);
    const QuantityScale scale(objective_, quantity, best_.x);
    const double own = scale.at(best_.x).stretched, spread = std::clamp(c.spread, 1e-9, 1.0);
    const PulledObjective pulled(objective_, scale, own, strong / spread, options_.unit);
    bool moved = false;
    for (int v : c.expression.variables()) {
      const auto u = static_cast<std::size_t>(v);
      if (std::find(open_.begin(), open_.end(), u) == open_.end()) continue;
      for (int direction : {-1, 1}) {
        const ValleyWay& way = valley_.way(u, direction);
        if (way.test < 0) continue;
        if (out_of_time()) return false;
        const ValleyPoint& there = way.points[static_cast<std::size_t>(way.test)];
        if (pressed(there)) continue;  // along it the bound of another comes first
        const HeldObjective held(pulled, u, there.x[u]);
        std::vector<double> start = there.x;
        start.erase(start.begin() + static_cast<std::ptrdiff_t>(u));
        const LocalFit fit = fit_trust_region(held, start, options_.local);
        result_.evaluations += fit.values + fit.gradients;
        if (!fit.usable()) return false;
        const double off = std::abs(scale.at(held.whole_point(fit.x)).stretched - own) / spread;
        const double ratio =
            2 * (fit.at.value - pulled.pull(held.whole_point(fit.x)) - best_.at.value) /
            options_.unit;
        // (Bounds of others may keep it from being held to the last digit.)
        if (ratio > options_.quantile || off > most_off) return false;
        moved = true;
      }
    }
    return moved;
  }

  // Its own profile ends on both sides, near enough.
  void add_if_determined(const Candidate& c) {
    const Quantity quantity = quantity_of(c.expression);
    QuantityProfileOptions o;
    o.quantile = options_.quantile;
    o.unit = options_.unit;
    o.local = options_.local;
    o.local.value_tolerance = std::max(o.local.value_tolerance, 1e-3);
    o.max_evaluations = std::max(1L, options_.max_evaluations - result_.evaluations);
    const QuantityProfile p = profile_quantity(objective_, best_, quantity, o);
    result_.evaluations += p.lower.evaluations + p.upper.evaluations;
    if (p.lower.stop != ProfileStop::threshold || p.upper.stop != ProfileStop::threshold) return;
    const double factor = factor_of(p.value, p.limits());
    if (!(factor <= roughly_factor)) return;
    IdentifiableCombination found;
    found.formula = quantity.formula;
    for (int v : c.expression.variables())
      if (static_cast<std::size_t>(v) < n_) found.unknowns.push_back(names_[v]);
    found.value = p.value;
    found.low = p.lower.limit;
    found.high = p.upper.limit;
    found.grade = factor <= determined_factor ? Identifiability::determined
                                              : Identifiability::roughly_determined;
    found.expression = c.expression;
    found.constants = constants_;
    found.words = combination_text(found);
    result_.found.push_back(std::move(found));
    remember(c);
  }

  const Objective& objective_;
  const LocalFit& best_;
  const std::vector<std::size_t>& doubtful_;
  const ValleyOptions& options_;
  const std::vector<EstimatedParameter>& unknowns_;
  std::size_t n_;
  std::vector<std::string> names_;
  std::vector<double> constants_;
  Valley valley_;
  std::vector<std::size_t> open_;
  Place at_best_;
  std::vector<Place> places_;
  Eigen::MatrixXd covariance_;
  std::vector<VectorXd> said_;
  CombinationSearch result_;
};

}  // namespace

double IdentifiableCombination::value_at(std::span<const double> values) const {
  std::vector<double> all(values.begin(), values.end());
  all.insert(all.end(), constants.begin(), constants.end());
  return expression.value(all);
}

std::string combination_text(const IdentifiableCombination& c) {
  return c.formula + " = " + format_short(c.value, 4) + ", " + format_short(c.low, 4) + " to " +
         format_short(c.high, 4);
}

CombinationSearch find_combinations(const Objective& objective, const LocalFit& best,
                                    const std::vector<std::size_t>& doubtful,
                                    const std::vector<std::pair<std::string, double>>& constants,
                                    const ValleyOptions& options) {
  if (doubtful.empty()) return {};
  return CombinationFinder(objective, best, doubtful, constants, options).run();
}

}  // namespace stiffit::internal
