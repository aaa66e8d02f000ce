// SPDX-License-Identifier: Apache-2.0
#include "sensitivity/jump_rows.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "linear/small_solve.h"
#include "ode/events/event_handler.h"

namespace stiffit::internal {

JumpRecorder::JumpRecorder(const SensitivityProblem& problem)
    : problem_(problem),
      program_(*problem.problem.program),
      n_(program_.states),
      parameters_(problem.kernels.slots) {
  begin_jumps();
}

void JumpRecorder::begin_jumps() {
  next_slot_ = static_cast<int>(n_);
  frame_ = fixed_time;
  crossed_.assign(program_.modes, not_crossed);
  tickets_.clear();
  trouble_.clear();
}

void JumpRecorder::load_parameters(const EventHandler& s) {
  std::copy_n(s.p.data(), problem_.kernels.first_input, parameters_.data());
  double* arrays[1] = {parameters_.data()};
  problem_.kernels.prepare(arrays);
}

const JumpRecorder::Derivatives& JumpRecorder::evaluate(const FunctionKernel& function,
                                                        const EventHandler& s) {
  load_parameters(s);
  derivatives_.state.resize(function.state.nonzeros());
  derivatives_.parameter.resize(function.parameter.nonzeros());
  derivatives_.time.resize(function.functions);
  double* arrays[6] = {
      const_cast<double*>(&s.t), const_cast<double*>(s.y.data()), parameters_.data(),
      derivatives_.state.data(), derivatives_.parameter.data(),   derivatives_.time.data()};
  function.kernel(arrays);
  return derivatives_;
}

JumpRecorder::Algebraic JumpRecorder::solve_algebraic(const EventHandler& s) {
  const FunctionKernel& function = problem_.kernels.algebraic;
  const std::vector<int>& unknowns = program_.hybrid->algebraic;
  const Derivatives& d = evaluate(function, s);
  const std::size_t m = unknowns.size(), width = n_ + problem_.wanted.size() + 1;
  std::vector<int> position(n_, -1);
  for (std::size_t k = 0; k < m; ++k) position[unknowns[k]] = static_cast<int>(k);
  std::vector<double> matrix(m * m, 0.0), right(m * width, 0.0);
  for (std::size_t k = 0; k < m; ++k) {
    for (int e = function.state.row_start[k]; e < function.state.row_start[k + 1]; ++e) {
      const std::size_t at = e;
      const std::size_t column = function.state.column[at];
      if (position[column] >= 0)
        matrix[k * m + position[column]] = d.state[at];
      else
        right[k * width + column] = -d.state[at];
    }
    for (int e = function.parameter.row_start[k]; e < function.parameter.row_start[k + 1]; ++e) {
      const std::size_t at = e;
      right[k * width + n_ + function.parameter.column[at]] = -d.parameter[at];
    }
    right[k * width + width - 1] = -d.time[k];
  }
  Algebraic result;
  if (!small_solve(matrix, right, m, width))
    trouble_ = "the algebraic equations do not determine the sensitivities of their unknowns";
  for (std::size_t k = 0; k < m; ++k) {
    const double* row = right.data() + k * width;
    result.state.insert(result.state.end(), row, row + n_);
    result.parameter.insert(result.parameter.end(), row + n_, row + width - 1);
    result.time.push_back(row[width - 1]);
  }
  return result;
}

// x' along the solution, of algebraic states too.
std::vector<double> JumpRecorder::slope(const EventHandler& s) {
  std::vector<double> f(n_);
  double* arrays[4] = {const_cast<double*>(&s.t), const_cast<double*>(s.y.data()),
                       const_cast<double*>(s.p.data()), f.data()};
  program_.hybrid->rhs(arrays);
  const std::vector<int>& unknowns = program_.hybrid->algebraic;
  if (unknowns.empty()) return f;
  const Algebraic z = solve_algebraic(s);
  for (int i : unknowns) f[i] = 0;
  std::vector<double> slopes(unknowns.size());
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    slopes[k] = z.time[k];
    for (std::size_t i = 0; i < n_; ++i) slopes[k] += z.state[k * n_ + i] * f[i];
  }
  for (std::size_t k = 0; k < unknowns.size(); ++k) f[unknowns[k]] = slopes[k];
  return f;
}

