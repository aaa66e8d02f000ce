// SPDX-License-Identifier: Apache-2.0
#include "ode/driver/output_rows.h"

#include <algorithm>
#include <cmath>

#include "ode/continuation.h"

namespace stiffit::internal {

OutputRows::OutputRows(const Program& program)
    : program_(program),
      time_(static_cast<std::size_t>(program.lanes)),
      y_(static_cast<std::size_t>(program.states * program.lanes)),
      out_(program.output_names.size() * time_.size()),
      parameters_(static_cast<std::size_t>(program.parameter_slots * program.lanes)) {
  const std::vector<int>& shown = program.output_states;
  in_order_ = shown.size() == static_cast<std::size_t>(program.states);
  for (std::size_t i = 0; i < shown.size(); ++i) in_order_ &= shown[i] == static_cast<int>(i);
}

// Several rows at once in the program's lanes.
void OutputRows::fill(const Request& request, Trajectory& trajectory) {
  const Program& p = program_;
  if (p.hybrid && !trajectory.outputs.empty()) return;  // computed along the way
  const std::size_t width = time_.size(), n = static_cast<std::size_t>(p.states),
                    m = p.output_names.size(), rows = trajectory.rows_reached;
  trajectory.outputs.resize(request.times.size() * m);
  std::fill(trajectory.outputs.begin() + static_cast<long>(rows * m), trajectory.outputs.end(),
            NAN);
  if (!p.output_states.empty()) return copy_states(rows, trajectory);
  const std::vector<double>& values = parameters_of(p, request);
  for (std::size_t i = 0; i < static_cast<std::size_t>(p.parameters); ++i)
    for (std::size_t l = 0; l < width; ++l) parameters_[i * width + l] = values[i];
  double* prepare[1] = {parameters_.data()};
  p.prepare(prepare);
  for (std::size_t row = 0; row < rows; row += width) {
    for (std::size_t l = 0; l < width; ++l) {
      const std::size_t source = std::min(row + l, rows - 1);
      time_[l] = request.times[source];
      const double* state = trajectory.states.data() + source * n;
      for (std::size_t i = 0; i < n; ++i) y_[i * width + l] = state[i];
    }
    double* arrays[4] = {time_.data(), y_.data(), parameters_.data(), out_.data()};
    p.outputs(arrays);
    for (std::size_t l = 0; l < width && row + l < rows; ++l) {
      double* to = trajectory.outputs.data() + (row + l) * m;
      for (std::size_t k = 0; k < m; ++k) to[k] = out_[k * width + l];
    }
  }
}

// Nothing to compute where every column is a state.
void OutputRows::copy_states(std::size_t rows, Trajectory& trajectory) const {
  const std::vector<int>& shown = program_.output_states;
  const std::size_t n = static_cast<std::size_t>(program_.states);
  const double* state = trajectory.states.data();
  double* to = trajectory.outputs.data();
  if (in_order_) {
    std::copy_n(state, rows * n, to);
    return;
  }
  for (std::size_t row = 0; row < rows; ++row, state += n)
    for (int i : shown) *to++ = state[i];
}

}  // namespace stiffit::internal
