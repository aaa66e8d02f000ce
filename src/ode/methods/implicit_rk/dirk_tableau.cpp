// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/implicit_rk/dirk_tableau.h"

#include "ode/one_lane_stepper.h"

namespace stiffit::internal {
namespace {

constexpr double root = 1.4142135623730950488;    // of 2
constexpr double w = root / 4, d = 1 - root / 2;  // TR-BDF2
constexpr double g = 0.184;                       // ESDIRK5(4)7L[2]SA2
constexpr double last[] = {-0.039466069109740348, -0.039466069109740258, 0.27263649025024267,
                           0.43216517252028819,   0.35241608623288911,   -0.16228561078393952};

}  // namespace

double DirkTableau::strictness(double rtol) const {
  return caution * (estimated > order ? strictness_for(rtol, estimated, order) : 1);
}

// R. E. Bank, W. M. Coughran, W. Fichtner, E. H. Grosse, D. J. Rose, R. K. Smith, "Transient
// simulation of silicon devices and circuits", IEEE Trans. Electron Devices 32 (1985); as a
// Runge-Kutta method with a companion of third order: M. E. Hosea, L. F. Shampine, "Analysis and
// implementation of TR-BDF2", Appl. Numer. Math. 20 (1996). Between the steps: the cubic through
// both ends and their slopes.
const DirkTableau trbdf2_tableau = {
    .stages = 3,
    .order = 2,
    .estimated = 3,
    .gamma = d,
    .node = {0, 2 * d, 1},
    .a = {{}, {d}, {w, w}},
    .embedded = {(1 - w) / 3, (3 * w + 1) / 3, d / 3},
    .powers = 3,
    .dense = {{1, 0, 0}, {3 * w - 2, 3 * w, 3 * d - 1}, {1 - 2 * w, -2 * w, 1 - 2 * d}},
    .caution = 0.5,
};

// C. A. Kennedy, M. H. Carpenter, "Diagonally implicit Runge-Kutta methods for stiff ODEs", Appl.
// Numer. Math. 146 (2019): ESDIRK5(4)7L[2]SA2. Between the steps: the quartic of fourth order with
// the slopes of both ends; of the two free numbers that leaves, the smallest weights.
const DirkTableau esdirk54_tableau = {
    .stages = 7,
    .order = 5,
    .estimated = 5,
    .gamma = g,
    .node = {0, 2 * g, 0.62821529547664945, 0.13881019830028329, 0.69995861940457471,
             0.90837696335078533, 1},
    .a = {{},
          {g},
          {0.2221076477383247, 0.22210764773832475},
          {-0.014049475381926274, -0.014049475381926283, -0.017090850935864151},
          {-0.40838859254931487, -0.40838859254931464, 0.16646399821362964, 1.1662718062895745},
          {-0.53929072355881114, -0.53929072355881136, -0.24223442884542501, 1.4888806111225146,
           0.55631222819131843},
          {last[0], last[1], last[2], last[3], last[4], last[5]}},
    .embedded = {-0.080689466566647272, -0.080689466566647439, 0.18289968461343553,
                 0.51701387376623098, 0.42659973130245432, -0.10432685796713498,
                 0.13919250141830897},
    .powers = 4,
    .dense = {{1},
              {-3.5948733543315567, 2.5954615864642738, -0.12135814850600113, 2.3401456069504656,
               -1.8127766884162568, 0.30842924671455252, 0.28497175112451745},
              {4.0318824322241484, -5.3487874493675083, 1.3332622580129674, -2.9516305238197842,
               5.0352177217640728, -1.2660009365648652, -0.83394350224903724},
              {-1.4764751470023327, 2.7138597937934903, -0.93926761925672464, 1.0436500893896072,
               -2.8700249471149268, 0.79528607906636872, 0.73297175112452062}},
    .caution = 2,
};

}  // namespace stiffit::internal
