// A server on a free port with a folder of its own, and a client that speaks as the page does.
// For tests.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "server/http/json_fields.h"
#include "server/page_server.h"

namespace stiffit::internal {

class ServerTrial {
 public:
  explicit ServerTrial(const std::function<void(ServeOptions&)>& change = {}) {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "stiffit-serve-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("no scratch folder");
    folder = pattern;
    options.data = folder + "/data";
    options.limits.job_memory = 0;
    if (change) change(options);
    start();
  }
  ~ServerTrial() {
    stop();
    std::error_code code;
    std::filesystem::remove_all(folder, code);
  }
  void start() {
    server = std::make_unique<PageServer>(options);
    thread = std::thread([this] { server->run(); });
  }
  void stop() {
    if (!server) return;
    server->stop();
    thread.join();
    server.reset();
  }

  httplib::Headers headers() const {
    httplib::Headers h{{"X-Stiffit", "1"}};
    if (!options.token.empty()) h.emplace("X-Stiffit-Token", options.token);
    return h;
  }
  httplib::Client client() const {
    httplib::Client c("127.0.0.1", server->port());
    c.set_read_timeout(60);
    return c;
  }
  // The status, and the body as JSON (null if it is none).
  struct Answer {
    int status = 0;
    Json json;
    std::string body;
    httplib::Headers headers;
  };
  Answer post(const std::string& path, const Json& body) const {
    return read(client().Post(path, headers(), json_text(body), "application/json"));
  }
  Answer put(const std::string& path, const Json& body) const {
    return read(client().Put(path, headers(), json_text(body), "application/json"));
  }
  Answer get(const std::string& path) const { return read(client().Get(path, headers())); }
  Answer remove(const std::string& path) const { return read(client().Delete(path, headers())); }

  static Answer read(const httplib::Result& result) {
    if (!result) return {};
    return {result->status, Json::parse(result->body, nullptr, false), result->body,
            result->headers};
  }

  std::string folder;
  ServeOptions options;
  std::unique_ptr<PageServer> server;
  std::thread thread;
};

}  // namespace stiffit::internal
