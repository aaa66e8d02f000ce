// SPDX-License-Identifier: Apache-2.0
#include "cli/program/serve_command.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <thread>

#include "base/diagnostic.h"
#include "runtime/checkpoint/folder_lock.h"
#include "server/page_server.h"

namespace stiffit::internal {
namespace {

constexpr long default_port = 8765;

CommandSpec spec() {
  CommandSpec s;
  s.name = "serve";
  s.summary = "the web page: type a network, see its curves, fit it";
  s.options = {
      {"port", "P", "port to listen on (default 8765; 0: any free one)", 0, false},
      {"data", "DIR", "folder for work and jobs (default: ~/.local/share/stiffit)", 0, false},
      {"host", "ADDRESS", "listens there instead of on this machine only", 0, false},
      {"no-token", "", "asks nobody on this machine for a token", 0, false},
      {"jobs", "N", "fits that run at the same time (default 2); others wait", 0, false},
      {"threads", "N", "threads of each job (default: half of the cores)", 0, false},
      {"memory", "MB", "memory of each job at most (default 4096)", 0, false},
      {"hours", "H", "processor time of each job at most, per thread (default 24)", 0, false},
  };
  s.notes =
      "The page is at the printed address; Ctrl-C ends the server. The address holds a secret\n"
      "token, which the browser keeps, and nobody without it is answered: other users of this\n"
      "machine can reach the port, too. --no-token is for machines without other users. With\n"
      "--host other machines reach it as well; the connection itself is not encrypted.";
  s.examples = {{"stiffit serve", "then open the printed address"},
                {"stiffit serve --port 0 --data /tmp/trial", "a free port, another folder"},
                {"stiffit serve --host 0.0.0.0", "for other machines, too"}};
  return s;
}

std::string random_token() {
  unsigned char bytes[24];
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes))
    throw InputError("error: the system gives no random numbers for a token");
  constexpr char hex[] = "0123456789abcdef";
  std::string token;
  for (unsigned char b : bytes) token += {hex[b >> 4], hex[b & 15]};
  return token;
}

// The same again for the next server of this folder, so that open pages go on after a restart. Only
// a file that nobody else can have read or written counts.
std::string stored_token(const std::string& path) {
  const std::string fresh = random_token();
  if (const int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
      file >= 0) {
    struct stat found {};
    std::string token(fresh.size() + 1, '\0');
    const bool ours = fstat(file, &found) == 0 && S_ISREG(found.st_mode) &&
                      found.st_uid == geteuid() && (found.st_mode & 0077) == 0;
    const ssize_t size = read(file, token.data(), token.size());
    close(file);
    token.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    if (ours && token.size() == fresh.size() &&
        token.find_first_not_of("0123456789abcdef") == std::string::npos)
      return token;
  }
  unlink(path.c_str());
  const int file =
      open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file >= 0) {
    // If the disk is full the next server has another one.
    [[maybe_unused]] const auto written = write(file, fresh.data(), fresh.size());
    close(file);
  }
  return fresh;
}

std::string default_folder() {
  if (const char* data = std::getenv("XDG_DATA_HOME"); data && *data)
    return std::string(data) + "/stiffit";
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.local/share/stiffit";
  return "stiffit-data";
}

ServeOptions read_options(const Arguments& arguments) {
  ServeOptions o;
  const double port = arguments.number("port", default_port);
  if (port != static_cast<int>(port) || port < 0 || port > 65535)
    throw UsageError("--port is a whole number from 0 to 65535");
  o.port = static_cast<int>(port);
  o.data = arguments.text("data", default_folder());
  if (arguments.has("host")) {
    o.host = arguments.text("host");
    if (arguments.has("no-token"))
      throw UsageError("--no-token is for a server of this machine alone; --host lets others in");
  }
  const long cores = std::max(1L, static_cast<long>(std::thread::hardware_concurrency()));
  o.limits.jobs = static_cast<int>(std::min(arguments.count("jobs", 2), 64L));
  o.limits.job_threads =
      static_cast<int>(std::min(arguments.count("threads", std::max(1L, cores / 2)), 256L));
  o.limits.job_memory =
      static_cast<std::size_t>(std::min(arguments.count("memory", 4096), 1L << 30)) << 10;
#ifdef __SANITIZE_ADDRESS__
  o.limits.job_memory = 0;  // the sanitizer reserves more addresses than any machine has memory
#endif
  o.limits.job_hours = arguments.positive("hours", o.limits.job_hours);
  return o;
}

// A server runs for weeks. By default the C library keeps what a large request needed, once for
// each of many pools of memory; with this, large blocks go back to the system, and the pools are
// few. Small blocks that live long (compiled models) lie between free ones, and so what lies free
// inside the pools grows for an hour; while the server runs it is given back, too.
void keep_memory_low() {
  constexpr int large = 1 << 20, pools = 4;
  mallopt(M_MMAP_THRESHOLD, large);
  mallopt(M_TRIM_THRESHOLD, large);
  mallopt(M_ARENA_MAX, pools);
}

int run(const Arguments& arguments, const Console& console) {
  keep_memory_low();
  ServeOptions options = read_options(arguments);
  std::error_code trouble;
  std::filesystem::create_directories(options.data, trouble);
  // Two servers in one folder would run its jobs twice.
  const FolderLock lock(options.data);
  if (!lock.taken())
    throw InputError("error: another server works in " + options.data + lock.holder() +
                     "\n  end it, or name another folder with --data" + lock.way_out());
  if (!lock.warning().empty()) console.messages << lock.warning() << std::flush;
  if (!arguments.has("no-token"))
    options.token = arguments.has("host") ? random_token() : stored_token(options.data + "/token");
  PageServer server(options);
  deliver("Stiffit is at " + server.address() + "\n", console);
  // A signal raises a flag; the server is stopped from here.
  std::atomic<bool> ended = false;
  std::thread watch([&] {
    constexpr int trim_every = 100;  // looks
    for (long look = 1; !ended.load() && !(console.interrupt && console.interrupt->load());
         ++look) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (look % trim_every == 0) malloc_trim(0);
    }
    server.stop();
  });
  server.run();
  ended.store(true);
  watch.join();
  console.messages << "the server has ended\n";
  return exit_done;
}

}  // namespace

Command serve_command() { return {spec(), run}; }

}  // namespace stiffit::internal
