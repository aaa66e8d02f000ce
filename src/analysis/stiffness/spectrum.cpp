// SPDX-License-Identifier: Apache-2.0
#include "analysis/stiffness/spectrum.h"

#include <Spectra/GenEigsSolver.h>

#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "compile/settle_modes.h"
#include "linear/aligned_array.h"
#include "linear/dense/decompositions.h"

namespace stiffit::internal {
namespace {

using Complex = std::complex<double>;
using Dense = Eigen::MatrixXd;
using Sparse = Eigen::SparseMatrix<double>;

// Eigenvalues this small against the largest are the zeros of conserved moieties.
constexpr double zero_share = 1e-12;

Sparse sparse_of(const Sparsity& pattern, const double* values) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int c = 0; c < pattern.n; ++c)
    for (int k = pattern.column_start[c]; k < pattern.column_start[static_cast<std::size_t>(c) + 1];
         ++k)
      entries.emplace_back(pattern.row[k], c, values[k]);
  Sparse matrix(pattern.n, pattern.n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// Algebraic states follow the others: J of the differential ones alone.
Dense without_algebraic(const Dense& j, const std::vector<int>& moving,
                        const std::vector<int>& algebraic) {
  if (algebraic.empty()) return j;
  return j(moving, moving) -
         j(moving, algebraic) * solve_columns_safely(j(algebraic, algebraic), j(algebraic, moving));
}

void take_part(Spectrum& s) {
  double sum = 0;
  s.participation.clear();
  for (std::size_t i = 0; i < s.right.size(); ++i) {
    s.participation.push_back(std::abs(s.right[i] * s.left[i]));
    sum += s.participation.back();
  }
  for (double& p : s.participation) p = sum > 0 ? p / sum : 0;
}

template <class Vector>
std::vector<Complex> spread(const Vector& v, const std::vector<int>& moving, int n) {
  std::vector<Complex> out(n);
  for (std::size_t i = 0; i < moving.size(); ++i) out[moving[i]] = v(i);
  return out;
}

// Both eigenvectors by inverse iteration: one LU instead of two full decompositions.
void find_vectors(const Dense& j, Complex value, double size, const std::vector<int>& moving, int n,
                  Spectrum& s) {
  const Complex shift = value + 1e-10 * std::max(size, 1e-300);  // not singular to the last bit
  Eigen::MatrixXcd shifted = j.cast<Complex>();
  shifted.diagonal().array() -= shift;
  const ComplexFactors lu(shifted);
  Eigen::VectorXcd right(j.rows());
  for (Eigen::Index i = 0; i < j.rows(); ++i)  // nothing special about it
    right(i) = 1 + 0.5 * std::sin(static_cast<double>(i));
  Eigen::VectorXcd left = right;
  for (int round = 0; round < 3; ++round) {
    right = lu.solve(right).normalized();
    left = lu.solve_transposed(left).normalized();
  }
  s.right = spread(right, moving, n);
  s.left = spread(left, moving, n);
  take_part(s);
}

Spectrum all_of_it(const Dense& j, const std::vector<int>& moving, int n, bool with_vectors) {
  Spectrum s;
  if (moving.empty()) return s;
  const Eigen::VectorXcd values = eigenvalues(j);
  Eigen::Index fastest = 0;
  double size = 0;
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    s.all.push_back(values(i));
    size = std::max(size, std::abs(values(i)));
    if (values(i).real() < values(fastest).real()) fastest = i;
  }
  s.lambda_min = values(fastest).real();
  s.lambda_max = values.real().maxCoeff();
  s.slowest_decay = NAN;
  for (Complex v : s.all)
    if (v.real() < -zero_share * size && !(-v.real() > s.slowest_decay))
      s.slowest_decay = -v.real();
  if (with_vectors) find_vectors(j, values(fastest), size, moving, n, s);
  return s;
}

struct Extreme {
  bool found = false;
  double value = NAN;
  Eigen::VectorXcd vector;
};

// (J + shift) x. Convergence is judged in units of the eigenvalue, which may be zero without it.
struct ShiftedProduct {
  using Scalar = double;
  const Sparse& j;
  double shift;
  Eigen::Index rows() const { return j.rows(); }
  Eigen::Index cols() const { return j.cols(); }
  void perform_op(const double* in, double* out) const {
    const Eigen::Map<const Eigen::VectorXd> x(in, j.cols());
    Eigen::Map<Eigen::VectorXd> y(out, j.rows());
    y.noalias() = j * x;
    if (shift != 0) y += shift * x;
  }
};

Extreme arnoldi(const Sparse& j, Spectra::SortRule rule, double shift = 0) {
  ShiftedProduct product{j, shift};
  const Eigen::Index basis = std::min<Eigen::Index>(j.rows(), 40);
  Spectra::GenEigsSolver<ShiftedProduct> solver(product, 1, basis);
  Extreme extreme;
  solver.init();
  const int rounds = shift == 0 ? 300 : 30;
  if (solver.compute(rule, rounds, shift == 0 ? 1e-8 : 1e-6, rule) < 1) return extreme;
  extreme.found = true;
  extreme.value = solver.eigenvalues()(0).real() - shift;
  extreme.vector = solver.eigenvectors().col(0);
  return extreme;
}

Spectrum ends_of_it(const Sparse& j, SpectrumParts parts) {
  Spectrum s;
  Extreme fastest = arnoldi(j, Spectra::SortRule::SmallestReal);
  s.lambda_min = fastest.value;
  s.lambda_max = NAN;
  if (parts.slow_end && fastest.found)
    s.lambda_max =
        arnoldi(j, Spectra::SortRule::LargestReal, std::max(-fastest.value, 1e-300)).value;
  s.slowest_decay = NAN;
  if (!fastest.found || !parts.vectors) return s;
  Extreme left = arnoldi(Sparse(j.transpose()), Spectra::SortRule::SmallestReal);
  if (!left.found) return s;
  s.right.assign(fastest.vector.begin(), fastest.vector.end());
  s.left.assign(left.vector.begin(), left.vector.end());
  take_part(s);
  return s;
}

}  // namespace

