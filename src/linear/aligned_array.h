// Doubles on a 64-byte boundary, as kernels want them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace stiffit {

class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size)
      : size_(size), data_(static_cast<double*>(::operator new(size * sizeof(double), alignment))) {
    fill(0.0);
  }
  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }
  double& operator[](std::size_t i) { return data_.get()[i]; }
  std::size_t size() const { return size_; }
  void fill(double value) { std::fill_n(data(), size_, value); }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(double* p) const { ::operator delete(p, alignment); }
  };
  std::size_t size_ = 0;
  std::unique_ptr<double, Free> data_;
};

}  // namespace stiffit
