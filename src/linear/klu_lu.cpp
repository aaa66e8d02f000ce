// SuiteSparse KLU for one matrix: block triangular form and AMD once, then a numeric factorisation
// that keeps the diagonal of that form as pivots while it serves, and a fully pivoted one when not.
// SPDX-License-Identifier: Apache-2.0
#include <suitesparse/klu.h>

#include <new>

#include "linear/pivoting_lu.h"

namespace stiffit::internal {

class KluAnalysis {
 public:
  explicit KluAnalysis(const Sparsity& pattern) : pattern_(pattern) {
    klu_defaults(&common_);
    symbolic_ =
        klu_analyze(pattern_.n, pattern_.column_start.data(), pattern_.row.data(), &common_);
    if (!symbolic_ && common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
  }
  KluAnalysis(const KluAnalysis&) = delete;
  ~KluAnalysis() {
    if (symbolic_) klu_free_symbolic(&symbolic_, &common_);
  }
  bool regular() const { return symbolic_ && symbolic_->structural_rank == pattern_.n; }
  const klu_symbolic& symbolic() const { return *symbolic_; }
  const Sparsity& pattern() const { return pattern_; }

 private:
  mutable Sparsity pattern_;  // KLU takes pointers to non-const, and only reads
  klu_common common_;
  klu_symbolic* symbolic_ = nullptr;
  friend class KluLu;
};

namespace {
// Entries of U this much larger than those of A, column by column, cost too many digits.
constexpr double smallest_reciprocal_growth = 1e-6;
}  // namespace

class KluLu final : public PivotingLu {
 public:
  explicit KluLu(std::shared_ptr<const KluAnalysis> analysis) : analysis_(std::move(analysis)) {
    klu_defaults(&common_);
    common_.halt_if_singular = 1;
  }
  ~KluLu() override {
    klu_free_numeric(&diagonal_, &common_);
    klu_free_numeric(&pivoted_, &common_);
  }

  bool factor(const double* values) override {
    current_ = nullptr;
    double finite = 0;
    for (int p = 0; p < pattern().nonzeros(); ++p) finite += values[p] * 0.0;
    if (!(finite == 0)) return false;
    double* entries = const_cast<double*>(values);
    if (refactor_on_diagonal(entries)) {
      current_ = diagonal_;
      return true;
    }
    klu_free_numeric(&pivoted_, &common_);
    pivoted_ = klu_factor(starts(), rows(), entries, symbolic(), &common_);
    if (!pivoted_ && common_.status == KLU_OUT_OF_MEMORY) throw std::bad_alloc();
    if (!pivoted_ || common_.status != KLU_OK) return false;
    if (!klu_rcond(symbolic(), pivoted_, &common_) || !(common_.rcond > 0)) return false;
    current_ = pivoted_;
    return true;
  }

  void solve(double* b) override {
    if (current_) klu_solve(symbolic(), current_, pattern().n, 1, b, &common_);
  }

 private:
  Sparsity& pattern() const { return analysis_->pattern_; }
  int* starts() const { return pattern().column_start.data(); }
  int* rows() const { return pattern().row.data(); }
  klu_symbolic* symbolic() const { return analysis_->symbolic_; }

  bool refactor_on_diagonal(double* values) {
    if (!diagonal_) make_diagonal();
    if (!diagonal_) return false;
    return klu_refactor(starts(), rows(), values, symbolic(), diagonal_, &common_) &&
           common_.status == KLU_OK && klu_rcond(symbolic(), diagonal_, &common_) &&
           common_.rcond > 0 &&
           klu_rgrowth(starts(), rows(), values, symbolic(), diagonal_, &common_) &&
           common_.rgrowth > smallest_reciprocal_growth;
  }

  // A matrix dominated by the diagonal of the block triangular form fixes the pivots there, so
  // that they do not depend on which matrix happens to come first.
  void make_diagonal() {
    const klu_symbolic& s = *symbolic();
    std::vector<int> partner(pattern().n);
    for (int k = 0; k < s.n; ++k) partner[s.Q[k]] = s.P[k];
    std::vector<double> values(pattern().nonzeros(), 1.0);
    for (int column = 0; column < s.n; ++column)
      for (int p = starts()[column]; p < starts()[column + 1]; ++p)
        if (rows()[p] == partner[column]) values[p] = 2.0 * s.n;
    diagonal_ = klu_factor(starts(), rows(), values.data(), symbolic(), &common_);
    if (diagonal_ && common_.status != KLU_OK) klu_free_numeric(&diagonal_, &common_);
  }

  std::shared_ptr<const KluAnalysis> analysis_;
  klu_common common_;
  klu_numeric* diagonal_ = nullptr;
  klu_numeric* pivoted_ = nullptr;
  klu_numeric* current_ = nullptr;
};

namespace {
class NeverRegular final : public PivotingLu {
 public:
  bool factor(const double*) override { return false; }
  void solve(double*) override {}
};
}  // namespace

std::shared_ptr<const KluAnalysis> analyse_klu(const Sparsity& pattern) {
  auto analysis = std::make_shared<const KluAnalysis>(pattern);
  return analysis->regular() ? analysis : nullptr;
}

long fill_of(const KluAnalysis* analysis) {
  if (!analysis) return 0;
  return static_cast<long>(analysis->symbolic().lnz + analysis->symbolic().unz) -
         analysis->pattern().n;
}

double flops_of(const KluAnalysis* analysis) {
  return analysis ? analysis->symbolic().est_flops : 0;
}

std::unique_ptr<PivotingLu> make_klu_lu(std::shared_ptr<const KluAnalysis> analysis) {
  if (!analysis) return std::make_unique<NeverRegular>();
  return std::make_unique<KluLu>(std::move(analysis));
}

}  // namespace stiffit::internal
