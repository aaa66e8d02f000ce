// A sparse pattern spread into a dense matrix.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "linear/aligned_array.h"
#include "linear/dense_kernel.h"
#include "linear/pivoting_lu.h"

namespace stiffit::internal {
namespace {

// A pivot this small beside its column, all rows scaled to one, is rounding error.
constexpr double rank_tolerance = 1e-16;

class DenseLu final : public PivotingLu {
 public:
  DenseLu(const Sparsity& pattern, Isa isa)
      : pattern_(pattern),
        isa_(isa),
        a_(std::size_t(pattern.n) * dense_stride(pattern.n)),
        scale_(pattern.n),
        floor_(pattern.n),
        pivot_(pattern.n) {}

  bool factor(const double* values) override {
    const int n = pattern_.n, stride = dense_stride(n);
    a_.fill(0.0);
    std::fill(scale_.begin(), scale_.end(), 0.0);
    double finite = 0;
    for (int p = 0; p < pattern_.nonzeros(); ++p) {
      finite += values[p] * 0.0;
      scale_[pattern_.row[p]] = std::max(scale_[pattern_.row[p]], std::fabs(values[p]));
    }
    if (!(finite == 0)) return false;
    for (double& scale : scale_) {
      if (scale == 0) return false;
      int exponent;
      std::frexp(scale, &exponent);
      scale = std::ldexp(1.0, -exponent);  // exact
    }
    for (int column = 0; column < n; ++column) {
      double largest = 0;
      for (int p = pattern_.column_start[column]; p < pattern_.column_start[column + 1]; ++p) {
        const int row = pattern_.row[p];
        const double value = values[p] * scale_[row];
        a_[std::size_t(row) * stride + column] = value;
        largest = std::max(largest, std::fabs(value));
      }
      floor_[column] = largest * rank_tolerance;
    }
    return factor_dense(a_.data(), n, pivot_.data(), floor_.data(), isa_);
  }

  void solve(double* b) override {
    for (int i = 0; i < pattern_.n; ++i) b[i] *= scale_[i];
    solve_dense(a_.data(), pattern_.n, pivot_.data(), b, isa_);
  }

 private:
  Sparsity pattern_;
  Isa isa_;
  AlignedArray a_;  // [row][column]
  std::vector<double> scale_, floor_;
  std::vector<int> pivot_;
};

}  // namespace

std::unique_ptr<PivotingLu> make_dense_lu(const Sparsity& pattern, Isa isa) {
  return std::make_unique<DenseLu>(pattern, isa);
}

}  // namespace stiffit::internal
