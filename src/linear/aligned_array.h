// Zeroed doubles on a 64-byte boundary, as kernels want them. Memory reaches to the next whole
// cache line, so that loops may run over whole vectors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace stiffit::internal {

class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size)
      : size_(size),
        data_(static_cast<double*>(::operator new[](padded(size) * sizeof(double), alignment))) {
    std::fill_n(data_.get(), padded(size), 0.0);
  }
  static constexpr std::size_t padded(std::size_t size) { return (size + 7) / 8 * 8; }

  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }
  double& operator[](std::size_t i) { return data_[i]; }
  double operator[](std::size_t i) const { return data_[i]; }
  std::size_t size() const { return size_; }
  void fill(double value) { std::fill_n(data(), size_, value); }
  void swap(AlignedArray& other) {
    std::swap(size_, other.size_);
    std::swap(data_, other.data_);
  }

 private:
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(double* p) const { ::operator delete[](p, alignment); }
  };
  std::size_t size_ = 0;
  std::unique_ptr<double[], Free> data_;
};

}  // namespace stiffit::internal
