// SPDX-License-Identifier: Apache-2.0
#include "serve/bounded_server.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>

namespace stiffit {
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

// A socket whose reads end at one deadline for the whole request, and whose every write must get
// on within the same time.
class BoundedStream final : public httplib::Stream {
 public:
  BoundedStream(socket_t socket, double seconds, std::size_t bytes)
      : socket_(socket), seconds_(seconds), bytes_left_(bytes), deadline_(after(seconds)) {}

  bool is_readable() const override { return wait(POLLIN, deadline_); }
  // For event streams, too: false once the other side has gone.
  bool is_writable() const override { return wait(POLLOUT, after(seconds_)) && !closed(); }

  ssize_t read(char* to, std::size_t size) override {
    if (begin_ == end_ && !fill()) return -1;
    const std::size_t count = std::min(size, end_ - begin_);
    std::copy(buffer_ + begin_, buffer_ + begin_ + count, to);
    begin_ += count;
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
  bool fill() {
    if (bytes_left_ == 0 || !wait(POLLIN, deadline_)) return false;
    const ssize_t got = recv(socket_, buffer_, std::min(sizeof buffer_, bytes_left_), 0);
    if (got <= 0) return false;
    begin_ = 0;
    end_ = static_cast<std::size_t>(got);
    bytes_left_ -= end_;
    return true;
  }

  socket_t socket_;
  double seconds_;
  std::size_t bytes_left_;
  Clock::time_point deadline_;
  char buffer_[16384];
  std::size_t begin_ = 0, end_ = 0;
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

BoundedServer::BoundedServer(double request_seconds, std::size_t largest_request)
    : request_seconds_(request_seconds), largest_request_(largest_request) {}

void BoundedServer::let_wait(int clients) { ::listen(svr_sock_, clients); }

void BoundedServer::give_port_back() {
  if (const socket_t socket = svr_sock_.exchange(INVALID_SOCKET); socket != INVALID_SOCKET)
    close(socket);
}

bool BoundedServer::process_and_close_socket(socket_t socket) {
  BoundedStream stream(socket, request_seconds_, largest_request_);
  bool closed = false, answered = false;
  if (stream.is_readable())
    answered = process_request(stream, true, closed, [](httplib::Request& request) {
      // Compressing takes longer than sending to the same machine.
      request.headers.erase("Accept-Encoding");
    });
  drain(socket);
  close(socket);
  return answered;
}

}  // namespace stiffit
