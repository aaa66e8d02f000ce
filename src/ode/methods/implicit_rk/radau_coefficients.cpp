// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/implicit_rk/radau_coefficients.h"

#include <cmath>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "linear/small_solve.h"

namespace stiffit::internal {
namespace {

using Real = long double;
using Complex = std::complex<Real>;
using Matrix = std::vector<std::vector<Complex>>;

// P_s - P_{s-1} of Legendre at 2x - 1: its zeros are the nodes.
Real node_polynomial(int s, Real x) {
  const Real u = 2 * x - 1;
  Real before = 1, now = u;
  for (int k = 1; k < s; ++k)
    before = std::exchange(now, ((2 * k + 1) * u * now - k * before) / (k + 1));
  return now - before;
}

std::vector<Real> nodes(int s) {
  std::vector<Real> c;
  const int grid = 1000;
  for (int i = 0; i + 1 < grid; ++i) {
    Real low = Real(i) / grid, high = Real(i + 1) / grid;
    const Real sign = node_polynomial(s, low);
    if (sign * node_polynomial(s, high) > 0) continue;
    for (int k = 0; k < 70; ++k) {
      const Real middle = (low + high) / 2;
      (node_polynomial(s, middle) * sign > 0 ? low : high) = middle;
    }
    c.push_back((low + high) / 2);
  }
  c.push_back(1);
  return c;
}

Matrix inverse_of(const Matrix& m) {
  const std::size_t n = m.size();
  Matrix result(n, std::vector<Complex>(n));
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<Complex> unit(n);
    unit[j] = 1;
    const std::vector<Complex> column = small_solve(m, unit);
    for (std::size_t i = 0; i < n; ++i) result[i][j] = column[i];
  }
  return result;
}

// a_ij: the integral from 0 to c_i of the polynomial that is one at c_j and zero at the others.
Matrix collocation_matrix(const std::vector<Real>& c) {
  const std::size_t s = c.size();
  Matrix powers(s, std::vector<Complex>(s)), a;  // powers[k][j] = c_j^k
  for (std::size_t k = 0; k < s; ++k)
    for (std::size_t j = 0; j < s; ++j) powers[k][j] = std::pow(c[j], static_cast<Real>(k));
  for (std::size_t i = 0; i < s; ++i) {
    std::vector<Complex> moments(s);
    for (std::size_t k = 0; k < s; ++k)
      moments[k] = std::pow(c[i], static_cast<Real>(k + 1)) / static_cast<Real>(k + 1);
    a.push_back(small_solve(powers, moments));
  }
  return a;
}

// The zeros of the denominator of the stability function, Pade's (s-1, s): Weierstrass' iteration.
std::vector<Complex> eigenvalues_of_inverse(int s) {
  std::vector<Real> p(static_cast<std::size_t>(s) + 1);
  p[0] = 1;
  for (int j = 1; j <= s; ++j)
    p[j] = -p[static_cast<std::size_t>(j) - 1] * Real(s - j + 1) / (Real(2 * s - j) * Real(j));
  std::vector<Complex> z;
  for (int k = 0; k < s; ++k)
    z.push_back(std::polar(Real(s + 2), Real(0.4) + 2 * Real(M_PI) * k / s));
  for (int round = 0; round < 500; ++round)
    for (std::size_t k = 0; k < z.size(); ++k) {
      Complex value = 0, others = p.back();
      for (std::size_t j = p.size(); j-- > 0;) value = value * z[k] + p[j];
      for (std::size_t i = 0; i < z.size(); ++i)
        if (i != k) others *= z[k] - z[i];
      z[k] -= value / others;
    }
  return z;
}

std::vector<Complex> eigenvector(const Matrix& m, Complex eigenvalue) {
  Matrix shifted = m;
  for (std::size_t i = 0; i < m.size(); ++i) shifted[i][i] -= eigenvalue * (1 + Real(1e-15));
  std::vector<Complex> v(m.size(), 1);
  for (int round = 0; round < 4; ++round) {
    v = small_solve(shifted, v);
    const Complex last = v.back();
    for (Complex& x : v) x /= last;
  }
  return v;
}

std::complex<double> rounded(Complex x) {
  return {static_cast<double>(x.real()), static_cast<double>(x.imag())};
}

RadauCoefficients make(int stages) {
  RadauCoefficients r;
  r.stages = stages;
  const std::size_t s = stages;
  const std::vector<Real> c = nodes(stages);
  const Matrix a = collocation_matrix(c), inverse = inverse_of(a);
  for (std::size_t i = 0; i < s; ++i) {
    r.node.push_back(static_cast<double>(c[i]));
    for (std::size_t j = 0; j < s; ++j) {
      r.matrix.push_back(rounded(a[i][j]).real());
      r.inverse.push_back(rounded(inverse[i][j]).real());
    }
  }
  // Columns of T: the real eigenvalue, then pairs next to each other.
  std::vector<Complex> order;
  for (const Complex& z : eigenvalues_of_inverse(stages)) {
    if (std::abs(z.imag()) < 1e-9L)
      order.insert(order.begin(), Complex(z.real(), 0));
    else if (z.imag() > 0) {
      order.push_back(z);
      order.push_back(std::conj(z));
    }
  }
  Matrix t(s, std::vector<Complex>(s));
  for (std::size_t k = 0; k < s; ++k) {
    const std::vector<Complex> v = eigenvector(inverse, order[k]);
    for (std::size_t i = 0; i < s; ++i) t[i][k] = v[i];
  }
  const Matrix back = inverse_of(t);
  r.real_eigenvalue = static_cast<double>(order[0].real());
  for (std::size_t i = 0; i < s; ++i) {
    r.real_in.push_back(rounded(back[0][i]).real());
    r.real_out.push_back(rounded(t[i][0]).real());
  }
  for (std::size_t k = 1; k < s; k += 2) {
    r.eigenvalues.push_back(rounded(order[k]));
    for (std::size_t i = 0; i < s; ++i) {
      r.in.push_back(rounded(back[k][i]));
      r.out.push_back(rounded(t[i][k]));
    }
  }
  // Weights d of the slopes with sum d_j c_j^k = -gamma0 for k = 0, else 0, k < s; e = d A^-1.
  Matrix powers(s, std::vector<Complex>(s));
  for (std::size_t k = 0; k < s; ++k)
    for (std::size_t j = 0; j < s; ++j) powers[k][j] = std::pow(c[j], static_cast<Real>(k));
  std::vector<Complex> moments(s);
  moments[0] = -Real(1) / order[0].real();
  const std::vector<Complex> d = small_solve(powers, moments);
  for (std::size_t i = 0; i < s; ++i) {
    Complex sum = 0;
    for (std::size_t j = 0; j < s; ++j) sum += d[j] * inverse[j][i];
    r.error.push_back(rounded(sum).real());
  }
  return r;
}

}  // namespace

const RadauCoefficients& radau_coefficients(int stages) {
  // Each is made when it is first asked for.
  auto made = [](auto count) -> const RadauCoefficients& {
    static const RadauCoefficients coefficients = make(count);
    return coefficients;
  };
  if (stages == 3) return made(std::integral_constant<int, 3>());
  if (stages == 5) return made(std::integral_constant<int, 5>());
  if (stages == 7) return made(std::integral_constant<int, 7>());
  throw std::logic_error("Radau methods here have 3, 5 or 7 stages");
}

}  // namespace stiffit::internal