struct SpectrumFinder::Arrays {
  explicit Arrays(const Problem& p)
      : problem(p),
        program(*p.program),
        states(program.states),
        parameters(program.parameter_slots),
        time(1),
        values(program.pattern.nonzeros()),
        roots(program.modes) {
    for (int i = 0; i < program.states; ++i)
      (program.mass.empty() || program.mass[i] != 0 ? moving : algebraic).push_back(i);
  }
  Problem problem;
  const Program& program;
  AlignedArray states, parameters, time, values, roots;
  std::vector<int> moving, algebraic;
};

SpectrumFinder::SpectrumFinder(const Problem& problem, int dense_limit)
    : arrays_(std::make_unique<Arrays>(problem)), dense_limit_(dense_limit) {}
SpectrumFinder::~SpectrumFinder() = default;

std::vector<double> SpectrumFinder::settled() const {
  const Program& program = arrays_->program;
  const double* first = arrays_->parameters.data();
  return {first, first + program.parameters + program.modes};
}

Spectrum SpectrumFinder::at(double time, const double* states,
                            const std::vector<double>& parameters, SpectrumParts parts) {
  Arrays& a = *arrays_;
  const Program& program = a.program;
  if (program.lanes != 1) throw std::logic_error("spectra are found in one lane");
  const std::size_t n = program.states;
  for (std::size_t i = 0; i < n; ++i) a.states[i] = states[i];
  for (std::size_t i = 0; i < parameters.size(); ++i) a.parameters[i] = parameters[i];
  a.time[0] = time;
  double* prepared[1] = {a.parameters.data()};
  program.prepare(prepared);
  settle_modes(program, time, a.states.data(), a.parameters.data(), a.roots.data());
  double* arrays[4] = {a.time.data(), a.states.data(), a.parameters.data(), a.values.data()};
  program.jacobian(arrays);
  for (int k = 0; k < program.pattern.nonzeros(); ++k)
    if (!std::isfinite(a.values[k])) {
      Spectrum none;
      none.lambda_min = none.lambda_max = none.slowest_decay = NAN;
      return none;
    }
  Sparse j = sparse_of(program.pattern, a.values.data());
  if (program.states > dense_limit_ && a.algebraic.empty()) return ends_of_it(j, parts);
  return all_of_it(without_algebraic(Dense(j), a.moving, a.algebraic), a.moving, program.states,
                   parts.vectors);
}

}  // namespace stiffit::internal
