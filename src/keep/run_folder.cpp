// SPDX-License-Identifier: Apache-2.0
#include "keep/run_folder.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/diagnostic.h"

namespace stiffit {
namespace {

constexpr int application_id = 0x53746674;  // "Stft"
constexpr int format_version = 1;

// A process that was just killed holds its lock until the system has cleared it away.
bool take_lock(int file) {
  using namespace std::chrono_literals;
  for (int tries = 0; flock(file, LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (tries == 20) return false;
    std::this_thread::sleep_for(50ms);
  }
  return true;
}

}  // namespace

// A thin skin over the handle: every failure is an InputError that names the file.
struct RunFolder::Database {
  Database(const std::string& path, bool create) : file(path) {
    int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
    if (sqlite3_open_v2(file.c_str(), &handle, flags, nullptr) != SQLITE_OK) {
      std::string why = handle ? sqlite3_errmsg(handle) : "out of memory";
      sqlite3_close(handle);
      throw InputError("error: the state of the run, " + file + ", cannot be opened: " + why);
    }
    sqlite3_extended_result_codes(handle, 1);
    sqlite3_busy_timeout(handle, 5000);
  }
  ~Database() { sqlite3_close(handle); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  [[noreturn]] void fail() const {
    int code = sqlite3_errcode(handle) & 0xff;
    std::string why = sqlite3_errmsg(handle);
    if (code == SQLITE_NOTADB)
      throw InputError("error: " + file + " is not the state of a run: it is no database\n" +
                       "  name another folder, or remove that file");
    if (code == SQLITE_CORRUPT)
      throw InputError("error: " + file + " is damaged: " + why +
                       "\n  the run cannot be resumed; name another folder");
    throw InputError("error: " + file + ": " + why);
  }

  void run(const char* sql) {
    if (sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
  }

  // Rows of a query, columns as bytes.
  std::vector<std::vector<std::string>> rows(const char* sql,
                                             const std::vector<std::string>& texts = {}) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle, sql, -1, &statement, nullptr) != SQLITE_OK) fail();
    std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> guard(statement, sqlite3_finalize);
    for (std::size_t i = 0; i < texts.size(); ++i)
      sqlite3_bind_text(statement, static_cast<int>(i) + 1, texts[i].data(),
                        static_cast<int>(texts[i].size()), SQLITE_TRANSIENT);
    std::vector<std::vector<std::string>> found;
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
      std::vector<std::string> row;
      for (int c = 0; c < sqlite3_column_count(statement); ++c) {
        auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, c));
        auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, c));
        row.emplace_back(bytes ? std::string(bytes, size) : std::string());
      }
      found.push_back(std::move(row));
    }
    if (code != SQLITE_DONE) fail();
    return found;
  }

  std::string one(const char* sql) {
    auto found = rows(sql);
    return found.empty() || found[0].empty() ? "" : found[0][0];
  }

  std::string file;
  sqlite3* handle = nullptr;
};

namespace {

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

}  // namespace

RunFolder::RunFolder(const std::string& path, const std::string& command,
                     const RunSettings& settings, bool resume)
    : path_(path) {
  std::error_code trouble;
  std::filesystem::create_directories(path, trouble);
  if (!std::filesystem::is_directory(path))
    throw InputError("error: the folder " + path + " cannot be made" +
                     (trouble ? ": " + trouble.message() : ""));
  lock_ = open(file("lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (lock_ < 0)
    throw InputError("error: the folder " + path + " cannot be written: " + std::strerror(errno));
  if (!take_lock(lock_)) {
    close(lock_);
    throw InputError("error: another process works in " + path +
                     "\n  wait for it, or name another folder");
  }
  try {
    std::string state = file(command + ".sqlite");
    bool there = std::filesystem::exists(state) && std::filesystem::file_size(state) > 0;
    if (resume && !there) throw InputError("error: there is no run in " + path + " to go on with");
    database_ = std::make_unique<Database>(state, !there);
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
      db.run("PRAGMA journal_mode = WAL");
      return;
    }
    db.run("PRAGMA journal_mode = WAL");
    db.run("BEGIN IMMEDIATE");
    db.run(("PRAGMA application_id = " + std::to_string(application_id)).c_str());
    db.run(("PRAGMA user_version = " + std::to_string(format_version)).c_str());
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
    database_.reset();
    close(lock_);
    throw;
  }
}

RunFolder::~RunFolder() {
  database_.reset();
  close(lock_);
}

void RunFolder::put(const std::string& kind, std::int64_t number, std::string_view record) {
  Database& db = *database_;
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(db.handle, "INSERT OR REPLACE INTO pieces VALUES(?1, ?2, ?3)", -1,
                         &statement, nullptr) != SQLITE_OK)
    db.fail();
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> guard(statement, sqlite3_finalize);
  sqlite3_bind_text(statement, 1, kind.c_str(), -1, SQLITE_TRANSIENT);
  sqlite3_bind_int64(statement, 2, number);
  sqlite3_bind_blob64(statement, 3, record.data(), record.size(), SQLITE_TRANSIENT);
  if (sqlite3_step(statement) != SQLITE_DONE) db.fail();
}

std::vector<std::string> RunFolder::get(const std::string& kind) const {
  std::vector<std::string> records;
  for (auto& row :
       database_->rows("SELECT record FROM pieces WHERE kind = ?1 ORDER BY number", {kind}))
    records.push_back(std::move(row[0]));
  return records;
}

}  // namespace stiffit
