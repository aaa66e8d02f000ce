// What the conditions of an experiment set where a period begins: parameters and start values, with
// their derivatives by the unknowns. SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "estimation/objective/experiment_run.h"

namespace stiffit::internal {

void add_row(const Differentiated& d, const std::vector<double>& result, int row,
             const ExperimentPoint& point, std::size_t columns, std::size_t active, double* out) {
  const double* by_state = result.data() + d.size;
  const double* by_parameter = by_state + d.by_state.size();
  for (std::size_t e = 0; e < d.by_state.size(); ++e) {
    if (d.by_state[e].row != row || by_state[e] == 0) continue;
    const double* s = point.sensitivities.data() + d.by_state[e].column * active;
    for (std::size_t k = 0; k < active; ++k) out[k] += by_state[e] * s[k];
  }
  for (std::size_t e = 0; e < d.by_parameter.size(); ++e) {
    if (d.by_parameter[e].row != row) continue;
    const double* s = point.by_unknown.data() + d.by_parameter[e].column * columns;
    // A derivative that is not finite must not spoil the unknowns it does not belong to.
    for (std::size_t k = 0; k < columns; ++k)
      if (s[k] != 0) out[k] += by_parameter[e] * s[k];
  }
}

void ExperimentRun::evaluate(const Differentiated& d, double time, std::vector<double>& values,
                             std::vector<double>& rows) {
  if (d.size == 0) return;
  std::vector<double> result(derivatives_ ? d.result_size() : d.size);
  double* arrays[4] = {&time, point_.states.data(), point_.parameters.data(), result.data()};
  (derivatives_ ? d.all : d.values)(arrays);
  values.assign(result.begin(), result.begin() + d.size);
  rows.assign(d.size * columns_, 0.0);
  if (!derivatives_) return;
  for (std::size_t i = 0; i < d.size; ++i)
    add_row(d, result, static_cast<int>(i), point_, columns_, active_, rows.data() + i * columns_);
}

void ExperimentRun::set_parameter(int parameter, double value, const double* row) {
  const std::size_t at = parameter;
  point_.parameters[at] = value;
  for (std::size_t k = 0; k < columns_; ++k)
    point_.by_unknown[at * columns_ + k] = row ? row[k] : 0;
}

namespace {

// The values of a period's assignments and their derivatives, before any is made.
struct Assigned {
  std::vector<double> values;
  std::vector<double> rows;  // [assignment][column]
};

Assigned assigned_values(const CompiledPeriod& period, const ExperimentPoint& point,
                         std::size_t columns, const std::vector<double>& expressions,
                         const std::vector<double>& expression_rows) {
  Assigned a;
  a.values.reserve(period.assignments.size());
  a.rows.assign(period.assignments.size() * columns, 0.0);
  for (std::size_t i = 0; i < period.assignments.size(); ++i) {
    const CompiledAssignment& c = period.assignments[i];
    const double* row = nullptr;
    if (c.expression >= 0) {
      a.values.push_back(expressions[c.expression]);
      row = expression_rows.data() + c.expression * columns;
    } else if (c.source >= 0) {
      a.values.push_back(point.parameters[c.source]);
      row = point.by_unknown.data() + c.source * columns;
    } else {
      a.values.push_back(c.number);
    }
    if (row) std::copy(row, row + columns, a.rows.data() + i * columns);
  }
  return a;
}

}  // namespace

void ExperimentRun::apply_first(const CompiledPeriod& period) {
  std::vector<double> values, rows;
  evaluate(period.expressions, experiment_.begin, values, rows);
  const Assigned a = assigned_values(period, point_, columns_, values, rows);
  std::vector<char> assigned(p_, 0);
  for (std::size_t i = 0; i < period.assignments.size(); ++i) {
    const int parameter = period.assignments[i].parameter;
    set_parameter(parameter, a.values[i], a.rows.data() + i * columns_);
    assigned[parameter] = 1;
  }
  apply_defaults(assigned);
  initialise();
}

void ExperimentRun::apply_defaults(const std::vector<char>& assigned) {
  std::vector<double> values, rows;
  for (const std::vector<int>& round : part_.default_rounds()) {
    evaluate(part_.defaults(), experiment_.begin, values, rows);
    for (int index : round) {
      const std::size_t i = index;
      const int target = part_.default_target()[i];
      if (!assigned[target]) set_parameter(target, values[i], rows.data() + i * columns_);
    }
  }
}

void ExperimentRun::initialise() {
  std::vector<double> values, rows;
  evaluate(part_.initial(), experiment_.begin, values, rows);
  point_.states = values;
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t k = 0; k < active_; ++k)
      point_.sensitivities[i * active_ + k] = rows[i * columns_ + k];
}

void ExperimentRun::apply_later(const CompiledPeriod& period) {
  std::vector<double> values, rows, sizes, size_rows;
  evaluate(period.expressions, period.start, values, rows);
  const Assigned a = assigned_values(period, point_, columns_, values, rows);
  // Concentrations behind amounts stay as they are, whatever becomes of the compartment.
  const std::size_t sized = period.resizes ? part_.sized().size() : 0;
  std::vector<double> concentration(sized), concentration_rows(sized * active_);
  if (sized > 0) evaluate(part_.sizes(), period.start, sizes, size_rows);
  for (std::size_t j = 0; j < sized; ++j) {
    const std::size_t state = part_.sized()[j].state;
    concentration[j] = point_.states[state] / sizes[j];
    for (std::size_t k = 0; k < active_; ++k)
      concentration_rows[j * active_ + k] = (point_.sensitivities[state * active_ + k] -
                                             concentration[j] * size_rows[j * columns_ + k]) /
                                            sizes[j];
  }
  for (std::size_t i = 0; i < period.assignments.size(); ++i) {
    const CompiledAssignment& c = period.assignments[i];
    const double* row = a.rows.data() + i * columns_;
    if (c.parameter >= 0) {
      set_parameter(c.parameter, a.values[i], row);
    } else if (c.sized >= 0) {
      const std::size_t j = c.sized;
      concentration[j] = a.values[i];
      std::copy(row, row + active_, concentration_rows.data() + j * active_);
    } else {
      const std::size_t state = c.state;
      point_.states[state] = a.values[i];
      std::copy(row, row + active_, point_.sensitivities.data() + state * active_);
    }
  }
  if (sized > 0) evaluate(part_.sizes(), period.start, sizes, size_rows);
  for (std::size_t j = 0; j < sized; ++j) {
    const std::size_t state = part_.sized()[j].state;
    point_.states[state] = concentration[j] * sizes[j];
    for (std::size_t k = 0; k < active_; ++k)
      point_.sensitivities[state * active_ + k] = concentration_rows[j * active_ + k] * sizes[j] +
                                                  concentration[j] * size_rows[j * columns_ + k];
  }
}

}  // namespace stiffit::internal
