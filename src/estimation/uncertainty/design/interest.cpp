// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/design/interest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/diagnostic.h"
#include "base/fields.h"
#include "base/option_error.h"

namespace stiffit::internal {
namespace {

Interest of_parameter(const EstimatedParameter& u, const ParameterStatistics& own,
                      Eigen::Index index, Eigen::Index count) {
  Interest one;
  one.name = u.id;
  one.value = own.value;
  one.scale = u.scale;
  one.slopes = Eigen::VectorXd::Unit(count, index);
  one.open = !has_both_limits(own.identifiability);
  one.bounds = u;
  return one;
}

Interest of_quantity(const Quantity& quantity, const std::vector<EstimatedParameter>& unknowns,
                     const LocalFit& best, const std::vector<DerivedQuantity>& judged) {
  Interest one;
  one.name = quantity.name;
  const std::vector<double> values = values_of(unknowns, best.x);
  std::vector<double> gradient;
  one.value = quantity.value(values, &gradient);
  one.scale = one.value > 0 ? Scale::log : Scale::lin;
  one.slopes.resize(static_cast<Eigen::Index>(unknowns.size()));
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    one.slopes(static_cast<Eigen::Index>(i)) =
        gradient[i] * theta_slope(values[i], unknowns[i].scale) / theta_slope(one.value, one.scale);
  const double infinite = std::numeric_limits<double>::infinity();
  one.bounds = {one.name, -infinite, infinite, std::nan(""), Scale::lin};
  one.open = true;
  for (const DerivedQuantity& d : judged)
    if (d.name == quantity.name) one.open = !has_both_limits(d.grade);
  return one;
}

}  // namespace

void check_interest(const std::vector<std::string>& names,
                    const std::vector<EstimatedParameter>& unknowns,
                    const std::vector<Quantity>& derived) {
  std::vector<std::string> known;
  for (const EstimatedParameter& u : unknowns) known.push_back(u.id);
  for (const Quantity& quantity : derived) known.push_back(quantity.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string nearest = nearest_name(name, known);
    throw OptionError(option("interest") + ": '" + name +
                          "' is neither an estimated parameter nor given by " + option("derive"),
                      nearest.empty() ? "" : "did you mean '" + nearest + "'?");
  }
}

std::vector<Interest> interest_of(const std::vector<std::string>& names,
                                  const ProblemObjective& objective, const LocalFit& best,
                                  const FitStatistics& s, const std::vector<Quantity>& derived,
                                  const std::vector<DerivedQuantity>& judged) {
  const std::vector<EstimatedParameter>& unknowns = objective.unknowns();
  std::set<std::string> wanted(names.begin(), names.end());
  if (names.empty()) {
    const std::vector<int> outputs = objective.output_unknowns();
    for (std::size_t i = 0; i < unknowns.size(); ++i)
      if (std::find(outputs.begin(), outputs.end(), static_cast<int>(i)) == outputs.end())
        wanted.insert(unknowns[i].id);
    if (wanted.empty())
      for (const EstimatedParameter& u : unknowns)
        if (!u.noise) wanted.insert(u.id);
  }
  std::vector<Interest> list;
  for (std::size_t i = 0; i < unknowns.size(); ++i)
    if (wanted.contains(unknowns[i].id) && s.each[i].at_bound == 0 &&
        s.each[i].identifiability != Identifiability::not_judged)
      list.push_back(of_parameter(unknowns[i], s.each[i], static_cast<Eigen::Index>(i),
                                  static_cast<Eigen::Index>(unknowns.size())));
  for (const Quantity& quantity : derived) {
    if (!wanted.contains(quantity.name)) continue;
    Interest one = of_quantity(quantity, unknowns, best, judged);
    if (std::isfinite(one.value) && one.slopes.allFinite()) list.push_back(std::move(one));
  }
  return list;
}

}  // namespace stiffit::internal
