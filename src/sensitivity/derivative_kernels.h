// The derivatives of derivative_expressions.h as kernels. They are evaluated once per stage,
// however many directions there are; the stages of a step side by side in lanes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "compile/program.h"
#include "sensitivity/derivative_expressions.h"

namespace stiffit::internal {

// The derivatives of some functions of (t, x, p). Arrays: {time, states, parameters, by state, by
// parameter, by time}.
struct FunctionKernel {
  SparseRows state, parameter;
  std::size_t functions = 0;
  Kernel kernel;
};

struct DerivativeKernels {
  int states = 0;
  int parameters = 0;   // of the program
  int modes = 0;        // follow the parameters
  int first_input = 0;  // v and u of bend, follow the modes
  int slots = 0;        // of the parameter array these kernels read

  Kernel prepare;  // {parameters}: fills what follows the inputs

  SparseRows state, parameter, bend_state, bend_parameter;
  // Arrays: {time, states, parameters, by state, by parameter}.
  Kernel stage;                 // J and df/dp, one lane
  int lanes = 4;                // of the next two
  Kernel stages;                // the same
  Kernel bends;                 // of J v + u df/dt
  std::vector<int> bend_place;  // in `parameter`, of each entry of bend_parameter

  FunctionKernel initial;                       // of the parameters alone
  FunctionKernel roots, delays, values, sizes;  // of modes and events
  FunctionKernel algebraic;                     // of the equations 0 = f
  std::vector<std::vector<int>> trigger_modes;  // per event: the modes its trigger looks at
};

DerivativeKernels derivative_kernels(System& system, const Program& program,
                                     const WantedParameters& wanted, int lanes);

// The derivatives of outputs by states and parameters; reads the plain parameters only.
struct OutputKernel {
  FunctionKernel outputs;
  Kernel prepare;
  int slots = 0;
};
OutputKernel output_kernel(System& system, const std::vector<Output>& outputs,
                           const WantedParameters& wanted, Isa isa);

}  // namespace stiffit::internal
