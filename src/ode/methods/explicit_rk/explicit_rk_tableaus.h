// Explicit Runge-Kutta methods as data. `error` is the difference to the embedded method (zero
// where there is none), `dense` the weights of theta^2 (1-theta)^2 in a continuous extension where
// the method has its own. SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stiffit::internal {

// How a step is interpolated.
enum class Interpolation {
  hermite,      // cubic through both ends and their slopes
  inner_slope,  // quartic: as before, and a slope inside (one more evaluation when asked)
  own_weights,  // quartic: as before, and `dense`; of methods whose last stage is the slope at the
                // end
};

// Euler, 1768.
struct EulerTableau {
  static constexpr int stages = 1, order = 1;
  static constexpr bool pair = false, first_same_as_last = false;
  static constexpr Interpolation interpolation = Interpolation::hermite;
  static constexpr double node[1] = {0};
  static constexpr double a[1][1] = {{0}};
  static constexpr double weight[1] = {1};
  static constexpr double error[1] = {0};
};

// Modified Euler (midpoint slope), as Yu's thesis has it; Runge 1895.
struct ModifiedEulerTableau {
  static constexpr int stages = 2, order = 2;
  static constexpr bool pair = false, first_same_as_last = false;
  static constexpr Interpolation interpolation = Interpolation::hermite;
  static constexpr double node[2] = {0, 1};
  static constexpr double a[2][1] = {{0}, {1}};
  static constexpr double weight[2] = {0.5, 0.5};
  static constexpr double error[2] = {0, 0};
};

// The classical method; Kutta 1901.
struct Rk4Tableau {
  static constexpr int stages = 4, order = 4;
  static constexpr bool pair = false, first_same_as_last = false;
  static constexpr Interpolation interpolation = Interpolation::inner_slope;
  static constexpr double node[4] = {0, 0.5, 0.5, 1};
  static constexpr double a[4][3] = {{0}, {0.5}, {0, 0.5}, {0, 0, 1}};
  static constexpr double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  static constexpr double error[4] = {0, 0, 0, 0};
};

// E. Fehlberg, NASA TR R-315 (1969), 4(5); the fifth-order result is kept.
struct Rkf45Tableau {
  static constexpr int stages = 6, order = 5;
  static constexpr bool pair = true, first_same_as_last = false;
  static constexpr Interpolation interpolation = Interpolation::inner_slope;
  static constexpr double node[6] = {0, 1.0 / 4, 3.0 / 8, 12.0 / 13, 1, 1.0 / 2};
  static constexpr double a[6][5] = {{0},
                                     {1.0 / 4},
                                     {3.0 / 32, 9.0 / 32},
                                     {1932.0 / 2197, -7200.0 / 2197, 7296.0 / 2197},
                                     {439.0 / 216, -8, 3680.0 / 513, -845.0 / 4104},
                                     {-8.0 / 27, 2, -3544.0 / 2565, 1859.0 / 4104, -11.0 / 40}};
  static constexpr double weight[6] = {16.0 / 135,      0,         6656.0 / 12825,
                                       28561.0 / 56430, -9.0 / 50, 2.0 / 55};
  static constexpr double error[6] = {16.0 / 135 - 25.0 / 216,
                                      0,
                                      6656.0 / 12825 - 1408.0 / 2565,
                                      28561.0 / 56430 - 2197.0 / 4104,
                                      -9.0 / 50 + 1.0 / 5,
                                      2.0 / 55};
};

// P. Bogacki, L.F. Shampine, Appl. Math. Lett. 2 (1989) 321, 3(2).
struct Bs32Tableau {
  static constexpr int stages = 4, order = 3;
  static constexpr bool pair = true, first_same_as_last = true;
  static constexpr Interpolation interpolation = Interpolation::hermite;
  static constexpr double node[4] = {0, 1.0 / 2, 3.0 / 4, 1};
  static constexpr double a[4][3] = {{0}, {1.0 / 2}, {0, 3.0 / 4}, {2.0 / 9, 1.0 / 3, 4.0 / 9}};
  static constexpr double weight[4] = {2.0 / 9, 1.0 / 3, 4.0 / 9, 0};
  static constexpr double error[4] = {-5.0 / 72, 1.0 / 12, 1.0 / 9, -1.0 / 8};
};

// J.R. Dormand, P.J. Prince, J. Comp. Appl. Math. 6 (1980) 19; continuous extension of order 4 from
// Hairer, Norsett, Wanner, Solving ODEs I, II.6.
struct Dopri5Tableau {
  static constexpr int stages = 7, order = 5;
  static constexpr bool pair = true, first_same_as_last = true;
  static constexpr Interpolation interpolation = Interpolation::own_weights;
  static constexpr double node[7] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
  static constexpr double a[7][6] = {
      {0},
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {44.0 / 45, -56.0 / 15, 32.0 / 9},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
      {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
  static constexpr double weight[7] = {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784,
                                       11.0 / 84,  0};
  static constexpr double error[7] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                      -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
  static constexpr double dense[7] = {
      -12715105075.0 / 11282082432.0,  0,
      87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
      701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
      69997945.0 / 29380423.0};
};

// Ch. Tsitouras, Comput. Math. Appl. 62 (2011) 770, with his interpolant of order 4. The digits
// after those that the paper prints follow from the order conditions; the first number of a row is
// what the others, rounded, leave of its node, so that the conditions hold to 1e-15.
struct Tsit5Tableau {
  static constexpr int stages = 7, order = 5;
  static constexpr bool pair = true, first_same_as_last = true;
  static constexpr Interpolation interpolation = Interpolation::own_weights;
  static constexpr double node[7] = {0, 0.161, 0.327, 0.9, 0.9800255409045097, 1, 1};
  static constexpr double a[7][6] = {
      {0},
      {0.161},
      {-0.008480655492357004, 0.33548065549235698857},
      {2.8971530571054935, -6.3594484899750748436, 4.3622954328695814112},
      {5.325864828439258, -11.748883564062828992, 7.4955393428898368531, -0.092495066361755269141},
      {5.86145544294642, -12.920969317847109633, 8.1593678985761588516, -0.071584973281401041949,
       -0.028269050394068355092},
      {0.09646076681806527, 0.01, 0.47988965041449957567, 1.3790085741037417477,
       -3.2900695154360823235, 2.3247105240997757707}};
  static constexpr double weight[7] = {a[6][0], a[6][1], a[6][2], a[6][3], a[6][4], a[6][5], 0};
  static constexpr double error[7] = {-0.0017800110522257715594,
                                      -0.00081643445965674696251,
                                      0.0078808780102619964835,
                                      -0.14471100717326289348,
                                      0.58235716545255556296,
                                      -0.45808210592918729896,
                                      1.0 / 66};
  static constexpr double dense[7] = {-1.0530884977290215598,
                                      0.1017,
                                      2.4906272856512527978,
                                      -16.548102889244900973,
                                      47.379521962819306296,
                                      -34.870657861496636561,
                                      2.5};
};

}  // namespace stiffit::internal
