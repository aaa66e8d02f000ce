// The server of the page: every route, on threads of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "server/serve_options.h"

namespace stiffit::internal {

class PageServer {
 public:
  // Takes the port and opens what is kept. Throws InputError if it cannot.
  explicit PageServer(const ServeOptions& options);
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  int port() const;
  std::string address() const;  // to be opened in a browser, with the token if there is one
  // Answers requests until stop() is called from another thread; at once done if it has been. Once
  // only: a server that has ended has no port any more.
  void run();
  void stop();  // at any time, before run() too

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace stiffit::internal
