// The derivatives that sensitivities need, as expressions. Comparisons are held as modes, so all of
// this is smooth.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sensitivity/sparse_rows.h"
#include "symbolic/system.h"

namespace stiffit::internal {

// A matrix of expressions by rows.
struct ExpressionRows {
  SparseRows pattern;
  std::vector<NodeId> values;
};

// Which parameters count as columns.
using WantedParameters = std::vector<char>;

struct StepDerivatives {
  ExpressionRows state;      // J = df/dx
  ExpressionRows parameter;  // df/dp
  // Of w = J v + u df/dt, at fixed v and u, which are inputs 0 ... n-1 and n of the graph.
  ExpressionRows bend_state;      // dw/dx
  ExpressionRows bend_parameter;  // dw/dp
};
StepDerivatives step_derivatives(System& system, const WantedParameters& wanted);

// The derivatives of any list of expressions by states and by parameters, and by time.
struct FunctionDerivatives {
  ExpressionRows state, parameter;
  std::vector<NodeId> time;
};
FunctionDerivatives function_derivatives(Graph& graph, const std::vector<NodeId>& functions,
                                         const WantedParameters& wanted);

}  // namespace stiffit::internal
