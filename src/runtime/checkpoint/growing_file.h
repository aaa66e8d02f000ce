// A result file that grows with the run, for rows that would not fit into memory. What was written
// after the last kept state is cut off when the run goes on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stiffit::internal {

class GrowingFile {
 public:
  // Opens or makes the file and keeps its first `kept` bytes. Throws InputError, also if it is
  // shorter than that.
  GrowingFile(const std::string& path, std::int64_t kept);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  void append(std::string_view text);
  void settle();  // on the disk now
  std::int64_t size() const { return size_; }

 private:
  [[noreturn]] void refuse() const;
  std::string path_;
  int file_ = -1;
  std::int64_t size_ = 0;
};

}  // namespace stiffit::internal
