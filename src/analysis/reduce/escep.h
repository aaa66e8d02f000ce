// The enzyme reaction E + S <-> C -> E + P in dimensionless form,
//   ds/dT = -(1 - c) s + q c,  eps dc/dT = (1 - c) s - p c,  s(0) = 1, c(0) = 0,
// to lowest order in eps: Briggs and Haldane's solution after the initial layer, Gutfreund's within
// it, and the composite of both (Hemker, equations 1.18 to 1.28). Its error is O(eps).
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stiffit::internal {

struct EscepSolution {
  double s = 0, c = 0;
};

// After the layer: s + p ln s + (p - q) T = 1, c = s/(s + p).
EscepSolution escep_outer(double p, double q, double time);
// The composite: c = s/(s + p) - exp(-(1 + p) T/eps)/(1 + p).
EscepSolution escep_composite(double eps, double p, double q, double time);

}  // namespace stiffit::internal
