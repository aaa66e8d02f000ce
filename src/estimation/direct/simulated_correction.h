// What the grid and the noise of the data make wrong in a linear fit, found by simulation: the
// model is simulated at an answer, at the times of the data and with noise of their size, and
// estimated again in the same way. The answer sought is the one whose simulations are estimated as
// the data were (indirect inference: Gourieroux, Monfort and Renault 1993), and the scatter of
// those estimates is its error. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "estimation/direct/linear_fit.h"

namespace stiffit::internal {

struct SimulatedCorrection {
  std::string failed;           // why there is none; the rest is then not set
  Eigen::VectorXd values;       // corrected, in the order of LinearFit::unknowns()
  Eigen::VectorXd noise;        // standard deviation of every measurement, as drawn
  Eigen::MatrixXd draws;        // [unknown][draw]: how far off a corrected answer is
  Eigen::MatrixXd covariance;   // of those
  Eigen::MatrixXd by_estimate;  // d corrected / d as estimated
  bool settled = true;          // simulations are estimated as the data were
};

// The measurements, in the problem's order, if the unknowns were these; empty: no simulation.
using SimulateData = std::function<std::vector<double>(const Eigen::VectorXd& values)>;

struct SimulatedSource {
  std::vector<double> data;     // the measurements, in the problem's order
  std::vector<int> observable;  // of each
  SimulateData simulate;
};

// `result`: of the data. Unknown noise is measured by what the corrected answer leaves over, unless
// that is far more than neighbours differ by.
SimulatedCorrection correct_by_simulation(const LinearFit& fit, const LinearFitResult& result,
                                          const SimulatedSource& source, std::uint64_t seed);

}  // namespace stiffit::internal
