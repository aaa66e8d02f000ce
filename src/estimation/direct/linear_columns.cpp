// SPDX-License-Identifier: Apache-2.0
#include "estimation/direct/linear_columns.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/diagnostic.h"
#include "base/listed.h"
#include "base/number.h"
#include "estimation/direct/affine_form.h"
#include "estimation/direct/linear_fit.h"

namespace stiffit::internal {
namespace {

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "\n") + part;
  return text;
}

}  // namespace

LinearColumns::LinearColumns(const FitProblem& problem, const LinearFitOptions& options)
    : problem_(problem), options_(options) {
  find_unknowns();
  split_rows();
  check_told();
  place_data();
  check_weights();
  if (not_linear_)
    troubles_.push_back(
        "  --method rational serves quotients of polynomials, --method trust-region anything");
  if (!troubles_.empty()) throw InputError(joined(troubles_));
}

// Unknowns that only noise formulas know of do not take part.
void LinearColumns::find_unknowns() {
  std::vector<int> estimated;
  for (std::size_t p = 0; p < problem_.parameters.size(); ++p)
    if (problem_.parameters[p].estimated) estimated.push_back(static_cast<int>(p));
  equations_ = std::make_unique<FitEquations>(problem_, estimated, options_.memories);
  const std::vector<int> felt = equations_->unknowns_felt();
  for (std::size_t u = 0; u < estimated.size(); ++u)
    (std::find(felt.begin(), felt.end(), static_cast<int>(u)) != felt.end() ? unknowns_ : left_out_)
        .push_back(estimated[u]);
  if (!left_out_.empty())
    equations_ = std::make_unique<FitEquations>(problem_, unknowns_, options_.memories);
  starts_.resize(unknowns_.size());
  for (std::size_t u = 0; u < unknowns_.size(); ++u) {
    const ProblemParameter& p = problem_.parameters[unknowns_[u]];
    names_.push_back(p.id);
    starts_(u) = std::isnan(p.nominal) ? 1 : p.nominal;
  }
  if (unknowns_.empty())
    throw InputError("error: none of the parameters to estimate enters the equations of the model");
}

int LinearColumns::column_of(const Monomial& monomial) {
  auto [found, made] = column_.emplace(monomial, static_cast<int>(columns_.size()));
  if (made) {
    columns_.push_back(monomial);
    plain_ &= monomial.size() == 1 && monomial.front().second == 1;
  }
  return found->second;
}

void LinearColumns::split_rows() {
  for (std::size_t e = 0; e < problem_.experiments.size(); ++e) {
    const bool any =
        std::any_of(problem_.measurements.begin(), problem_.measurements.end(),
                    [&](const Measurement& m) { return m.experiment == static_cast<int>(e); });
    if (!any) continue;
    used_.push_back(static_cast<int>(e));
    const ExperimentEquations& equations = equations_->of(static_cast<int>(e));
    auto& shared = shared_[&equations];
    if (shared) continue;
    shared = std::make_unique<Shared>();
    std::vector<RowTerm> terms, left, past;
    for (std::size_t i = 0; i < equations.rows.size(); ++i) {
      const EquationRow& row = equations.rows[i];
      const int index = static_cast<int>(i);
      const bool integrated = !row.algebraic && options_.method == LinearMethod::integral;
      shared->rows.push_back({row.name, integrated, {}, row.series});
      shared->initial.emplace_back();
      if (options_.method == LinearMethod::rational && !row.algebraic)
        split_fraction(row, index, terms);
      else
        split_row(row, index, *shared, terms);
      if (integrated) left.push_back({index, -1, row.left});
    }
    const Graph& g = equations_->graph();
    for (std::size_t k = 0; k < equations.past.size(); ++k) {
      const PastValue& p = equations.past[k];
      past.push_back({static_cast<int>(k), -1, p.value});
      for (int u : equations_->unknowns_in(p.value))
        add_once(troubles_, "error: '" + name(u) + "' stands inside a delay; write it before: " +
                                name(u) + "*delay(...)");
      for (int u : equations_->unknowns_in(p.lag))
        add_once(troubles_,
                 "error: '" + name(u) + "' is a length of delay, which no linear fit finds");
      if (!g.is_fixed(p.lag)) add_once(troubles_, "error: the length of a delay varies");
      if (equations_->past_in(p.value))
        add_once(troubles_, "error: a delay of a delay: the data cannot be followed so far back");
    }
    std::vector<RowTerm> driven, memories;
    for (std::size_t k = 0; k < equations.driven.size(); ++k)
      driven.push_back({static_cast<int>(k), -1, equations.driven[k].rate});
    for (std::size_t k = 0; k < equations.memories.size(); ++k) {
      const NodeId signal = equations.memories[k];
      memories.push_back({static_cast<int>(k), -1, signal});
      for (int u : equations_->unknowns_in(signal))
        add_once(troubles_, "error: '" + name(u) + "' stands inside a memory; write it before");
      if (equations_->past_in(signal))
        add_once(troubles_, "error: a memory of what is not measured itself");
    }
    shared->driven = TermKernel(*equations_, std::move(driven), false);
    shared->memories = TermKernel(*equations_, std::move(memories), false);
    shared->terms = TermKernel(*equations_, std::move(terms), options_.correct_bias);
    shared->left = TermKernel(*equations_, std::move(left), false);
    shared->past = TermKernel(*equations_, std::move(past), false);
  }
}

