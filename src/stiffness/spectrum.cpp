// SPDX-License-Identifier: Apache-2.0
#include "stiffness/spectrum.h"

#include <Spectra/GenEigsSolver.h>
#include <Spectra/MatOp/SparseGenMatProd.h>

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "linear/aligned_array.h"

namespace stiffit {
namespace {

using Complex = std::complex<double>;
using Dense = Eigen::MatrixXd;
using Sparse = Eigen::SparseMatrix<double>;

// Eigenvalues this small against the largest are the zeros of conserved moieties.
constexpr double zero_share = 1e-12;

// Modes by what holds at this state. A root may hold other modes, made before it: one round per
// depth settles them.
void settle_modes(const Program& program, double time, double* states, double* parameters) {
  if (!program.hybrid) return;
  const HybridProgram& hybrid = *program.hybrid;
  std::vector<double> roots(hybrid.modes.size());
  double* arrays[4] = {&time, states, parameters, roots.data()};
  for (std::size_t round = 0; round <= roots.size(); ++round) {
    hybrid.roots(arrays);
    bool changed = false;
    for (std::size_t k = 0; k < roots.size(); ++k) {
      double value = 0;
      switch (hybrid.modes[k].kind) {
        case ModeKind::positive:
          value = roots[k] > 0;
          break;
        case ModeKind::not_negative:
          value = roots[k] >= 0;
          break;
        case ModeKind::zero:
          value = roots[k] == 0;
          break;
        case ModeKind::whole:
          value = std::floor(roots[k]);
          break;
      }
      double& slot = parameters[static_cast<std::size_t>(program.parameters) + k];
      changed |= slot != value;
      slot = value;
    }
    if (!changed) return;
    double* prepared[1] = {parameters};
    hybrid.prepare(prepared);
  }
}

Sparse sparse_of(const Sparsity& pattern, const double* values) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int c = 0; c < pattern.n; ++c)
    for (int k = pattern.column_start[static_cast<std::size_t>(c)];
         k < pattern.column_start[static_cast<std::size_t>(c) + 1]; ++k)
      entries.emplace_back(pattern.row[static_cast<std::size_t>(k)], c, values[k]);
  Sparse matrix(pattern.n, pattern.n);
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

// Algebraic states follow the others: J of the differential ones alone.
Dense without_algebraic(const Dense& j, const std::vector<int>& moving,
                        const std::vector<int>& algebraic) {
  if (algebraic.empty()) return j;
  Dense inner = j(algebraic, algebraic);
  return j(moving, moving) -
         j(moving, algebraic) * inner.fullPivLu().solve(Dense(j(algebraic, moving)));
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
  std::vector<Complex> out(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < moving.size(); ++i)
    out[static_cast<std::size_t>(moving[i])] = v(static_cast<Eigen::Index>(i));
  return out;
}

Spectrum all_of_it(const Dense& j, const std::vector<int>& moving, int n, bool with_vectors) {
  Spectrum s;
  if (moving.empty()) return s;
  Eigen::EigenSolver<Dense> solver(j, with_vectors);
  const auto values = solver.eigenvalues();
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
  if (!with_vectors) return s;
  s.right = spread(solver.eigenvectors().col(fastest), moving, n);
  Eigen::EigenSolver<Dense> transposed(j.transpose().eval());
  Eigen::Index same = 0;
  (transposed.eigenvalues().array() - values(fastest)).abs().minCoeff(&same);
  s.left = spread(transposed.eigenvectors().col(same), moving, n);
  take_part(s);
  return s;
}

struct Extreme {
  bool found = false;
  double value = NAN;
  Eigen::VectorXcd vector;
};

Extreme arnoldi(const Sparse& j, Spectra::SortRule rule, Eigen::Index basis, int rounds) {
  Spectra::SparseGenMatProd<double> product(j);
  Spectra::GenEigsSolver<Spectra::SparseGenMatProd<double>> solver(product, 2, basis);
  Extreme extreme;
  solver.init();
  if (solver.compute(rule, rounds, 1e-8, rule) < 1) return extreme;
  extreme.found = true;
  extreme.value = solver.eigenvalues()(0).real();
  extreme.vector = solver.eigenvectors().col(0);
  return extreme;
}

Spectrum ends_of_it(const Sparse& j, bool with_vectors) {
  Spectrum s;
  const Eigen::Index basis = std::min<Eigen::Index>(j.rows(), 40);
  Extreme fastest = arnoldi(j, Spectra::SortRule::SmallestReal, basis, 300);
  s.lambda_min = fastest.value;
  s.lambda_max = arnoldi(j, Spectra::SortRule::LargestReal, basis, 100).value;
  s.slowest_decay = NAN;
  if (!fastest.found || !with_vectors) return s;
  Extreme left = arnoldi(Sparse(j.transpose()), Spectra::SortRule::SmallestReal, basis, 300);
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
        states(static_cast<std::size_t>(program.states)),
        parameters(static_cast<std::size_t>(program.parameter_slots)),
        time(1),
        values(static_cast<std::size_t>(program.pattern.nonzeros())) {
    for (int i = 0; i < program.states; ++i)
      (program.mass.empty() || program.mass[static_cast<std::size_t>(i)] != 0 ? moving : algebraic)
          .push_back(i);
  }
  Problem problem;
  const Program& program;
  AlignedArray states, parameters, time, values;
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
                            const std::vector<double>& parameters, bool with_vectors) {
  Arrays& a = *arrays_;
  const Program& program = a.program;
  if (program.lanes != 1) throw std::logic_error("spectra are found in one lane");
  const auto n = static_cast<std::size_t>(program.states);
  for (std::size_t i = 0; i < n; ++i) a.states[i] = states[i];
  for (std::size_t i = 0; i < parameters.size(); ++i) a.parameters[i] = parameters[i];
  a.time[0] = time;
  double* prepared[1] = {a.parameters.data()};
  program.prepare(prepared);
  settle_modes(program, time, a.states.data(), a.parameters.data());
  double* arrays[4] = {a.time.data(), a.states.data(), a.parameters.data(), a.values.data()};
  program.jacobian(arrays);
  for (int k = 0; k < program.pattern.nonzeros(); ++k)
    if (!std::isfinite(a.values[static_cast<std::size_t>(k)])) {
      Spectrum none;
      none.lambda_min = none.lambda_max = none.slowest_decay = NAN;
      return none;
    }
  Sparse j = sparse_of(program.pattern, a.values.data());
  if (program.states > dense_limit_ && a.algebraic.empty()) return ends_of_it(j, with_vectors);
  return all_of_it(without_algebraic(Dense(j), a.moving, a.algebraic), a.moving, program.states,
                   with_vectors);
}

}  // namespace stiffit
