// A thin skin over an SQLite file: every failure is an InputError that names the file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace stiffit::internal {

class Database {
 public:
  // What the file is, for messages: "the state of a run".
  Database(const std::string& path, bool create, std::string what);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql);
  // Rows of a query with its parameters bound as text; columns as bytes.
  using Rows = std::vector<std::vector<std::string>>;
  Rows rows(const char* sql, const std::vector<std::string>& texts = {});
  // The first column of the first row; "" if there is none.
  std::string one(const char* sql, const std::vector<std::string>& texts = {});
  // INSERT INTO table VALUES(kind, number, record), the record as bytes. Stays prepared for the
  // next with the same words.
  void put(const char* sql, const std::string& kind, std::int64_t number, std::string_view record);
  long changed() const;  // rows that the last statement changed

 private:
  [[noreturn]] void fail() const;

  std::string file_, what_;
  sqlite3* handle_ = nullptr;
  sqlite3_stmt* put_ = nullptr;
  std::string put_sql_;
};

}  // namespace stiffit::internal