void LinearColumns::split_row(const EquationRow& row, int index, Shared& shared,
                              std::vector<RowTerm>& terms) {
  Graph& g = equations_->graph();
  const bool integrated = shared.rows[index].integrated;
  auto refuse = [&](const AffineForm& form, const std::string& what) {
    std::string text = "error: method " + std::string(method_name(options_.method)) +
                       " needs equations that are linear in the unknowns; '" + name(form.breaks) +
                       "' is not: " + what + " of " + row.name;
    text += form.breaks == form.with
                ? " depends on it in another way"
                : " has a product of it and '" + name(form.with) + "', or a quotient";
    add_once(troubles_, text);
    not_linear_ = true;
  };
  const NodeId rate = integrated || row.algebraic ? row.rate : g.sub(row.rate, row.slope);
  const AffineForm form = affine_form(*equations_, rate);
  if (form.breaks >= 0) {
    if (!split_products(rate, index, terms))
      return refuse(form, row.algebraic ? "the equation" : "the rate of change");
  } else {
    terms.push_back({index, -1, form.constant});
    for (auto& [unknown, node] : form.terms)
      terms.push_back({index, column_of({{unknown, 1.0}}), node});
  }
  if (!integrated) return;
  const AffineForm initial = affine_form(*equations_, row.initial);
  if (initial.breaks >= 0) return refuse(initial, "the start value");
  auto& start = shared.initial[index];
  start.emplace_back(-1, initial.constant);
  for (auto& [unknown, node] : initial.terms) start.emplace_back(column_of({{unknown, 1.0}}), node);
}

// Products of unknowns before the rest of their terms are columns of their own.
bool LinearColumns::split_products(NodeId rate, int index, std::vector<RowTerm>& terms) {
  Graph& g = equations_->graph();
  int trouble = -1;
  const std::optional<Fraction> fraction = fraction_of(*equations_, rate, trouble);
  if (!fraction || fraction->below.size() != 1 || !fraction->below.begin()->first.empty())
    return false;
  const NodeId below = fraction->below.begin()->second;
  for (auto& [m, node] : fraction->above)
    if (!g.is_number(node, 0))
      terms.push_back({index, m.empty() ? -1 : column_of(m), g.div(node, below)});
  return true;
}

// R y' - P = 0, where x' = P/R.
void LinearColumns::split_fraction(const EquationRow& row, int index, std::vector<RowTerm>& terms) {
  Graph& g = equations_->graph();
  int trouble = -1;
  const std::optional<Fraction> fraction = fraction_of(*equations_, row.rate, trouble);
  if (!fraction) {
    add_once(troubles_, "error: the rate of change of " + row.name +
                            " is no quotient of polynomials in '" + name(trouble) +
                            "': no linear fit finds it\n  --method trust-region serves it");
    return;
  }
  Polynomial sum;
  for (auto& [m, node] : fraction->below) sum[m] = g.mul(node, row.slope);
  for (auto& [m, node] : fraction->above) {
    auto found = sum.find(m);
    sum[m] = found == sum.end() ? g.neg(node) : g.sub(found->second, node);
  }
  if (!sum.contains(Monomial{}) && !sum.empty()) {
    // Every term has an unknown: what all share can be divided out.
    Monomial common = sum.begin()->first;
    add_once(troubles_, "error: the equation of " + row.name +
                            " determines its unknowns only up to a common factor (every term has "
                            "one): fix " +
                            name(common.front().first) + " or another one of them");
    return;
  }
  for (auto& [m, node] : sum)
    if (!g.is_number(node, 0)) terms.push_back({index, m.empty() ? -1 : column_of(m), node});
}

