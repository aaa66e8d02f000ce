// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/growing_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/diagnostic.h"
#include "base/files/output_file.h"

namespace stiffit::internal {

GrowingFile::GrowingFile(const std::string& path, std::int64_t kept) : path_(path), size_(kept) {
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) refuse();
  const off_t there = ::lseek(file_, 0, SEEK_END);
  if (there >= kept && ::ftruncate(file_, kept) == 0 && ::lseek(file_, kept, SEEK_SET) == kept)
    return;
  const int reason = errno;
  ::close(file_);
  if (there < kept)
    throw InputError("error: '" + path + "' is shorter than the run left it: " +
                     std::to_string(there) + " of " + std::to_string(kept) + " bytes");
  errno = reason;
  refuse();
}

GrowingFile::~GrowingFile() { ::close(file_); }

void GrowingFile::refuse() const {
  throw InputError("error: cannot write '" + path_ + "': " + std::strerror(errno));
}

void GrowingFile::append(std::string_view text) {
  if (!write_all(file_, text)) refuse();
  size_ += text.size();
}

void GrowingFile::settle() {
  if (::fdatasync(file_) != 0 && errno != EINVAL) refuse();
}

}  // namespace stiffit::internal
