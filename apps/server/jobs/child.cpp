// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "server/jobs/confine.h"

namespace stiffit::internal {
namespace {

constexpr int niceness = 10;

void limit(int resource, rlim_t value) {
  const rlimit both{value, value};
  setrlimit(static_cast<__rlimit_resource>(resource), &both);
}

int open_to_write(const char* path) {
  return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// Between fork and exec of a process with threads: only calls that signal handlers may make.
[[noreturn]] void become(const ChildPlan& plan, char* const* words, char* const* environment,
                         const Confinement& confinement, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // the server ended before that was set
  setpgid(0, 0);                        // Ctrl-C on the terminal is for the server alone
  if (setpriority(PRIO_PROCESS, 0, niceness) != 0) errno = 0;
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, plan.file_bytes);
  if (plan.cpu_seconds > 0) limit(RLIMIT_CPU, static_cast<rlim_t>(plan.cpu_seconds) + 1);
  if (plan.memory_kib > 0) limit(RLIMIT_AS, static_cast<rlim_t>(plan.memory_kib) << 10);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (chdir(plan.folder.c_str()) != 0) _exit(127);
  const int in = open("/dev/null", O_RDONLY);
  const int out = open_to_write(plan.out.c_str()), messages = open_to_write(plan.messages.c_str());
  if (in < 0 || out < 0 || messages < 0) _exit(127);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(messages, STDERR_FILENO);
  confinement.enter();
  // Sockets and databases of the server are not for it.
  if (close_range(3, ~0u, 0) != 0)
    for (int file = 3; file < 1024; ++file) close(file);
  execve(plan.program.c_str(), words, environment);
  _exit(127);
}

}  // namespace

pid_t start_child(const ChildPlan& plan) {
  std::vector<std::string> owned{"stiffit"};
  owned.insert(owned.end(), plan.words.begin(), plan.words.end());
  // Databases put what does not fit into memory where it may write.
  std::vector<std::string> settings{"TMPDIR=" + plan.folder, "SQLITE_TMPDIR=" + plan.folder};
  for (char** setting = environ; *setting; ++setting)
    if (!std::string_view(*setting).starts_with("TMPDIR=")) settings.emplace_back(*setting);
  const std::vector<char*> words = pointers(owned), environment = pointers(settings);
  const Confinement confinement(plan.program, plan.folder);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) become(plan, words.data(), environment.data(), confinement, parent);
  return child;
}

ChildEnd look_at_child(pid_t child) {
  int status = 0;
  const pid_t found = waitpid(child, &status, WNOHANG);
  if (found == 0) return {};
  if (found < 0) return {true, -1, SIGKILL};
  if (WIFEXITED(status)) return {true, WEXITSTATUS(status), 0};
  return {true, -1, WTERMSIG(status)};
}

}  // namespace stiffit::internal