void LinearColumns::check_told() {
  std::set<int> told;
  for (const Monomial& m : columns_)
    for (auto& [unknown, exponent] : m) told.insert(unknown);
  std::vector<std::string> reasons;
  for (auto& [equations, shared] : shared_)
    for (const std::string& reason : equations->not_usable) add_once(reasons, reason);
  for (std::size_t u = 0; u < unknowns_.size(); ++u) {
    if (told.contains(static_cast<int>(u)) || !troubles_.empty()) continue;
    std::string text = "error: method " + std::string(method_name(options_.method)) +
                       " cannot find '" + names_[u] + "': no equation along the data holds it";
    for (const std::string& reason : reasons) text += "\n  " + reason;
    add_once(troubles_, text);
  }
}

// The noise that the problem states for a measurement, as a standard deviation of the value; 0 if
// it does not.
double LinearColumns::error_of(const Measurement& m, const std::vector<double>& parameters) {
  if (problem_.unknown_noise) return 0;
  const ProblemObservable& o = problem_.observables[m.observable];
  const NodeId node = equations_->noise(m.observable);
  const Graph& g = equations_->graph();
  if (!g.is_fixed(node) || !equations_->unknowns_in(node).empty()) return 0;
  bool known = true;
  const double sd = g.value(node, [&](Leaf, int index) {
    const SystemParameter& p = equations_->system().parameters[index];
    for (std::size_t k = 0; k < o.placeholders.size(); ++k) {
      if (o.placeholders[k] != p.name) continue;
      const PlaceholderValue& v = m.placeholders[k];
      if (v.parameter < 0) return v.number;
      const ProblemParameter& own = problem_.parameters[v.parameter];
      known &= !own.estimated;
      return own.nominal;
    }
    for (int u : left_out_) known &= problem_.parameters[u].id != p.name;
    return parameters[index];
  });
  if (!known || !std::isfinite(sd) || sd <= 0) return 0;
  if (o.transformation == Transformation::log) return std::abs(m.value) * sd;
  if (o.transformation == Transformation::log10) return std::abs(m.value) * sd * std::log(10.0);
  return sd;
}

double LinearColumns::value_at_start(NodeId node, const ExperimentSetup& s) const {
  return equations_->graph().value(node, [&](Leaf kind, int index) {
    return kind == Leaf::parameter ? s.parameters[index] : s.start;
  });
}

ExperimentSetup LinearColumns::setup_of(int experiment) const {
  const Graph& g = equations_->graph();
  const ExperimentEquations& equations = equations_->of(experiment);
  const Shared& shared = *shared_.at(&equations);
  ExperimentSetup s;
  s.terms = &shared.terms;
  s.left = &shared.left;
  s.past = &shared.past;
  s.driven = &shared.driven;
  s.memories = &shared.memories;
  s.rows = shared.rows;
  s.parameters = equations_->parameter_values(experiment);
  s.start = equations_->start_time(experiment);
  s.leaf_count = equations_->leaf_count();
  s.columns = columns_.size();
  for (std::size_t i = 0; i < shared.initial.size(); ++i)
    for (auto& [column, node] : shared.initial[i])
      s.rows[i].initial.emplace_back(column, value_at_start(node, s));
  for (const PastValue& p : equations.past) {
    s.leaf_of_past.push_back(equations_->past(static_cast<int>(s.lags.size())));
    s.lags.push_back(g.is_fixed(p.lag) ? value_at_start(p.lag, s) : 0);
  }
  for (const DrivenState& d : equations.driven) {
    s.leaf_of_driven.push_back(d.leaf);
    s.driven_start.push_back(value_at_start(d.initial, s));
  }
  for (const Memory& memory : options_.memories) {
    s.leaf_of_memory.push_back(equations_->memory(static_cast<int>(s.kernels.size())));
    s.kernels.push_back(memory.kernel);
  }
  for (std::size_t o = 0; o < problem_.observables.size(); ++o) {
    s.leaf_of_series.push_back(equations_->series(static_cast<int>(o)));
    s.slope_of_series.push_back(equations_->slope(static_cast<int>(o)));
  }
  return s;
}

