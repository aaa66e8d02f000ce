// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/confine.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <set>

namespace stiffit::internal {
namespace {

// Landlock as linux/landlock.h has it; written out, because headers are older than kernels.
constexpr long create_ruleset = 444, add_rule = 445, restrict_self = 446;
constexpr unsigned version_flag = 1;
constexpr int rule_path_beneath = 1;

struct Ruleset {
  std::uint64_t files = 0, network = 0, scopes = 0;
};
struct __attribute__((packed)) PathRule {
  std::uint64_t allowed = 0;
  std::int32_t parent = -1;
};

constexpr std::uint64_t execute = 1u << 0, write_file = 1u << 1, read_file = 1u << 2,
                        read_folder = 1u << 3, first_version = (1u << 13) - 1, refer = 1u << 13,
                        truncate_file = 1u << 14, device_calls = 1u << 15;
constexpr std::uint64_t connect_and_bind = 3, signals_and_sockets = 3;

long landlock_version() { return syscall(create_ruleset, nullptr, std::size_t{0}, version_flag); }

std::uint64_t known_rights(long version) {
  return first_version | (version >= 2 ? refer : 0) | (version >= 3 ? truncate_file : 0) |
         (version >= 5 ? device_calls : 0);
}

int make_ruleset(long version) {
  Ruleset rules;
  rules.files = known_rights(version);
  std::size_t size = sizeof rules.files;
  if (version >= 4) {
    rules.network = connect_and_bind;
    size += sizeof rules.network;
  }
  if (version >= 6) {
    rules.scopes = signals_and_sockets;
    size += sizeof rules.scopes;
  }
  return static_cast<int>(syscall(create_ruleset, &rules, size, 0u));
}

void allow(int rules, const char* path, std::uint64_t rights) {
  const int place = open(path, O_PATH | O_CLOEXEC);
  if (place < 0) return;  // what is not there need not be allowed
  struct stat found {};
  if (fstat(place, &found) == 0) {
    constexpr std::uint64_t of_files = execute | write_file | read_file | truncate_file;
    PathRule rule{S_ISDIR(found.st_mode) ? rights : rights & of_files, place};
    syscall(add_rule, rules, rule_path_beneath, &rule, 0u);
  }
  close(place);
}

// The libraries of this process: those that the same program will need.
std::set<std::string> mapped_files() {
  std::set<std::string> files;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (const std::size_t path = line.find('/'); path != std::string::npos)
      files.insert(line.substr(path));
  return files;
}

constexpr unsigned no_action = SECCOMP_RET_ALLOW,
                   refused = SECCOMP_RET_ERRNO | (EPERM & SECCOMP_RET_DATA);

#if defined(__x86_64__)
constexpr unsigned machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned machine = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned machine = 0;
#endif

#define STIFFIT_REFUSE(call) \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (call), 0, 1), BPF_STMT(BPF_RET | BPF_K, refused)

// Calls that reach beyond the process: other processes, the network, the system as a whole. The
// numbers of another machine's calls mean something else, so that none of them is let through.
const sock_filter refused_calls[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, machine, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, refused),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
#if defined(__x86_64__)
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),  // the x32 way of calling
    BPF_STMT(BPF_RET | BPF_K, refused),
#endif
    STIFFIT_REFUSE(SYS_socket),
    STIFFIT_REFUSE(SYS_socketpair),
    STIFFIT_REFUSE(SYS_connect),
    STIFFIT_REFUSE(SYS_bind),
    STIFFIT_REFUSE(SYS_listen),
#ifndef __SANITIZE_ADDRESS__  // whose search for leaks is a tracer
    STIFFIT_REFUSE(SYS_ptrace),
#endif
    STIFFIT_REFUSE(SYS_process_vm_readv),
    STIFFIT_REFUSE(SYS_process_vm_writev),
    STIFFIT_REFUSE(SYS_pidfd_open),
    STIFFIT_REFUSE(SYS_pidfd_send_signal),
    STIFFIT_REFUSE(SYS_mount),
    STIFFIT_REFUSE(SYS_umount2),
    STIFFIT_REFUSE(SYS_pivot_root),
    STIFFIT_REFUSE(SYS_chroot),
    STIFFIT_REFUSE(SYS_unshare),
    STIFFIT_REFUSE(SYS_setns),
    STIFFIT_REFUSE(SYS_open_by_handle_at),
    STIFFIT_REFUSE(SYS_bpf),
    STIFFIT_REFUSE(SYS_perf_event_open),
    STIFFIT_REFUSE(SYS_userfaultfd),
    STIFFIT_REFUSE(SYS_keyctl),
    STIFFIT_REFUSE(SYS_add_key),
    STIFFIT_REFUSE(SYS_request_key),
    STIFFIT_REFUSE(SYS_init_module),
    STIFFIT_REFUSE(SYS_finit_module),
    STIFFIT_REFUSE(SYS_delete_module),
    STIFFIT_REFUSE(SYS_kexec_load),
    STIFFIT_REFUSE(SYS_reboot),
    STIFFIT_REFUSE(SYS_swapon),
    STIFFIT_REFUSE(SYS_swapoff),
    STIFFIT_REFUSE(SYS_settimeofday),
    STIFFIT_REFUSE(SYS_clock_settime),
    STIFFIT_REFUSE(SYS_personality),
    STIFFIT_REFUSE(425),  // io_uring_setup, which makes calls that no filter sees
    STIFFIT_REFUSE(426),
    STIFFIT_REFUSE(427),
    BPF_STMT(BPF_RET | BPF_K, no_action),
};
#undef STIFFIT_REFUSE

}  // namespace

Confinement::Confinement(const std::string& program, const std::string& folder) {
  const long version = landlock_version();
  if (version < 1) return;
  rules_ = make_ruleset(version);
  if (rules_ < 0) return;
  fcntl(rules_, F_SETFD, FD_CLOEXEC);
  const std::uint64_t run = execute | read_file;
  allow(rules_, program.c_str(), run);
  for (const std::string& file : mapped_files()) allow(rules_, file.c_str(), run);
  // By folder as well: an upgrade puts other files there, of the same names.
  for (const char* libraries : {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib"})
    allow(rules_, libraries, run | read_folder);
  // Where libraries are looked up, what the machine is, and the time zone of dates.
  for (const char* file :
       {"/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime", "/usr/share/zoneinfo",
        "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/vm", "/sys/devices/system/cpu",
        "/sys/devices/system/node", "/dev/urandom"})
    allow(rules_, file, read_file | read_folder);
  allow(rules_, "/dev/null", read_file | write_file);
  allow(rules_, folder.c_str(), known_rights(version) & ~(execute | device_calls));
}

Confinement::~Confinement() {
  if (rules_ >= 0) close(rules_);
}

void Confinement::enter() const {
  // Without it neither of the others is allowed to an ordinary user.
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  if (rules_ >= 0) {
    allow(rules_, "/proc/self", read_file | read_folder);  // only here it means this process
    syscall(restrict_self, rules_, 0u);
  }
  if (machine == 0) return;
  const sock_fprog filter{static_cast<unsigned short>(std::size(refused_calls)),
                          const_cast<sock_filter*>(refused_calls)};
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
}

std::vector<std::string> confinement_at_hand() {
  std::vector<std::string> parts{"no_new_privs"};
  const unsigned action = SECCOMP_RET_ERRNO;
  if (machine != 0 && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0)
    parts.push_back("seccomp");
  if (landlock_version() >= 1) parts.push_back("landlock");
  return parts;
}

}  // namespace stiffit::internal
