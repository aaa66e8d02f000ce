// SPDX-License-Identifier: Apache-2.0
#include "runtime/checkpoint/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "base/diagnostic.h"

namespace stiffit::internal {
namespace {

// Whether files beside this one can be locked. Not this one itself: closing it would take back the
// locks of another connection.
bool has_locks(const std::string& path) {
  std::string trial = path + ".XXXXXX";
  const int file = mkostemp(trial.data(), O_CLOEXEC);
  if (file < 0) return true;  // something else is wrong, and will be said
  unlink(trial.c_str());
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  const bool works = fcntl(file, F_SETLK, &lock) == 0;
  close(file);
  return works;
}

using Statement = std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)>;

}  // namespace

Database::Database(const std::string& path, bool create, std::string what)
    : file_(path), what_(std::move(what)) {
  const int flags = SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
  // A file system without locks: SQLite makes folders instead. Whoever opens a database has the
  // lock of its folder, so that one that is left is of a process that was killed.
  const char* way = nullptr;
  if (!has_locks(file_)) {
    way = "unix-dotfile";
    rmdir((file_ + ".lock").c_str());
  }
  if (sqlite3_open_v2(file_.c_str(), &handle_, flags, way) != SQLITE_OK) {
    const std::string why = handle_ ? sqlite3_errmsg(handle_) : "out of memory";
    sqlite3_close(handle_);
    throw InputError("error: " + what_ + ", " + file_ + ", cannot be opened: " + why);
  }
  sqlite3_extended_result_codes(handle_, 1);
  sqlite3_busy_timeout(handle_, 5000);
}

Database::~Database() {
  sqlite3_finalize(put_);
  sqlite3_close(handle_);
}

void Database::fail() const {
  const int code = sqlite3_errcode(handle_) & 0xff;
  const std::string why = sqlite3_errmsg(handle_);
  if (code == SQLITE_NOTADB)
    throw InputError("error: " + file_ + " is not " + what_ + ": it is no database\n" +
                     "  name another folder, or remove that file");
  if (code == SQLITE_CORRUPT)
    throw InputError("error: " + file_ + ", " + what_ + ", is damaged: " + why +
                     "\n  it cannot be used any more; name another folder");
  if (code == SQLITE_FULL)
    throw InputError("error: " + file_ + ": the disk is full\n" +
                     "  what was finished is kept: make room, and go on from there");
  throw InputError("error: " + file_ + ": " + why);
}

void Database::run(const std::string& sql) {
  if (sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

Database::Rows Database::rows(const char* sql, const std::vector<std::string>& texts) {
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(handle_, sql, -1, &prepared, nullptr) != SQLITE_OK) fail();
  const Statement statement(prepared, sqlite3_finalize);
  for (std::size_t i = 0; i < texts.size(); ++i)
    sqlite3_bind_text(prepared, static_cast<int>(i) + 1, texts[i].data(),
                      static_cast<int>(texts[i].size()), SQLITE_TRANSIENT);
  Rows found;
  int code;
  while ((code = sqlite3_step(prepared)) == SQLITE_ROW) {
    std::vector<std::string> row;
    for (int c = 0; c < sqlite3_column_count(prepared); ++c) {
      auto* bytes = static_cast<const char*>(sqlite3_column_blob(prepared, c));
      std::size_t size = sqlite3_column_bytes(prepared, c);
      row.emplace_back(bytes ? std::string(bytes, size) : std::string());
    }
    found.push_back(std::move(row));
  }
  if (code != SQLITE_DONE) fail();
  return found;
}

std::string Database::one(const char* sql, const std::vector<std::string>& texts) {
  const Rows found = rows(sql, texts);
  return found.empty() || found[0].empty() ? "" : found[0][0];
}

void Database::put(const char* sql, const std::string& kind, std::int64_t number,
                   std::string_view record) {
  if (put_sql_ != sql) {
    sqlite3_finalize(put_);
    put_ = nullptr;
    put_sql_.clear();
    if (sqlite3_prepare_v2(handle_, sql, -1, &put_, nullptr) != SQLITE_OK) fail();
    put_sql_ = sql;
  }
  sqlite3_bind_text(put_, 1, kind.data(), static_cast<int>(kind.size()), SQLITE_STATIC);
  sqlite3_bind_int64(put_, 2, number);
  sqlite3_bind_blob64(put_, 3, record.data(), record.size(), SQLITE_STATIC);
  const int code = sqlite3_step(put_);
  sqlite3_reset(put_);  // says the same code again, and so do the messages
  sqlite3_clear_bindings(put_);
  if (code != SQLITE_DONE) fail();
}

long Database::changed() const { return sqlite3_changes(handle_); }

}  // namespace stiffit::internal
