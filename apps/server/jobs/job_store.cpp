// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_store.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/number.h"
#include "server/http/request_error.h"
#include "server/work/work_store.h"

namespace stiffit::internal {
namespace {

namespace fs = std::filesystem;

constexpr const char* columns =
    "SELECT id, kind, title, work, state, created, message, words, seconds FROM jobs ";

Job job_of(const std::vector<std::string>& row) {
  Job job{row[0], row[1], row[2], row[3], row[4], row[5], row[6], {}, 0};
  for (const Json& word : Json::parse(row[7])) job.words.push_back(word.get<std::string>());
  job.seconds = parse_number(row[8]).value_or(0);
  return job;
}

void write_files(const fs::path& folder, const FileMap& files) {
  fs::create_directories(folder);
  for (const auto& [name, content] : files) {
    const fs::path path = folder / name;
    fs::create_directories(path.parent_path());
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out << content;
    if (!out.flush()) throw RequestError(507, "the files of the job cannot be written");
  }
}

}  // namespace

std::string file_text(const std::string& path, std::size_t most) {
  std::ifstream in(path, std::ios::binary);
  std::string text;
  char bytes[1 << 16];
  while (in && text.size() < most) {
    in.read(bytes, sizeof bytes);
    text.append(bytes, static_cast<std::size_t>(in.gcount()));
  }
  return text;
}

JobStore::JobStore(const std::string& folder)
    : folder_(fs::absolute(folder).string()),
      database_(server_database(folder), false, "the jobs kept by the server") {
  database_.run("PRAGMA synchronous = FULL");
  database_.run(
      "UPDATE jobs SET state = 'stopped', message = 'the server ended while it ran; it can be "
      "resumed' WHERE state = 'running'");
}

std::vector<Job> JobStore::list() {
  std::lock_guard lock(mutex_);
  std::vector<Job> jobs;
  for (auto& row : database_.rows((std::string(columns) + "ORDER BY number DESC").c_str()))
    jobs.push_back(job_of(row));
  return jobs;
}

Job JobStore::get(const std::string& id) {
  std::lock_guard lock(mutex_);
  const auto rows = database_.rows((std::string(columns) + "WHERE id = ?1").c_str(), {id});
  if (rows.empty()) throw RequestError(404, "there is no such job; it may have been deleted");
  return job_of(rows[0]);
}

std::string JobStore::insert(const Job& job, const FileMap& files, const ServeLimits& limits) {
  {
    std::lock_guard lock(mutex_);
    if (std::stol(database_.one("SELECT count(*) FROM jobs")) >= limits.kept_jobs)
      throw RequestError(507, "there are too many jobs; delete some first");
  }
  const std::string id = random_id();
  write_files(folder_of(id), files);
  std::lock_guard lock(mutex_);
  database_.rows(
      "INSERT INTO jobs(id, kind, title, work, state, created, message, words, seconds) "
      "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
      {id, job.kind, job.title, job.work, job.state, job.created, job.message,
       json_text(Json(job.words)), format_number(job.seconds)});
  return id;
}

std::string JobStore::add(const JobPlan& plan, const ServeLimits& limits) {
  return insert({"", plan.kind, plan.title, plan.work, "waiting", now_text(), "", plan.words, 0},
                plan.files, limits);
}

std::string JobStore::add_ended(const Job& job, const FileMap& files, const ServeLimits& limits) {
  Job record = job;
  record.words.clear();
  return insert(record, files, limits);
}

void JobStore::set_state(const std::string& id, const std::string& state,
                         const std::string& message, double seconds_more) {
  std::lock_guard lock(mutex_);
  database_.rows(
      "UPDATE jobs SET state = ?2, message = ?3, seconds = seconds + CAST(?4 AS REAL) "
      "WHERE id = ?1",
      {id, state, message, format_number(seconds_more)});
}

std::optional<Job> JobStore::next_waiting() {
  std::lock_guard lock(mutex_);
  const auto rows = database_.rows(
      (std::string(columns) + "WHERE state = 'waiting' ORDER BY number LIMIT 1").c_str());
  if (rows.empty()) return {};
  return job_of(rows[0]);
}

void JobStore::remove(const std::string& id) {
  {
    std::lock_guard lock(mutex_);
    database_.rows("DELETE FROM jobs WHERE id = ?1", {id});
    if (database_.changed() == 0)
      throw RequestError(404, "there is no such job; it may have been deleted");
  }
  std::error_code trouble;
  fs::remove_all(folder_of(id), trouble);
}

std::vector<std::pair<std::string, std::uintmax_t>> JobStore::files(const std::string& id) {
  get(id);
  std::vector<std::pair<std::string, std::uintmax_t>> found;
  std::error_code trouble;
  const fs::path root = folder_of(id);
  for (fs::recursive_directory_iterator entry(root, trouble), end; !trouble && entry != end;
       entry.increment(trouble)) {
    if (!entry->is_regular_file(trouble) || entry->is_symlink(trouble)) continue;
    const std::string path = entry->path().lexically_relative(root).generic_string();
    const bool state = path.find(".sqlite") != std::string::npos || path.ends_with("/lock") ||
                       path.ends_with(".part");
    if (!state && is_safe_path(path)) found.emplace_back(path, entry->file_size(trouble));
  }
  return found;
}

std::string JobStore::read(const std::string& id, const std::string& path) {
  for (const auto& [name, size] : files(id))
    if (name == path) return file_text(folder_of(id) + "/" + path);
  throw RequestError(404, "the job has no such file");
}

}  // namespace stiffit::internal
