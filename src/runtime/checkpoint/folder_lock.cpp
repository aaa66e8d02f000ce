// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/diagnostic.h"

namespace stiffit::internal {
namespace {

using namespace std::chrono_literals;

// A process that was just killed holds its lock until the system has cleared it away.
constexpr int tries = 20;
constexpr auto between_tries = 50ms;
constexpr int seconds_to_write = 10;  // after which an owner's file without a name is nobody's

// When the process began, in ticks since the machine did: a number that is given again is told
// apart. "" if there is no such process, or nobody can say.
std::string beginning_of(long process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t name_ends = text.rfind(')');
  if (name_ends == std::string::npos) return {};
  std::istringstream fields(text.substr(name_ends + 1));
  std::string field;
  for (int i = 0; i < 20 && fields >> field; ++i) {
  }
  return field;
}

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0 || name[0] == '\0') return "unknown";
  return name;
}

// Also says which start of the machine it was: after another all processes are gone.
std::string machine_start() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id.empty() ? "unknown" : id;
}

struct Owner {
  std::string host, start, beginning;
  long process = 0;
  bool named() const { return process > 0; }
};

std::string text_of(const Owner& owner) {
  return owner.host + " " + std::to_string(owner.process) + " " +
         (owner.beginning.empty() ? "unknown" : owner.beginning) + " " + owner.start + "\n";
}

Owner own_name() { return {host_name(), machine_start(), beginning_of(getpid()), getpid()}; }

std::string read_all(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

Owner owner_in(const std::string& text) {
  Owner owner;
  std::istringstream fields(text);
  if (!(fields >> owner.host >> owner.process >> owner.beginning >> owner.start)) owner.process = 0;
  return owner;
}

// As far as this machine can tell: of a process on another one nothing is known.
bool surely_gone(const Owner& owner, const std::string& path) {
  if (!owner.named()) {
    struct stat found {};
    return stat(path.c_str(), &found) == 0 &&
           std::time(nullptr) - found.st_mtime > seconds_to_write;
  }
  if (owner.host != host_name()) return false;
  if (owner.start != machine_start()) return true;
  if (kill(static_cast<pid_t>(owner.process), 0) != 0 && errno == ESRCH) return true;
  const std::string beginning = beginning_of(owner.process);
  return !beginning.empty() && owner.beginning != "unknown" && beginning != owner.beginning;
}

bool write_new(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (file < 0) return false;
  const bool written = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  fsync(file);
  close(file);
  if (!written) {
    unlink(path.c_str());
    errno = ENOSPC;
  }
  return written;
}

}  // namespace

FolderLock::FolderLock(const std::string& folder) : FolderLock(folder, flock) {}

FolderLock::FolderLock(const std::string& folder, LockCall lock) : folder_(folder) {
  file_ = open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0)
    throw InputError("error: the folder " + folder + " cannot be written: " + std::strerror(errno));
  for (int i = 0; !taken_; ++i) {
    if (i > 0) std::this_thread::sleep_for(between_tries);
    if (lock(file_, LOCK_EX | LOCK_NB) == 0) {
      taken_ = true;
    } else if (errno != EWOULDBLOCK && errno != EINTR) {
      take_owner_file(std::strerror(errno));
      return;
    }
    if (i == tries) return;
  }
}

void FolderLock::take_owner_file(const std::string& why) {
  const std::string path = folder_ + "/lock.owner", mine = text_of(own_name());
  for (int i = 0; i <= tries; ++i) {
    if (i > 0) std::this_thread::sleep_for(between_tries);
    if (write_new(path, mine)) {
      taken_ = true;
      break;
    }
    if (errno != EEXIST)
      throw InputError("error: the folder " + folder_ +
                       " cannot be written: " + std::strerror(errno));
    const std::string found = read_all(path);
    const Owner owner = owner_in(found);
    if (!surely_gone(owner, path)) {
      if (owner.named()) {
        holder_ = " (process " + std::to_string(owner.process) + " on " + owner.host + ")";
        way_out_ = "\n  if that process is gone for certain, remove " + path;
      }
      continue;
    }
    // Taken out of the way under a name of our own, so that of two who find it only one has it.
    const std::string aside = path + "." + std::to_string(getpid());
    if (rename(path.c_str(), aside.c_str()) != 0) continue;
    // It may be another's by now, who was quicker: that one is given back.
    if (read_all(aside) != found && !write_new(path, read_all(aside))) holder_.clear();
    unlink(aside.c_str());
  }
  if (!taken_) return;
  owner_ = path;
  holder_.clear();
  way_out_.clear();
  warning_ = "warning: the file system of " + folder_ + " has no locks (" + why + "); " + path +
             " stands in for one\n  it cannot tell whether a process of another machine still "
             "works there\n";
}

FolderLock::~FolderLock() {
  if (!owner_.empty()) unlink(owner_.c_str());
  if (file_ >= 0) close(file_);
}

}  // namespace stiffit::internal
