// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_runner.h"

#include <csignal>
#include <filesystem>
#include <system_error>

#include "base/exit_code.h"
#include "server/http/request_error.h"

namespace stiffit::internal {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto look_every = std::chrono::milliseconds(30);
constexpr auto patience = std::chrono::seconds(10);  // for a job to keep what it has

double seconds_since(Clock::time_point began) {
  return std::chrono::duration<double>(Clock::now() - began).count();
}

bool has_state(const std::string& folder, const std::string& kind) {
  std::error_code trouble;
  const auto file = std::filesystem::path(folder) / job_output / (kind + ".sqlite");
  return std::filesystem::exists(file, trouble) && std::filesystem::file_size(file, trouble) > 0;
}

// The last complaint of the program, without the usage that follows it.
std::string complaint(const std::string& folder) {
  std::string text = file_text(folder + "/log.txt", 1u << 20);
  if (const std::size_t usage = text.find("\nusage: "); usage != std::string::npos)
    text.resize(usage);
  constexpr std::size_t longest = 4000;
  if (text.size() > longest) text = text.substr(text.size() - longest);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace

JobRunner::JobRunner(JobStore& store, const ServeOptions& options)
    : store_(store), options_(options), thread_([this] { work(); }) {}

JobRunner::~JobRunner() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void JobRunner::wake() { changed_.notify_all(); }

bool JobRunner::stop(const std::string& id) {
  std::lock_guard lock(mutex_);
  auto found = running_.find(id);
  if (found == running_.end()) {
    if (store_.get(id).state != "waiting") return false;
    store_.set_state(id, "stopped", "stopped before it began");
    return true;
  }
  if (!found->second.stopping) {
    found->second.stopping = true;
    found->second.kill_at = Clock::now() + patience;
    kill(found->second.child, SIGINT);
  }
  return true;
}

void JobRunner::resume(const std::string& id) {
  {
    std::lock_guard lock(mutex_);
    const Job job = store_.get(id);
    if (job.words.empty()) throw RequestError(409, "this job ran elsewhere and cannot go on here");
    if (job.state != "stopped" && job.state != "failed")
      throw RequestError(409, "this job is " + job.state + "; only a stopped one can be resumed");
    store_.set_state(id, "waiting", "");
  }
  wake();
}

void JobRunner::remove(const std::string& id) {
  std::lock_guard lock(mutex_);
  auto found = running_.find(id);
  if (found == running_.end()) return store_.remove(id);
  kill(found->second.child, SIGKILL);
  removed_.insert(id);
}

double JobRunner::running_seconds(const std::string& id) {
  std::lock_guard lock(mutex_);
  auto found = running_.find(id);
  return found == running_.end() ? 0 : seconds_since(found->second.began);
}

// The thread that starts processes is the one they die with, so it does nothing else.
void JobRunner::work() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    look();
    start_next();
    if (running_.empty())
      changed_.wait_for(lock, std::chrono::seconds(1));
    else
      changed_.wait_for(lock, look_every);
  }
  for (auto& [id, run] : running_) kill(run.child, SIGINT);
  const auto until = Clock::now() + std::chrono::seconds(3);
  while (!running_.empty()) {
    if (Clock::now() > until)
      for (auto& [id, run] : running_) kill(run.child, SIGKILL);
    for (auto& [id, run] : running_) run.stopping = true;
    look();
    lock.unlock();
    std::this_thread::sleep_for(look_every);
    lock.lock();
  }
}

void JobRunner::look() {
  for (auto run = running_.begin(); run != running_.end();) {
    if (run->second.stopping && Clock::now() > run->second.kill_at &&
        run->second.kill_at != Clock::time_point())
      kill(run->second.child, SIGKILL);
    const ChildEnd end = look_at_child(run->second.child);
    if (!end.ended) {
      ++run;
      continue;
    }
    ended(run->first, run->second, end);
    run = running_.erase(run);
  }
}

void JobRunner::ended(const std::string& id, const Running& run, const ChildEnd& end) {
  if (removed_.erase(id) > 0) return store_.remove(id);
  const double seconds = seconds_since(run.began);
  const std::string said = complaint(store_.folder_of(id));
  if (end.code == exit_done)
    store_.set_state(id, "done", said, seconds);
  else if (run.stopping)
    store_.set_state(id, "stopped", "stopped; it can be resumed", seconds);
  else if (end.signal == SIGXCPU || end.signal == SIGKILL)
    store_.set_state(id, "failed",
                     "ended by the system: the limit of processor time or memory was reached",
                     seconds);
  else if (end.signal != 0)
    store_.set_state(id, "failed", "the program crashed; this is a bug in Stiffit", seconds);
  else if (end.code == 127)
    store_.set_state(id, "failed", "the program could not be started", seconds);
  else
    store_.set_state(id, "failed", said.empty() ? "the run failed" : said, seconds);
}

void JobRunner::start_next() {
  while (running_.size() < static_cast<std::size_t>(options_.limits.jobs)) {
    const auto job = store_.next_waiting();
    if (!job) return;
    ChildPlan plan;
    plan.program = options_.program;
    plan.words = job->words;
    plan.folder = store_.folder_of(job->id);
    if (has_state(plan.folder, job->kind)) plan.words.push_back("--resume");
    plan.out = "stdout.txt";
    plan.messages = "log.txt";
    plan.cpu_seconds = options_.limits.job_hours * 3600 * std::max(1, options_.limits.job_threads);
    plan.memory_kib = options_.limits.job_memory;
    try {
      const pid_t child = start_child(plan);
      running_[job->id] = {child, Clock::now(), false, {}};
      store_.set_state(job->id, "running", "");
    } catch (const std::system_error& error) {
      store_.set_state(job->id, "failed", std::string("it could not be started: ") + error.what());
    }
  }
}

}  // namespace stiffit::internal
