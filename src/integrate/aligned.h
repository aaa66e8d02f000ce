// Zeroed arrays of doubles aligned to a cache line, padded to whole vectors.
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
  explicit AlignedArray(std::size_t size) : size_(padded(size)) {
    data_.reset(static_cast<double*>(::operator new[](size_ * sizeof(double), alignment)));
    std::fill_n(data_.get(), size_, 0.0);
  }
  static constexpr std::size_t padded(std::size_t size) { return (size + 7) / 8 * 8; }

  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }
  double& operator[](std::size_t i) { return data_[i]; }
  double operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return size_; }
  void swap(AlignedArray& other) {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(double* p) const { ::operator delete[](p, alignment); }
  };
  std::unique_ptr<double[], Free> data_;
  std::size_t size_ = 0;
};

}  // namespace stiffit
