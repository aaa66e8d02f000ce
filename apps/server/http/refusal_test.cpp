// Requests that are refused or broken, as bytes on a socket: the server says so and lives on.
// SPDX-License-Identifier: Apache-2.0
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/diagnostic.h"
#include "base/splitmix.h"
#include "server/http/server_trial.h"

namespace stiffit::internal {
namespace {

class RawClient {
 public:
  explicit RawClient(int port) : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
      throw std::runtime_error("cannot connect");
  }
  ~RawClient() { close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void send(const std::string& bytes) const {
    [[maybe_unused]] auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  void no_more() const { shutdown(socket_, SHUT_WR); }
  std::string answer() const {
    std::string text;
    char bytes[4096];
    for (;;) {
      pollfd ready{socket_, POLLIN, 0};
      if (poll(&ready, 1, 20000) <= 0) return text + "(no end)";
      const auto got = recv(socket_, bytes, sizeof bytes, 0);
      if (got <= 0) return text;
      text.append(bytes, static_cast<std::size_t>(got));
    }
  }

 private:
  int socket_;
};

int status_of(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
}

struct Raw {
  explicit Raw(const ServerTrial& trial)
      : port(trial.server->port()), host("Host: 127.0.0.1:" + std::to_string(port) + "\r\n") {}
  std::string say(const std::string& bytes) const {
    RawClient client(port);
    client.send(bytes);
    client.no_more();
    return client.answer();
  }
  int port;
  std::string host;
};

TEST(ServeRefusals, HostsSitesAndHeaders) {
  ServerTrial trial;
  const Raw raw(trial);
  auto get = [&](const std::string& head) {
    return status_of(raw.say("GET /api/library HTTP/1.1\r\n" + head + "\r\n"));
  };
  EXPECT_EQ(get(raw.host), 200);
  EXPECT_EQ(get(""), 421);
  EXPECT_EQ(get("Host: evil.example:" + std::to_string(raw.port) + "\r\n"), 421);
  EXPECT_EQ(get(raw.host + "Origin: http://evil.example\r\n"), 403);
  EXPECT_EQ(get(raw.host + "Sec-Fetch-Site: cross-site\r\n"), 403);
  auto post = [&](const std::string& head, const std::string& body) {
    return raw.say("POST /api/simulate HTTP/1.1\r\n" + raw.host + head +
                   "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  };
  const std::string json = "Content-Type: application/json\r\n", mark = "X-Stiffit: 1\r\n";
  EXPECT_EQ(status_of(post(json, "{}")), 403);
  EXPECT_EQ(status_of(post(mark, "{}")), 415);
  EXPECT_EQ(status_of(post(mark + "Content-Type: text/plain\r\n", "{}")), 415);
  EXPECT_EQ(status_of(post(mark + json, "{")), 400);
  EXPECT_EQ(status_of(post(mark + json, "[]")), 400);
  EXPECT_EQ(status_of(post(mark + json, "\xff\xfe")), 400);
  EXPECT_EQ(status_of(post(mark + json, std::string(100000, '['))), 400);
  EXPECT_EQ(status_of(post(mark + json + "Content-Encoding: gzip\r\n", "{}")), 415);
  EXPECT_EQ(status_of(post(mark + json + "Transfer-Encoding: chunked\r\n", "2\r\n{}\r\n0\r\n\r\n")),
            411);
}

// The rest of a refused request, made to look like one of the page, is not read as another.
TEST(ServeRefusals, NothingIsSmuggled) {
  ServerTrial trial;
  const Raw raw(trial);
  const std::string inner = "POST /api/work HTTP/1.1\r\n" + raw.host +
                            "X-Stiffit: 1\r\nContent-Type: application/json\r\nContent-Length: "
                            "15\r\n\r\n{\"document\":{}}";
  const std::string answer =
      raw.say("POST /api/work HTTP/1.1\r\n" + raw.host +
              "Content-Type: text/plain\r\nContent-Length: " + std::to_string(inner.size()) +
              "\r\n\r\n" + inner);
  EXPECT_EQ(status_of(answer), 403);
  EXPECT_EQ(answer.find("HTTP/1.1", 8), std::string::npos);
  EXPECT_EQ(trial.get("/api/work").json.size(), 0u);
}

TEST(ServeRefusals, EveryAnswerIsSafe) {
  ServerTrial trial;
  for (const char* path : {"/", "/api/library", "/nothing", "/api/jobs/nothing"}) {
    const auto answer = trial.get(path);
    EXPECT_EQ(answer.headers.find("X-Content-Type-Options")->second, "nosniff") << path;
    const std::string policy = answer.headers.find("Content-Security-Policy")->second;
    EXPECT_NE(policy.find("script-src 'self';"), std::string::npos);
    EXPECT_EQ(answer.headers.count("Access-Control-Allow-Origin"), 0u);
  }
  EXPECT_EQ(trial.get("/nothing").status, 404);
  EXPECT_EQ(trial.get("/../../etc/passwd").status, 404);
}

TEST(ServeRefusals, SizesAreBounded) {
  ServerTrial trial([](ServeOptions& o) { o.limits.body = 10000; });
  const Raw raw(trial);
  EXPECT_EQ(status_of(raw.say("POST /api/model HTTP/1.1\r\n" + raw.host +
                              "X-Stiffit: 1\r\nContent-Type: application/json\r\n"
                              "Content-Length: 10001\r\n\r\n")),
            413);
  EXPECT_NE(
      status_of(raw.say("GET /" + std::string(20000, 'a') + " HTTP/1.1\r\n" + raw.host + "\r\n")),
      200);
  EXPECT_EQ(
      status_of(raw.say("GET /" + std::string(1000, 'a') + " HTTP/1.1\r\n" + raw.host + "\r\n")),
      414);
  std::string many;
  for (int i = 0; i < 20000; ++i)
    many += "X-H" + std::to_string(i) + ": " + std::string(50, 'a') + "\r\n";
  EXPECT_NE(status_of(raw.say("GET / HTTP/1.1\r\n" + raw.host + many + "\r\n")), 200);
  EXPECT_NE(status_of(raw.say("GET / HTTP/1.1\r\n" + raw.host +
                              "Range: bytes=" + std::string(7000, '1') + "-\r\n\r\n")),
            0);
  EXPECT_EQ(trial.get("/api/library").status, 200);
}

// A server that is told to stop stops, however early: before it runs, or just as it begins to.
TEST(ServeRefusals, StopsBeforeItRuns) {
  ServerTrial trial;
  for (int i = 0; i < 20; ++i) {
    trial.stop();
    trial.start();
  }
  trial.stop();
  PageServer early(trial.options);
  early.stop();
  early.stop();
  early.run();  // and returns
  ServeOptions same = trial.options;
  same.port = early.port();
  EXPECT_NO_THROW(PageServer again(same));  // the port is free
  EXPECT_NO_THROW(PageServer again(same));  // though nobody stopped the last one
}

// Many who come at once are let in, also while the server has no time for them.
TEST(ServeRefusals, ManyMayWait) {
  ServerTrial trial;
  trial.stop();
  PageServer busy(trial.options);  // listens, but answers nobody yet
  std::vector<int> sockets;
  for (int i = 0; i < 100; ++i) {
    sockets.push_back(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(busy.port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    [[maybe_unused]] int begun =
        connect(sockets.back(), reinterpret_cast<sockaddr*>(&address), sizeof address);
  }
  // The system knocks again only after a second where the first time was in vain.
  int in = 0;
  for (const int s : sockets) {
    pollfd poll_on{s, POLLOUT, 0};
    in += poll(&poll_on, 1, in == 0 ? 500 : 0) > 0 && !(poll_on.revents & (POLLERR | POLLHUP));
    close(s);
  }
  EXPECT_EQ(in, 100);
}

// A byte now and then does not hold a connection for ever.
TEST(ServeRefusals, SlowClientsAreCutOff) {
  ServerTrial trial([](ServeOptions& o) { o.limits.request_seconds = 0.3; });
  RawClient client(trial.server->port());
  client.send("GET / HTTP/1.1\r\n");
  std::thread dripping([&] {
    for (int i = 0; i < 12; ++i) {
      client.send("X");
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  });
  EXPECT_NE(status_of(client.answer()), 200);
  dripping.join();
}

TEST(ServeRefusals, GarbageDoesNoHarm) {
  ServerTrial trial;
  const Raw raw(trial);
  SplitMix random(7);
  const std::string body = R"({"source":{"library":"escep"},"end":10})";
  const std::string good = "POST /api/simulate HTTP/1.1\r\n" + raw.host +
                           "X-Stiffit: 1\r\nContent-Type: application/json\r\nContent-Length: " +
                           std::to_string(body.size()) + "\r\n\r\n" + body;
  EXPECT_EQ(status_of(raw.say(good)), 200);
  for (int round = 0; round < 150; ++round) {
    std::string bytes = good;
    for (int change = 0; change < 1 + round % 4; ++change) {
      const std::size_t at = random.next() % bytes.size();
      switch (random.next() % 3) {
        case 0:
          bytes[at] = static_cast<char>(random.next());
          break;
        case 1:
          bytes.erase(at, 1 + random.next() % 10);
          break;
        default:
          bytes.insert(at, bytes.substr(random.next() % bytes.size(), 20));
      }
    }
    EXPECT_EQ(raw.say(bytes).find("(no end)"), std::string::npos) << bytes;
  }
  EXPECT_EQ(status_of(raw.say(good)), 200);
}

TEST(ServeRefusals, ATokenIsAskedFor) {
  ServerTrial trial([](ServeOptions& o) { o.token = "secret"; });
  EXPECT_EQ(trial.get("/api/library").status, 200);
  auto client = trial.client();
  EXPECT_EQ(client.Get("/api/library")->status, 401);
  EXPECT_EQ(client.Get("/api/library?token=secret")->status, 200);
  EXPECT_EQ(client.Get("/api/library?token=wrong")->status, 401);
  EXPECT_EQ(client.Get("/")->status, 200);
  EXPECT_TRUE(trial.server->address().ends_with("/?token=secret"));
}

// The printed address leads to the page and leaves a cookie, which is all that the page needs.
TEST(ServeRefusals, ThePrintedAddressSetsTheCookie) {
  ServerTrial trial([](ServeOptions& o) { o.token = "secret"; });
  auto client = trial.client();
  const auto opened = client.Get("/?token=secret");
  ASSERT_EQ(opened->status, 303);
  EXPECT_EQ(opened->get_header_value("Location"), "/");
  const std::string cookie = opened->get_header_value("Set-Cookie");
  EXPECT_NE(cookie.find("; HttpOnly"), std::string::npos);
  EXPECT_NE(cookie.find("; SameSite=Strict"), std::string::npos);
  const httplib::Headers kept{{"Cookie", cookie.substr(0, cookie.find(';'))}};
  EXPECT_EQ(client.Get("/", kept)->status, 200);
  EXPECT_EQ(client.Get("/api/library", kept)->status, 200);
  EXPECT_EQ(client.Get("/?token=wrong")->get_header_value("Set-Cookie"), "");
  EXPECT_EQ(client.Get("/api/library?token=secret")->get_header_value("Set-Cookie"), "");
}

// A second server on a port is refused, and says what to do; the first one goes on.
TEST(ServeRefusals, APortIsOneServersAlone) {
  ServerTrial trial;
  ServeOptions same = trial.options;
  same.data = trial.folder + "/other";
  same.port = trial.server->port();
  try {
    PageServer second(same);
    FAIL() << "two servers share port " << same.port;
  } catch (const InputError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("port " + std::to_string(same.port) + " of 127.0.0.1 is taken"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("--port"), std::string::npos) << text;
  }
  EXPECT_EQ(trial.get("/api/library").status, 200);
}

// Clients that hold their connection and say nothing, half of something, or all but the end: more
// of them than there are threads, none of which they get.
TEST(ServeRefusals, SilentClientsAreInNobodysWay) {
  ServerTrial trial;
  const Raw raw(trial);
  std::vector<std::unique_ptr<RawClient>> idle;
  for (int i = 0; i < 240; ++i) {
    idle.push_back(std::make_unique<RawClient>(raw.port));
    if (i % 3 == 1) idle.back()->send("GET /api/li");
    if (i % 3 == 2)
      idle.back()->send("POST /api/model HTTP/1.1\r\n" + raw.host +
                        "X-Stiffit: 1\r\nContent-Type: application/json\r\n"
                        "Content-Length: 100\r\n\r\n{");
  }
  EXPECT_EQ(status_of(raw.say("GET /api/library HTTP/1.1\r\n" + raw.host + "\r\n")), 200);
  // More than may wait: those that came first go, and who comes is still answered.
  for (int i = 0; i < 260; ++i) idle.push_back(std::make_unique<RawClient>(raw.port));
  EXPECT_EQ(status_of(raw.say("GET /api/library HTTP/1.1\r\n" + raw.host + "\r\n")), 200);
  EXPECT_EQ(idle.front()->answer(), "");
}

}  // namespace
}  // namespace stiffit::internal
