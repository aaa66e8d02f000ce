// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/run_directory.h"

#include <chrono>
#include <filesystem>

#include "base/diagnostic.h"
#include "runtime/checkpoint/database.h"
#include "runtime/checkpoint/sha256.h"

namespace stiffit::internal {
namespace {

constexpr int application_id = 0x53746674;  // "Stft"
constexpr int format_version = 3;
constexpr auto disk_every = std::chrono::seconds(5);
// Pieces are appended to a log and moved to their places, for which the disk is waited for, once in
// so many pages (32 MB).
constexpr const char* append_first = "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 8000";

std::string differences(const RunSettings& stored, const RunSettings& asked) {
  std::string text;
  auto show = [](const RunSettings& s, const std::string& name) {
    auto found = s.find(name);
    return found == s.end() ? std::string("(none)") : found->second;
  };
  RunSettings all = stored;
  all.insert(asked.begin(), asked.end());
  for (const auto& [name, value] : all)
    if (show(stored, name) != show(asked, name))
      text += "\n  " + name + ": was " + show(stored, name) + ", now " + show(asked, name);
  return text;
}

// Before each record: the database notices when its own structure is damaged, not when a number in
// a record is.
std::string seal(const std::string& kind, const std::string& number, std::string_view record) {
  constexpr std::size_t length = 16;
  return sha256(kind + " " + number + " " + std::string(record)).substr(0, length);
}

}  // namespace

struct RunDirectory::Database : stiffit::internal::Database {
  using stiffit::internal::Database::Database;
};

RunDirectory::RunDirectory(const std::string& path, const std::string& command,
                           const RunSettings& settings, bool resume)
    : path_(path) {
  std::error_code trouble;
  std::filesystem::create_directories(path, trouble);
  if (!std::filesystem::is_directory(path))
    throw InputError("error: the folder " + path + " cannot be made" +
                     (trouble ? ": " + trouble.message() : ""));
  lock_ = std::make_unique<FolderLock>(path);
  if (!lock_->taken())
    throw InputError("error: another process works in " + path + lock_->holder() +
                     "\n  wait for it, or name another folder" + lock_->way_out());
  try {
    std::string state = file(command + ".sqlite");
    const bool made = std::filesystem::exists(state);
    // An empty one was made by a run that was killed at once: going on means to begin.
    bool there = made && std::filesystem::file_size(state) > 0;
    if (resume && !made) throw InputError("error: there is no run in " + path + " to go on with");
    database_ = std::make_unique<Database>(state, !there, "the state of a run");
    Database& db = *database_;
    if (there) {
      if (db.one("PRAGMA application_id") != std::to_string(application_id)) {
        // A run that was killed before it wrote anything leaves a database without tables.
        if (db.one("SELECT count(*) FROM sqlite_master") != "0")
          throw InputError("error: " + state +
                           " is not the state of a run: another program made it");
        there = false;
      }
    }
    if (there) {
      if (!resume)
        throw InputError("error: " + path +
                         " holds a run already\n  --resume goes on with it; for a new one name "
                         "another folder");
      if (std::string found = db.one("PRAGMA user_version");
          found != std::to_string(format_version))
        throw InputError("error: " + state + " is of another version of Stiffit (format " + found +
                         ", this one reads " + std::to_string(format_version) + ")");
      if (std::string found = db.one("PRAGMA quick_check"); found != "ok")
        throw InputError("error: " + state + " is damaged: " + found +
                         "\n  the run cannot be resumed; name another folder");
      RunSettings stored;
      for (auto& row : db.rows("SELECT name, value FROM settings")) stored[row[0]] = row[1];
      RunSettings asked = settings;
      asked["command"] = command;
      if (std::string different = differences(stored, asked); !different.empty())
        throw InputError("error: the run in " + path +
                         " was made with other settings:" + different);
      db.run(append_first);
      return;
    }
    db.run(append_first);
    db.run("BEGIN IMMEDIATE");
    db.run("PRAGMA application_id = " + std::to_string(application_id));
    db.run("PRAGMA user_version = " + std::to_string(format_version));
    db.run("CREATE TABLE settings(name TEXT PRIMARY KEY, value TEXT NOT NULL)");
    db.run(
        "CREATE TABLE pieces(kind TEXT, number INTEGER, record BLOB NOT NULL, "
        "PRIMARY KEY(kind, number))");
    RunSettings all = settings;
    all["command"] = command;
    for (const auto& [name, value] : all)
      db.rows("INSERT INTO settings VALUES(?1, ?2)", {name, value});
    db.run("COMMIT");
  } catch (...) {
    database_.reset();  // before the lock
    throw;
  }
}

RunDirectory::~RunDirectory() {
  database_.reset();  // before the lock
}

void RunDirectory::put(const std::string& kind, std::int64_t number, std::string_view record) {
  // A transaction that waits for the disk takes all before it along.
  const auto now = Clock::now();
  const bool wait = now - on_disk_ >= disk_every;
  if (wait != waits_)
    database_->run(wait ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  waits_ = wait;
  if (wait) on_disk_ = now;
  database_->put("INSERT OR REPLACE INTO pieces VALUES(?1, ?2, ?3)", kind, number,
                 seal(kind, std::to_string(number), record) + std::string(record));
}

std::vector<std::string> RunDirectory::get(const std::string& kind) const {
  std::vector<std::string> records;
  for (auto& row : database_->rows(
           "SELECT number, record FROM pieces WHERE kind = ?1 ORDER BY number", {kind})) {
    const std::string& whole = row[1];
    const std::size_t length = seal(kind, row[0], "").size();
    std::string record = whole.size() < length ? "" : whole.substr(length);
    if (whole.size() < length || whole.compare(0, length, seal(kind, row[0], record)) != 0)
      throw InputError("error: the state of the run in " + path_ + " is damaged: " + kind + " " +
                       row[0] + "\n  the run cannot be resumed; name another folder");
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace stiffit::internal
