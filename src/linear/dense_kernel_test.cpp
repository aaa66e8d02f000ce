// The blocked dense LU at sizes around its panels, blocks and vectors.
// SPDX-License-Identifier: Apache-2.0
#include "linear/dense_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "linear/aligned_array.h"

namespace stiffit::internal {
namespace {

class DenseKernel : public testing::TestWithParam<Isa> {};

TEST_P(DenseKernel, SolvesMatricesThatNeedPivoting) {
  if (GetParam() > best_isa()) GTEST_SKIP() << "not on this CPU";
  for (int n : {1, 2, 3, 5, 15, 16, 17, 31, 64, 127, 129, 255, 256, 300}) {
    SCOPED_TRACE(n);
    std::mt19937 random(n);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const std::size_t stride = dense_stride(n);
    AlignedArray a(n * stride);
    std::vector<double> b(n, 0.0), x(n);
    for (double& value : x) value = uniform(random);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        a[i * stride + j] = i == j && n > 1 ? 0.0 : uniform(random);
        b[i] += a[i * stride + j] * x[j];
      }
    std::vector<int> pivot(n);
    ASSERT_TRUE(factor_dense(a.data(), n, pivot.data(), nullptr, GetParam()));
    solve_dense(a.data(), n, pivot.data(), b.data(), GetParam());
    for (int i = 0; i < n; ++i) ASSERT_NEAR(b[i], x[i], 1e-9);
  }
}

TEST_P(DenseKernel, GivesTheSameBitsOnAnyNumberOfThreads) {
  if (GetParam() > best_isa()) GTEST_SKIP() << "not on this CPU";
  const int n = 610;
  const std::size_t stride = dense_stride(n);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  AlignedArray matrix(n * stride);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) matrix[i * stride + j] = uniform(random);
  AlignedArray one(n * stride);
  std::vector<int> pivot(n), pivot_of_one(n);
  std::copy_n(matrix.data(), matrix.size(), one.data());
  ASSERT_TRUE(factor_dense(one.data(), n, pivot_of_one.data(), nullptr, GetParam()));
  for (int threads : {2, 3}) {
    AlignedArray many(n * stride);
    std::copy_n(matrix.data(), matrix.size(), many.data());
    ASSERT_TRUE(factor_dense(many.data(), n, pivot.data(), nullptr, GetParam(), threads));
    EXPECT_EQ(pivot, pivot_of_one);
    EXPECT_TRUE(std::equal(one.data(), one.data() + one.size(), many.data()));
  }
}

TEST_P(DenseKernel, RefusesSingularAndNaN) {
  if (GetParam() > best_isa()) GTEST_SKIP() << "not on this CPU";
  const int n = 20;
  const std::size_t stride = dense_stride(n);
  std::vector<int> pivot(n);
  for (double bad : {0.0, std::nan(""), HUGE_VAL}) {
    AlignedArray a(n * stride);
    for (int i = 0; i < n; ++i) a[i * stride + i] = i == 13 ? bad : 1.0;
    EXPECT_FALSE(factor_dense(a.data(), n, pivot.data(), nullptr, GetParam())) << bad;
  }
}

INSTANTIATE_TEST_SUITE_P(Isas, DenseKernel, testing::Values(Isa::portable, Isa::avx2));

}  // namespace
}  // namespace stiffit::internal
