// SPDX-License-Identifier: Apache-2.0
#include "server/http/bounded_server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace stiffit::internal {
namespace {

using Clock = std::chrono::steady_clock;

std::pair<std::string, int> address_of(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    return {text, ntohs(v4.sin_port)};
  }
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    return {text, ntohs(v6.sin6_port)};
  }
  return {"", 0};
}

// A request that has arrived, and the socket for its answer, whose every write must get on within a
// time.
class BoundedStream final : public httplib::Stream {
 public:
  BoundedStream(socket_t socket, double seconds, std::string_view request)
      : socket_(socket), seconds_(seconds), rest_(request) {}

  bool is_readable() const override { return !rest_.empty(); }
  // For event streams, too: false once the other side has gone.
  bool is_writable() const override { return wait(POLLOUT, after(seconds_)) && !closed(); }

  ssize_t read(char* to, std::size_t size) override {
    if (rest_.empty()) return -1;
    const std::size_t count = rest_.copy(to, size);
    rest_.remove_prefix(count);
    return static_cast<ssize_t>(count);
  }
  ssize_t write(const char* from, std::size_t size) override {
    if (!wait(POLLOUT, after(seconds_))) return -1;
    return send(socket_, from, size, MSG_NOSIGNAL);
  }
  void get_remote_ip_and_port(std::string& ip, int& port) const override {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    std::tie(ip, port) = address_of(address);
  }
  void get_local_ip_and_port(std::string& ip, int& port) const override {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    std::tie(ip, port) = address_of(address);
  }
  socket_t socket() const override { return socket_; }

 private:
  static Clock::time_point after(double seconds) {
    return Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  }

  bool wait(short events, Clock::time_point until) const {
    for (;;) {
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
      if (left <= 0) return false;
      pollfd poll_on{socket_, events, 0};
      const int ready = poll(&poll_on, 1, static_cast<int>(std::min<long>(left, 60000)));
      if (ready > 0) return (poll_on.revents & (events | POLLHUP)) != 0;
      if (ready < 0 && errno != EINTR) return false;
    }
  }
  bool closed() const {
    char byte;
    return recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }

  socket_t socket_;
  double seconds_;
  std::string_view rest_;
};

// The rest of what a client sends, for a moment: closing on unread bytes would reset the connection
// and could take the answer with it.
void drain(socket_t socket) {
  shutdown(socket, SHUT_WR);
  char bytes[4096];
  const auto until = Clock::now() + std::chrono::milliseconds(200);
  while (Clock::now() < until) {
    pollfd poll_on{socket, POLLIN, 0};
    if (poll(&poll_on, 1, 50) > 0 && recv(socket, bytes, sizeof bytes, MSG_DONTWAIT) <= 0) break;
  }
}

}  // namespace

// What the library hands its connections to: they wait in the room, and then for a thread.
class BoundedServer::Reception final : public httplib::TaskQueue {
 public:
  Reception(BoundedServer& server, std::size_t threads)
      : server_(server),
        threads_(threads),
        room_(server.waiting_, [this](int socket, std::string bytes) {
          // What a function holds must be copied.
          auto request = std::make_shared<const std::string>(std::move(bytes));
          threads_.enqueue([this, socket, request] {
            server_.answer(socket, *request);
            room_.answered(request->size());
          });
        }) {
    server_.reception_ = this;
  }
  void enqueue(std::function<void()> connection) override { connection(); }
  void shutdown() override {
    room_.end();
    threads_.shutdown();
  }
  void let_in(socket_t socket) { room_.let_in(socket); }

 private:
  BoundedServer& server_;
  httplib::ThreadPool threads_;
  WaitingRoom room_;
};

BoundedServer::BoundedServer(double request_seconds, std::size_t largest_request,
                             std::size_t threads)
    : request_seconds_(request_seconds) {
  waiting_.seconds = request_seconds;
  waiting_.request = largest_request;
  waiting_.all_bytes = 8 * largest_request;
  new_task_queue = [this, threads] { return new Reception(*this, threads); };
  // The port is one server's alone. The library would let others share it, and then every request
  // goes to either; what is kept by one seems lost in the other.
  set_socket_options([](socket_t socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
}

void BoundedServer::let_wait(int clients) { ::listen(svr_sock_, clients); }

void BoundedServer::give_port_back() {
  if (const socket_t socket = svr_sock_.exchange(INVALID_SOCKET); socket != INVALID_SOCKET)
    close(socket);
}

bool BoundedServer::process_and_close_socket(socket_t socket) {
  reception_->let_in(socket);
  return true;
}

void BoundedServer::answer(socket_t socket, const std::string& bytes) {
  BoundedStream stream(socket, request_seconds_, bytes);
  bool closed = false;
  process_request(stream, true, closed, [](httplib::Request& request) {
    // Compressing takes longer than sending to the same machine.
    request.headers.erase("Accept-Encoding");
  });
  drain(socket);
  close(socket);
}

}  // namespace stiffit::internal
