// What people have on the page: one document for each piece of work, kept on every change in a
// database that survives a kill. A change names the revision it was made on; where another tab was
// quicker it is refused.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

#include "runtime/checkpoint/database.h"
#include "server/http/json_fields.h"
#include "server/http/request_error.h"

namespace stiffit::internal {

// The work was changed by another tab since; `revision` is the newest.
class WorkConflict : public RequestError {
 public:
  explicit WorkConflict(long newest)
      : RequestError(409, "another tab has changed this work since",
                     "load the newest, or keep yours as a copy"),
        revision(newest) {}
  long revision;
};

class WorkStore {
 public:
  explicit WorkStore(const std::string& folder);

  Json list();
  Json create(const Json& request);  // {"document", "title"}
  Json get(const std::string& id);
  Json change(const std::string& id,
              const Json& request);  // and "revision"; WorkConflict if it is old
  void remove(const std::string& id);

 private:
  std::mutex mutex_;
  Database database_;
};

// The file of the server in its folder, opened and brought to the present form. All that it says
// is on the disk when a statement returns.
std::string server_database(const std::string& folder);

// 16 letters and digits that nobody guesses.
std::string random_id();
// UTC, as 2024-05-06T07:08:09Z.
std::string now_text();

}  // namespace stiffit::internal