// The measurements of one observable, with their errors; too few of them are a trouble.
LinearColumns::Series LinearColumns::series_of(int experiment, int observable, NodeId start,
                                               const ExperimentSetup& s) {
  Series series;
  series.observable = observable;
  series.start = s.start;
  if (start != no_node && equations_->unknowns_in(start).empty() &&
      equations_->graph().is_fixed(start))
    series.start_value = value_at_start(start, s);
  std::map<double, std::vector<int>> times;
  for (std::size_t m = 0; m < problem_.measurements.size(); ++m) {
    const Measurement& measurement = problem_.measurements[m];
    if (measurement.experiment != experiment || measurement.observable != observable ||
        !std::isfinite(measurement.time))
      continue;
    times[measurement.time].push_back(static_cast<int>(m));
    errors_[m] = error_of(measurement, s.parameters);
  }
  series.times.assign(times.begin(), times.end());
  const std::size_t points = times.size() + (!std::isnan(series.start_value) && !times.empty() &&
                                             times.begin()->first > s.start);
  if (points < 3)
    add_once(troubles_, "error: too few points: experiment '" +
                            problem_.experiments[experiment].id + "' has " +
                            std::to_string(times.size()) + " of " +
                            problem_.observables[observable].id +
                            ", a curve needs three points (with the start, if that is known)");
  return series;
}

// Weights of what is not there would be ignored without a word.
void LinearColumns::check_weights() {
  std::vector<std::string> rows;
  for (const OneExperiment& one : experiments_)
    for (const LinearRow& row : one.setup.rows) add_once(rows, row.name);
  auto check = [&](const std::string& name, const char* option) {
    if (std::find(rows.begin(), rows.end(), name) != rows.end()) return true;
    add_once(troubles_,
             std::string("error: ") + option + " names '" + name +
                 "', which has no equation along these data\n  there are: " + listed(rows));
    return false;
  };
  const Weighting& weighting = options_.weighting;
  for (const std::string& name : weighting.names) check(name, "--weight");
  for (const Weighting::Point& point : weighting.points) {
    if (!check(point.row, "--point-weight") || !check(point.other, "--point-weight")) continue;
    bool met = false;
    for (const OneExperiment& one : experiments_)
      for (const std::string& name : {point.row, point.other}) {
        const auto row = std::find_if(one.setup.rows.begin(), one.setup.rows.end(),
                                      [&](const LinearRow& r) { return r.name == name; });
        if (row == one.setup.rows.end()) continue;
        met |= std::all_of(row->series.begin(), row->series.end(), [&](int o) {
          return std::any_of(one.series.begin(), one.series.end(), [&](const Series& s) {
            return s.observable == o &&
                   std::any_of(s.times.begin(), s.times.end(), [&](const auto& datum) {
                     return same_moment(point.time, datum.first);
                   });
          });
        });
      }
    if (!met)
      add_once(troubles_, "error: --point-weight: " + point.row + " was not measured at time " +
                              format_number(point.time));
  }
}

void LinearColumns::place_data() {
  errors_.assign(problem_.measurements.size(), 0);
  errors_known_ = true;
  for (int e : used_) {
    const ExperimentEquations& equations = equations_->of(e);
    OneExperiment one;
    one.id = problem_.experiments[e].id;
    one.setup = setup_of(e);
    for (std::size_t k = 0; k < equations.measured.size(); ++k)
      one.series.push_back(series_of(e, equations.measured[k], equations.start[k], one.setup));
    for (const Series& series : one.series)
      for (const auto& [time, measurements] : series.times)
        for (int m : measurements) errors_known_ &= errors_[m] > 0;
    experiments_.push_back(std::move(one));
  }
  if (!errors_known_) std::fill(errors_.begin(), errors_.end(), 0);
}

}  // namespace stiffit::internal
