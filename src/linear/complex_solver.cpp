// SPDX-License-Identifier: Apache-2.0
#include "linear/complex_solver.h"

#include <suitesparse/klu.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "linear/system_matrix.h"

namespace stiffit::internal {
namespace {

using Complex = std::complex<double>;

Complex entry(const SystemMatrix& matrix, std::size_t p, Complex d, const double* jacobian) {
  const int source = matrix.source[p];
  return matrix.mass[p] * d - (source < 0 ? 0.0 : jacobian[source]);
}

class DenseComplexSolver final : public ComplexSolver {
 public:
  explicit DenseComplexSolver(SystemMatrix matrix)
      : matrix_(std::move(matrix)), n_(matrix_.pattern.n), lu_(n_ * n_), pivot_(n_) {}

  bool factor(Complex d, const double* jacobian) override {
    std::fill(lu_.begin(), lu_.end(), Complex{});
    for (std::size_t column = 0; column < n_; ++column) {
      const std::size_t end = matrix_.pattern.column_start[column + 1];
      for (std::size_t p = matrix_.pattern.column_start[column]; p < end; ++p)
        at(matrix_.pattern.row[p], column) = entry(matrix_, p, d, jacobian);
    }
    for (std::size_t k = 0; k < n_; ++k)
      if (!eliminate(k)) return false;
    return true;
  }

  void solve(Complex* b) override {
    for (std::size_t k = 0; k < n_; ++k) {
      std::swap(b[k], b[pivot_[k]]);
      for (std::size_t j = 0; j < k; ++j) b[k] -= product(at(k, j), b[j]);
    }
    for (std::size_t k = n_; k-- > 0;) {
      for (std::size_t j = k + 1; j < n_; ++j) b[k] -= product(at(k, j), b[j]);
      b[k] = product(b[k], at(k, k));  // which holds its inverse
    }
  }

 private:
  Complex& at(std::size_t row, std::size_t column) { return lu_[row * n_ + column]; }
  // Without the care for infinities of the operator, which costs a call.
  static Complex product(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  bool eliminate(std::size_t k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n_; ++i)
      if (std::norm(at(i, k)) > std::norm(at(best, k))) best = i;
    const double size = std::norm(at(best, k));
    if (!(size > 0) || !std::isfinite(size)) return false;
    pivot_[k] = best;
    if (best != k)
      for (std::size_t j = 0; j < n_; ++j) std::swap(at(k, j), at(best, j));
    at(k, k) = 1.0 / at(k, k);
    for (std::size_t i = k + 1; i < n_; ++i) {
      if (at(i, k) == Complex{}) continue;
      const Complex factor = at(i, k) = product(at(i, k), at(k, k));
      for (std::size_t j = k + 1; j < n_; ++j) at(i, j) -= product(factor, at(k, j));
    }
    return true;
  }

  SystemMatrix matrix_;
  std::size_t n_;
  std::vector<Complex> lu_;
  std::vector<std::size_t> pivot_;
};

class KluComplexSolver final : public ComplexSolver {
 public:
  explicit KluComplexSolver(SystemMatrix matrix)
      : matrix_(std::move(matrix)), values_(matrix_.source.size()) {
    klu_defaults(&common_);
    common_.halt_if_singular = 1;
    symbolic_ = klu_analyze(matrix_.pattern.n, starts(), rows(), &common_);
    if (!symbolic_ && common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
  }
  KluComplexSolver(const KluComplexSolver&) = delete;
  KluComplexSolver& operator=(const KluComplexSolver&) = delete;
  ~KluComplexSolver() override {
    klu_z_free_numeric(&numeric_, &common_);
    klu_free_symbolic(&symbolic_, &common_);
  }

  bool factor(Complex d, const double* jacobian) override {
    double finite = 0;
    for (std::size_t p = 0; p < values_.size(); ++p) {
      values_[p] = entry(matrix_, p, d, jacobian);
      finite += values_[p].real() * 0.0 + values_[p].imag() * 0.0;
    }
    klu_z_free_numeric(&numeric_, &common_);
    if (!symbolic_ || !(finite == 0)) return false;
    auto* entries = reinterpret_cast<double*>(values_.data());
    numeric_ = klu_z_factor(starts(), rows(), entries, symbolic_, &common_);
    if (!numeric_ && common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
    return numeric_ && common_.status == KLU_OK;
  }

  void solve(Complex* b) override {
    if (numeric_)
      klu_z_solve(symbolic_, numeric_, matrix_.pattern.n, 1, reinterpret_cast<double*>(b),
                  &common_);
  }

 private:
  int* starts() { return matrix_.pattern.column_start.data(); }
  int* rows() { return matrix_.pattern.row.data(); }

  SystemMatrix matrix_;
  std::vector<Complex> values_;
  klu_common common_;
  klu_symbolic* symbolic_ = nullptr;
  klu_numeric* numeric_ = nullptr;
};

}  // namespace

std::unique_ptr<ComplexSolver> make_complex_solver(const Sparsity& jacobian,
                                                   const std::vector<double>& mass,
                                                   int largest_dense) {
  SystemMatrix matrix = system_matrix(jacobian, mass);
  if (jacobian.n <= largest_dense) return std::make_unique<DenseComplexSolver>(std::move(matrix));
  return std::make_unique<KluComplexSolver>(std::move(matrix));
}

}  // namespace stiffit::internal
