// SPDX-License-Identifier: Apache-2.0
#include "sensitivity/problem.h"

#include <stdexcept>

#include "base/diagnostic.h"

namespace stiffit::internal {
namespace {

// By columns, with the place of each entry among the rows.
void by_columns(const SparseRows& rows, Sparsity& pattern, std::vector<int>& place) {
  const std::size_t n = rows.rows();
  pattern.n = rows.rows();
  pattern.column_start.assign(n + 1, 0);
  for (int column : rows.column) ++pattern.column_start[static_cast<std::size_t>(column) + 1];
  for (std::size_t j = 0; j < n; ++j) pattern.column_start[j + 1] += pattern.column_start[j];
  pattern.row.resize(rows.nonzeros());
  place.resize(rows.nonzeros());
  std::vector<int> next(pattern.column_start.begin(), pattern.column_start.end() - 1);
  for (std::size_t i = 0; i < n; ++i)
    for (int k = rows.row_start[i]; k < rows.row_start[i + 1]; ++k) {
      const int at = next[rows.column[k]]++;
      pattern.row[at] = static_cast<int>(i);
      place[at] = k;
    }
}

LinearOptions linear_options(const Program& program, int lanes) {
  LinearOptions options;
  options.lanes = lanes;
  options.isa = program.isa;
  options.mass = program.mass;
  options.thresholds = program.thresholds;
  return options;
}

}  // namespace

SensitivityProblem::SensitivityProblem(System& system, const Problem& given, WantedParameters w)
    : problem(given),
      wanted(std::move(w)),
      lanes(given.program->isa == Isa::avx512 ? 8 : 4),
      kernels(derivative_kernels(system, *given.program, wanted, lanes)) {
  for (const SystemParameter& p : system.parameters) parameter_names.push_back(p.name);
  by_columns(kernels.state, pattern, place);
  parameter_entries.resize(wanted.size());
  for (int i = 0; i < kernels.parameter.rows(); ++i)
    for (int e = kernels.parameter.row_start[i];
         e < kernels.parameter.row_start[static_cast<std::size_t>(i) + 1]; ++e)
      parameter_entries[kernels.parameter.column[e]].emplace_back(i, e);
  // A matrix by rows is its transpose by columns.
  transposed.n = pattern.n;
  transposed.column_start = kernels.state.row_start;
  transposed.row = kernels.state.column;
  linear = plan_linear(pattern, linear_options(*problem.program, lanes));
  const Program& program = *problem.program;
  const double most = program.thresholds.product_entries;
  product = sparse_product({&kernels.state}, lanes, program.isa, most);
  bent_product = sparse_product({&kernels.state, &kernels.bend_state}, lanes, program.isa, most);
}

std::shared_ptr<const LinearPlan> SensitivityProblem::adjoint_linear() const {
  std::call_once(once_, [&] {
    adjoint_linear_ = plan_linear(transposed, linear_options(*problem.program, 1));
  });
  return adjoint_linear_;
}

std::shared_ptr<const SensitivityProblem> make_sensitivity_problem(
    System& system, const Problem& problem, std::span<const int> parameters) {
  if (!system.equilibrium.states.empty())
    throw InputError("error: sensitivities of a model with fast reactions are not available");
  if (!system.delays.empty())
    throw InputError(
        "error: sensitivities of a model with delays are not available\n"
        "  its solution depends on its past, which forward and adjoint sensitivities do not "
        "follow\n");
  if (problem.program->lanes != 1)
    throw std::invalid_argument("sensitivities need a program of one lane");
  WantedParameters wanted(system.parameters.size(), parameters.empty());
  for (int index : parameters) wanted.at(index) = 1;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!system.parameters[i].folded) continue;
    if (wanted[i] && !parameters.empty())
      throw std::invalid_argument("parameter '" + system.parameters[i].name +
                                  "' is part of the code; it must be among the varied ones");
    wanted[i] = 0;
  }
  return std::make_shared<const SensitivityProblem>(system, problem, std::move(wanted));
}

}  // namespace stiffit::internal