void JumpRecorder::enter_frame(const EventHandler& s, int time) {
  here_ = &s;
  if (time == frame_) return;
  const std::vector<double> f = slope(s);
  for (std::size_t i = 0; i < n_; ++i) {
    if (f[i] == 0) continue;
    row_ = {static_cast<int>(i), {{static_cast<int>(i), 1.0}}, {}};
    if (time >= 0) row_.slots.emplace_back(time, f[i]);
    if (frame_ >= 0) row_.slots.emplace_back(frame_, -f[i]);
    apply(row_);
  }
  frame_ = time;
}

void JumpRecorder::leave_frame() {
  if (frame_ != fixed_time) enter_frame(*here_, fixed_time);
}

// The derivative of function k in the present frame.
void JumpRecorder::add_function(JumpRow& row, const FunctionKernel& function, const Derivatives& d,
                                std::size_t k, double factor) const {
  if (factor == 0) return;
  for (int e = function.state.row_start[k]; e < function.state.row_start[k + 1]; ++e) {
    const std::size_t at = e;
    row.slots.emplace_back(function.state.column[at], factor * d.state[at]);
  }
  for (int e = function.parameter.row_start[k]; e < function.parameter.row_start[k + 1]; ++e) {
    const std::size_t at = e;
    row.parameters.emplace_back(function.parameter.column[at], factor * d.parameter[at]);
  }
  if (frame_ >= 0 && d.time[k] != 0) row.slots.emplace_back(frame_, factor * d.time[k]);
}

void JumpRecorder::arrive(const EventHandler& s) {
  here_ = &s;
  frame_ = fixed_time;
  if (!s.anything_pending()) {
    next_slot_ = static_cast<int>(n_);
    tickets_.clear();
  }
  std::fill(crossed_.begin(), crossed_.end(), not_crossed);
  bool any = false;
  for (std::size_t k = 0; k < crossed_.size(); ++k) any |= s.crosses(k);
  if (!any) return;
  const std::vector<double> f = slope(s);
  const FunctionKernel& roots = problem_.kernels.roots;
  const Derivatives& d = evaluate(roots, s);
  for (std::size_t k = 0; k < crossed_.size(); ++k) {
    if (!s.crosses(k)) continue;
    double speed = d.time[k], size = std::fabs(speed);
    for (int e = roots.state.row_start[k]; e < roots.state.row_start[k + 1]; ++e) {
      const std::size_t at = e;
      const double part = d.state[at] * f[roots.state.column[at]];
      speed += part;
      size += std::fabs(part);
    }
    row_ = {};
    add_function(row_, roots, d, k, 1);
    std::erase_if(row_.slots, [](const auto& x) { return x.second == 0; });
    std::erase_if(row_.parameters, [](const auto& x) { return x.second == 0; });
    if (row_.slots.empty() && row_.parameters.empty()) {
      crossed_[k] = fixed_time;
      continue;
    }
    if (!(std::fabs(speed) > 1e-13 * size)) {
      trouble_ = "at time " + format_number(s.t) +
                 " a condition is only touched, not crossed: its moment has no derivative";
      crossed_[k] = fixed_time;
      continue;
    }
    for (auto* part : {&row_.slots, &row_.parameters})
      for (auto& [index, factor] : *part) factor /= -speed;
    row_.target = crossed_[k] = new_slot();
    apply(row_);
  }
}

void JumpRecorder::mode_changes(const EventHandler& s, std::size_t k) {
  if (crossed_[k] != not_crossed) enter_frame(s, crossed_[k]);
}

