// SPDX-License-Identifier: Apache-2.0
#include "base/files/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/diagnostic.h"

namespace stiffit::internal {
namespace {

[[noreturn]] void refuse_to_write(const std::string& path, const std::string& why) {
  throw InputError("error: cannot write '" + path + "': " + why + "\n");
}

std::string folder_of(const std::string& path) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

bool is_special(const std::string& path) {
  std::error_code code;
  auto status = std::filesystem::status(path, code);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

// Closes on every way out.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  bool close() {
    int number = number_;
    number_ = -1;
    return ::close(number) == 0;
  }
  int number() const { return number_; }

 private:
  int number_;
};

// The access rights the file shall have: those it had, or what the umask leaves of 0666.
mode_t mode_for(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return status.st_mode & 07777;
  mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

// Behind a symbolic link the file itself is replaced, not the link.
std::string resolved(const std::string& path) {
  std::error_code code;
  auto real = std::filesystem::canonical(path, code);
  return code ? path : real.string();
}

}  // namespace

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

void require_writable(const std::string& path) {
  std::error_code code;
  if (path.empty()) refuse_to_write(path, "no name is given");
  if (std::filesystem::is_directory(path, code)) refuse_to_write(path, "it is a folder");
  std::string folder = folder_of(resolved(path));
  if (!std::filesystem::exists(folder, code))
    refuse_to_write(path, "there is no folder '" + folder + "'");
  if (!std::filesystem::is_directory(folder, code))
    refuse_to_write(path, "'" + folder + "' is no folder");
  const bool exists = std::filesystem::exists(path, code);
  if (exists && ::access(path.c_str(), W_OK) != 0) refuse_to_write(path, std::strerror(errno));
  if (!is_special(path) && ::access(folder.c_str(), W_OK | X_OK) != 0)
    refuse_to_write(path, std::strerror(errno));
}

void write_file(const std::string& path, std::string_view text) {
  require_writable(path);
  if (is_special(path)) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.number() < 0 || !write_all(file.number(), text) || !file.close())
      refuse_to_write(path, std::strerror(errno));
    return;
  }
  std::string target = resolved(path);
  std::string temporary = target + ".XXXXXX";
  Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (file.number() < 0) refuse_to_write(path, std::strerror(errno));
  const bool written = write_all(file.number(), text) &&
                       ::fchmod(file.number(), mode_for(target)) == 0 && file.close() &&
                       ::rename(temporary.c_str(), target.c_str()) == 0;
  if (written) return;
  int reason = errno;
  ::unlink(temporary.c_str());
  refuse_to_write(path, std::strerror(reason));
}

}  // namespace stiffit::internal
