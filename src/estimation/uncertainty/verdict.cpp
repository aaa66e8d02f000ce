// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/verdict.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/listed.h"

namespace stiffit::internal {
namespace {

constexpr double strong_correlation = 0.95;
// Beyond so many times its own size a linear unknown without bounds counts as not determined.
constexpr double endless = 1e3;

std::string rounded(double value, int digits) {
  std::array<char, 40> text;
  auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                           std::chars_format::general, digits);
  return {text.data(), end.ptr};
}

struct Reach {
  bool low = false, high = false;  // the limit lies inside what is allowed
};

Reach reach_of(const EstimatedParameter& bounds, double theta, double half) {
  auto inside = [&](double bound) {
    return std::isfinite(bound) ? half < std::abs(bound - theta)
                                : half < endless * std::max(std::abs(theta), 1e-300);
  };
  if (!std::isfinite(half)) return {};
  return {inside(bounds.lower), inside(bounds.upper)};
}

// Those that can move with unknown `a` along the axis on which it is least certain.
std::vector<std::string> partners(const FitStatistics& s, std::size_t a,
                                  const Eigen::MatrixXd& vectors, const Eigen::VectorXd& spreads) {
  Eigen::Index worst = 0;
  double most = -1;
  Eigen::Index row = a;
  for (Eigen::Index k = 0; k < spreads.size(); ++k) {
    double weight = std::abs(vectors(row, k));
    double share = weight < 1e-8 ? 0 : std::min(spreads(k), 1e150) * weight;
    if (share > most) {
      most = share;
      worst = k;
    }
  }
  std::vector<std::pair<double, std::string>> found;
  for (Eigen::Index i = 0; i < vectors.rows(); ++i)
    if (i != row && std::abs(vectors(i, worst)) > 0.1 * std::abs(vectors(row, worst)))
      found.emplace_back(-std::abs(vectors(i, worst)), s.each[s.free[i]].id);
  std::sort(found.begin(), found.end());
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min<std::size_t>(found.size(), 4); ++k)
    names.push_back(found[k].second);
  return names;
}

void judge_one(ParameterStatistics& u, const EstimatedParameter& bounds, const FitStatistics& s,
               std::size_t a, const Eigen::MatrixXd& vectors, const Eigen::VectorXd& spreads) {
  Reach free = reach_of(bounds, u.theta, u.free_single);
  Reach held = reach_of(bounds, u.theta, u.held_single);
  const double open = std::numeric_limits<double>::quiet_NaN();
  u.limits = {free.low ? u.free_single_limits.low : open,
              free.high ? u.free_single_limits.high : open};
  if (free.low && free.high) {
    u.identifiability = grade_of(u.value, u.limits, bounds);
    u.verdict = grade_words(u.identifiability, u.value, u.limits, u.scale);
    if (!u.sheltered_by.empty())
      u.verdict += ", as long as " + listed(u.sheltered_by) +
                   (u.sheltered_by.size() == 1 ? " stays at its bound" : " stay at their bounds");
    return;
  }
  if (held.low && held.high) {
    u.with = partners(s, a, vectors, spreads);
    if (!u.with.empty() && !free.low && !free.high) {
      u.identifiability = Identifiability::in_combination;
      u.verdict = "determined only in combination with " + listed(u.with);
      return;
    }
  }
  if (free.low || free.high) {
    u.identifiability = Identifiability::one_sided;
    u.verdict = free.low ? "one-sided: at least " + rounded(u.free_single_limits.low, 4)
                         : "one-sided: at most " + rounded(u.free_single_limits.high, 4);
    if (!u.with.empty()) u.verdict += "; moves together with " + listed(u.with);
    return;
  }
  u.identifiability = Identifiability::not_determined;
  u.verdict = "not determined by these data";
}

}  // namespace

void judge_unknowns(FitStatistics& statistics, const std::vector<EstimatedParameter>& unknowns,
                    const Eigen::MatrixXd& vectors, const Eigen::VectorXd& spreads) {
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    ParameterStatistics& u = statistics.each[i];
    if (u.at_bound == 0) continue;
    u.identifiability = Identifiability::at_bound;
    u.verdict = std::string("at its ") + (u.at_bound < 0 ? "lower" : "upper") + " bound " +
                rounded(u.value, 6) + "; held there in the statistics of the others";
  }
  for (std::size_t a = 0; a < statistics.free.size(); ++a) {
    std::size_t i = statistics.free[a];
    judge_one(statistics.each[i], unknowns[i], statistics, a, vectors, spreads);
  }
}

void leave_unjudged(FitStatistics& statistics, const std::string& why) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  for (ParameterStatistics& u : statistics.each) {
    u.identifiability = Identifiability::not_judged;
    u.with.clear();
    u.limits = {none, none};
    u.verdict = "not judged: the search has not reached a minimum";
  }
  statistics.undetermined.clear();
  statistics.null_directions.clear();
  statistics.notes.push_back("no limits and no verdicts: the search has not reached a minimum" +
                             (why.empty() ? "" : " (" + why + ")"));
}

std::vector<std::string> correlation_notes(const FitStatistics& s) {
  std::vector<std::string> notes;
  std::size_t m = s.free.size();
  for (std::size_t a = 0; a < m; ++a)
    for (std::size_t b = a + 1; b < m; ++b) {
      double r = s.correlation[a * m + b];
      if (!(std::abs(r) > strong_correlation)) continue;
      notes.push_back(s.each[s.free[a]].id + " and " + s.each[s.free[b]].id +
                      " are strongly correlated (r = " + rounded(r, 4) + ")");
    }
  return notes;
}

std::string combination_words(const FitStatistics& s, const Eigen::VectorXd& thetas) {
  Eigen::VectorXd direction = thetas;  // in powers of e on every logarithmic scale
  for (Eigen::Index i = 0; i < direction.size(); ++i)
    if (s.each[s.free[i]].scale == Scale::log10) direction(i) *= std::log(10.0);
  double largest = direction.cwiseAbs().maxCoeff();
  std::vector<std::pair<double, const ParameterStatistics*>> terms;
  bool logarithmic = true;
  for (Eigen::Index i = 0; i < direction.size(); ++i) {
    double weight = direction(i) / largest;
    if (std::abs(weight) < takes_part_in_words) continue;
    const ParameterStatistics& u = s.each[s.free[i]];
    terms.emplace_back(weight, &u);
    logarithmic = logarithmic && u.scale != Scale::lin;
  }
  if (terms.size() == 1) return terms[0].second->id + " has no effect on what was measured";
  double lead = terms[0].first;
  std::string text = "the data do not change if ";
  for (std::size_t k = 0; k < terms.size(); ++k) {
    double weight = terms[k].first / lead;
    text += k == 0 ? "" : k + 1 == terms.size() ? " and " : ", ";
    text += terms[k].second->id;
    if (logarithmic)
      text += std::abs(weight - 1) < 5e-3
                  ? " is multiplied by c"
                  : " by c^" + rounded(std::abs(weight) < 1e-3 ? 0 : weight, 3);
    else
      text += (weight > 0 ? " grows by " : " falls by ") + rounded(std::abs(weight), 3) +
              (terms[k].second->scale == Scale::lin ? "" : " on its scale");
  }
  return text;
}

}  // namespace stiffit::internal