void JumpRecorder::triggered(const EventHandler& s, int event, int ticket) {
  here_ = &s;
  const std::size_t e = event;
  const HybridProgram::Event& program = program_.hybrid->events[e];
  for (int k : problem_.kernels.trigger_modes[e]) {
    const std::size_t mode = k;
    if (crossed_[mode] == not_crossed) continue;
    enter_frame(s, crossed_[mode]);
    break;
  }
  Ticket made{frame_, -1};
  if (program.values_at_trigger && program.assignments > 0) {
    const FunctionKernel& values = problem_.kernels.values;
    const Derivatives& d = evaluate(values, s);
    made.value = next_slot_;
    for (int a = 0; a < program.assignments; ++a) {
      row_ = {new_slot(), {}, {}};
      add_function(row_, values, d, program.first + a, 1);
      apply(row_);
    }
  }
  if (program.has_delay) {
    std::vector<double> delays(program_.hybrid->events.size());
    double* arrays[4] = {const_cast<double*>(&s.t), const_cast<double*>(s.y.data()),
                         const_cast<double*>(s.p.data()), delays.data()};
    program_.hybrid->delays(arrays);
    if (delays[e] > 0) {
      const FunctionKernel& function = problem_.kernels.delays;
      const Derivatives& d = evaluate(function, s);
      row_ = {new_slot(), {}, {}};
      if (frame_ >= 0) row_.slots.emplace_back(frame_, 1.0);
      add_function(row_, function, d, e, 1);
      made.time = row_.target;
      apply(row_);
    }
  }
  tickets_[ticket] = made;
}

void JumpRecorder::executes(const EventHandler& s, int event, int ticket, const double* value,
                            const double* size) {
  const HybridProgram::Event& program = program_.hybrid->events[event];
  const Ticket made = tickets_.at(ticket);
  tickets_.erase(ticket);
  enter_frame(s, made.time);
  const int first = next_slot_;
  const DerivativeKernels& kernels = problem_.kernels;
  for (int a = 0; a < program.assignments; ++a) {
    const std::size_t k = program.first + a;
    row_ = {new_slot(), {}, {}};
    if (made.value >= 0)
      row_.slots.emplace_back(made.value + a, size[k]);
    else
      add_function(row_, kernels.values, evaluate(kernels.values, s), k, size[k]);
    add_function(row_, kernels.sizes, evaluate(kernels.sizes, s), k, value[k]);
    apply(row_);
  }
  // What the state crossed is settled anew; the clock has not moved.
  for (int k : program.unsettles) crossed_[k] = not_crossed;
  for (int a = 0; a < program.assignments; ++a) {
    const std::size_t k = program.first + a;
    row_ = {program_.hybrid->assigned[k].state, {{first + a, 1.0}}, {}};
    apply(row_);
  }
}

void JumpRecorder::algebraic_solved(const EventHandler& s) {
  here_ = &s;
  const std::vector<int>& unknowns = program_.hybrid->algebraic;
  const Algebraic z = solve_algebraic(s);
  for (std::size_t k = 0; k < unknowns.size(); ++k) {
    row_ = {unknowns[k], {}, {}};
    for (std::size_t i = 0; i < n_; ++i)
      if (const double factor = z.state[k * n_ + i]; factor != 0)
        row_.slots.emplace_back(static_cast<int>(i), factor);
    for (std::size_t p = 0; p < problem_.wanted.size(); ++p)
      if (const double factor = z.parameter[k * problem_.wanted.size() + p]; factor != 0)
        row_.parameters.emplace_back(static_cast<int>(p), factor);
    if (frame_ >= 0 && z.time[k] != 0) row_.slots.emplace_back(frame_, z.time[k]);
    apply(row_);
  }
}

void JumpRecorder::departed(const EventHandler& s) {
  enter_frame(s, fixed_time);
  std::fill(crossed_.begin(), crossed_.end(), not_crossed);
  parameters_changed(s.p.data());
}

}  // namespace stiffit::internal
