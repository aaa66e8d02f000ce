// SPDX-License-Identifier: Apache-2.0
#include "base/files/read_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include "base/diagnostic.h"
#include "base/interrupt.h"
#include "base/number.h"

namespace stiffit::internal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int look_every = 50;  // milliseconds, at the interrupt

class File {
 public:
  // A pipe is opened even if nobody writes to it yet.
  explicit File(const std::string& path)
      : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~File() {
    if (number_ >= 0) close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number() const { return number_; }
  bool is_pipe() const {
    struct stat found {};
    return fstat(number_, &found) == 0 && S_ISFIFO(found.st_mode);
  }

 private:
  int number_;
};

[[noreturn]] void refuse_to_read(const std::string& path, const std::string& why) {
  throw InputError("error: cannot read '" + path + "': " + why + "\n");
}

// Bytes read; 0: the end. A pipe that nobody has opened for writing looks like one that has ended,
// so that at its beginning it is given time.
std::size_t read_some(const File& file, const std::string& path, char* to, std::size_t size,
                      double writer_within) {
  const bool wait_for_writer = writer_within > 0 && file.is_pipe();
  for (const auto until = Clock::now() + std::chrono::duration<double>(writer_within);;) {
    check_interrupt();
    const ssize_t got = read(file.number(), to, size);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got == 0) {
      if (!wait_for_writer) return 0;
      pollfd ended{file.number(), POLLIN, 0};
      poll(&ended, 1, look_every);
      if ((ended.revents & (POLLHUP | POLLIN)) == POLLHUP) return 0;  // somebody was there
      if (Clock::now() > until)
        refuse_to_read(path, "it is a pipe, and nobody has begun to write to it within " +
                                 format_number(writer_within) + " s");
      continue;
    }
    if (errno == EAGAIN) {
      pollfd ready{file.number(), POLLIN, 0};
      poll(&ready, 1, look_every);
    } else if (errno != EINTR) {
      refuse_to_read(path, std::strerror(errno));
    }
  }
}

}  // namespace

std::string read_file(const std::string& path) { return read_file_within(10, path); }

std::string read_file_within(double seconds, const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) refuse_to_read(path, "it is a folder");
  const File file(path);
  if (file.number() < 0)
    refuse_to_read(path, errno == ENOENT ? "no such file" : std::strerror(errno));
  auto too_large = [&] {
    refuse_to_read(path, "it is larger than " + std::to_string(largest_file >> 20) + " MB");
  };
  // A pipe has no size; what has one is not read in vain.
  const auto size = std::filesystem::file_size(path, code);
  if (!code && size > largest_file) too_large();
  std::string text;
  std::size_t block = 1 << 16;
  for (;;) {
    std::size_t had = text.size();
    text.resize(had + block);
    std::size_t got = 0;
    while (got < block) {
      const std::size_t more =
          read_some(file, path, text.data() + had + got, block - got, had + got == 0 ? seconds : 0);
      if (more == 0) break;
      got += more;
    }
    text.resize(had + got);
    if (text.size() > largest_file) too_large();
    if (got < block) break;
    block = std::min<std::size_t>(block * 2, 1 << 24);
  }
  if (std::memchr(text.data(), 0, text.size()))
    refuse_to_read(path, "it holds NUL bytes, so it is no UTF-8 text (binary, or UTF-16?)");
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return text;
}

}  // namespace stiffit::internal
