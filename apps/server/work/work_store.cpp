// SPDX-License-Identifier: Apache-2.0
#include "server/work/work_store.h"

#include <sys/random.h>

#include <ctime>
#include <filesystem>

#include "base/diagnostic.h"
#include "server/http/request_error.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t most_works = 5000;
constexpr std::size_t longest_title = 500;

constexpr const char* what = "the work kept by the server";

RequestError gone() { return {404, "there is no such work; it may have been deleted"}; }

std::string title_of(const Json& request) {
  std::string title = text_field(request, "title");
  if (title.empty()) title = text_field(object_field(request, "document"), "title");
  if (title.size() > longest_title) throw RequestError(400, "the title is too long");
  return title;
}

std::string document_of(const Json& request) {
  auto found = request.find("document");
  if (found == request.end() || !found->is_object())
    throw RequestError(400, "field 'document' must be an object");
  return json_text(*found);
}

}  // namespace

std::string server_database(const std::string& folder) {
  std::error_code trouble;
  std::filesystem::create_directories(folder, trouble);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all, trouble);
  if (!std::filesystem::is_directory(folder))
    throw InputError("error: the folder " + folder + " cannot be made" +
                     (trouble ? ": " + trouble.message() : ""));
  const std::string file = folder + "/stiffit.sqlite";
  Database db(file, true, what);
  db.run("PRAGMA journal_mode = WAL");
  db.run(
      "CREATE TABLE IF NOT EXISTS works(id TEXT PRIMARY KEY, title TEXT NOT NULL, document TEXT "
      "NOT NULL, revision INTEGER NOT NULL, changed TEXT NOT NULL)");
  db.run(
      "CREATE TABLE IF NOT EXISTS jobs(number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT UNIQUE "
      "NOT NULL, kind TEXT NOT NULL, title TEXT NOT NULL, work TEXT NOT NULL, state TEXT NOT NULL, "
      "created TEXT NOT NULL, message TEXT NOT NULL, words TEXT NOT NULL, seconds REAL NOT NULL)");
  return file;
}

std::string random_id() {
  constexpr char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
  unsigned char bytes[16];
  if (getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes))
    throw InputError("error: the system gives no random numbers");
  std::string id;
  for (unsigned char b : bytes) id += letters[b & 31u];
  return id;
}

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, length};
}

WorkStore::WorkStore(const std::string& folder) : database_(server_database(folder), false, what) {
  database_.run("PRAGMA synchronous = FULL");
}

Json WorkStore::list() {
  std::lock_guard lock(mutex_);
  Json list = Json::array();
  for (auto& row :
       database_.rows("SELECT id, title, revision, changed FROM works ORDER BY changed DESC, id"))
    list.push_back(
        {{"id", row[0]}, {"title", row[1]}, {"revision", std::stol(row[2])}, {"changed", row[3]}});
  return list;
}

Json WorkStore::create(const Json& request) {
  const std::string title = title_of(request), document = document_of(request);
  const std::string id = random_id(), now = now_text();
  std::lock_guard lock(mutex_);
  if (std::stoul(database_.one("SELECT count(*) FROM works")) >= most_works)
    throw RequestError(507, "there is too much work kept; delete some first");
  database_.rows("INSERT INTO works VALUES(?1, ?2, ?3, 1, ?4)", {id, title, document, now});
  return {{"id", id}, {"revision", 1}, {"changed", now}};
}

Json WorkStore::get(const std::string& id) {
  std::lock_guard lock(mutex_);
  const auto rows =
      database_.rows("SELECT title, document, revision, changed FROM works WHERE id = ?1", {id});
  if (rows.empty()) throw gone();
  const auto& row = rows[0];
  return {{"id", id},
          {"title", row[0]},
          {"document", Json::parse(row[1])},
          {"revision", std::stol(row[2])},
          {"changed", row[3]}};
}

Json WorkStore::change(const std::string& id, const Json& request) {
  const std::string title = title_of(request), document = document_of(request);
  const long revision = count_field(request, "revision", 0, 0, 1L << 52);
  const std::string now = now_text();
  std::lock_guard lock(mutex_);
  database_.rows(
      "UPDATE works SET title = ?2, document = ?3, revision = revision + 1, changed = ?4 "
      "WHERE id = ?1 AND revision = CAST(?5 AS INTEGER)",
      {id, title, document, now, std::to_string(revision)});
  if (database_.changed() == 1) return {{"revision", revision + 1}, {"changed", now}};
  const std::string present = database_.one("SELECT revision FROM works WHERE id = ?1", {id});
  if (present.empty()) throw gone();
  throw WorkConflict(std::stol(present));
}

void WorkStore::remove(const std::string& id) {
  std::lock_guard lock(mutex_);
  database_.rows("DELETE FROM works WHERE id = ?1", {id});
  if (database_.changed() == 0) throw gone();
}

}  // namespace stiffit::internal
