// SPDX-License-Identifier: Apache-2.0
#include "sensitivity/output_sensitivities.h"

#include <algorithm>

#include "linear/aligned_array.h"

namespace stiffit::internal {

OutputSensitivities::OutputSensitivities(System& system, const std::vector<Output>& outputs,
                                         std::span<const int> parameters, Isa isa) {
  WantedParameters wanted(system.parameters.size(), parameters.empty());
  for (int index : parameters) wanted.at(index) = 1;
  kernel_ = output_kernel(system, outputs, wanted, isa);
}

void OutputSensitivities::evaluate(double time, const double* states,
                                   std::span<const double> parameters, const double* sensitivities,
                                   std::span<const Direction> directions, double* out) const {
  const FunctionKernel& f = kernel_.outputs;
  AlignedArray values(kernel_.slots);
  std::copy(parameters.begin(), parameters.end(), values.data());
  double* prepare[1] = {values.data()};
  kernel_.prepare(prepare);
  std::vector<double> by_state(f.state.nonzeros()), by_parameter(f.parameter.nonzeros()),
      by_time(f.functions);
  double* arrays[6] = {&time,           const_cast<double*>(states), values.data(),
                       by_state.data(), by_parameter.data(),         by_time.data()};
  f.kernel(arrays);
  const std::size_t count = directions.size();
  std::fill_n(out, f.functions * count, 0.0);
  for (std::size_t k = 0; k < f.functions; ++k) {
    double* row = out + k * count;
    for (int e = f.state.row_start[k]; e < f.state.row_start[k + 1]; ++e) {
      const std::size_t at = e;
      const double* s = sensitivities + f.state.column[at] * count;
      for (std::size_t d = 0; d < count; ++d) row[d] += by_state[at] * s[d];
    }
    for (int e = f.parameter.row_start[k]; e < f.parameter.row_start[k + 1]; ++e) {
      const std::size_t at = e;
      for (std::size_t d = 0; d < count; ++d)
        for (auto& [parameter, shift] : directions[d].parameters)
          if (parameter == f.parameter.column[at]) row[d] += by_parameter[at] * shift;
    }
  }
}

}  // namespace stiffit::internal
