// SPDX-License-Identifier: Apache-2.0
#include "server/http/waiting_room.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <system_error>

namespace stiffit::internal {
namespace {

constexpr std::string_view end_of_head = "\r\n\r\n";
constexpr std::size_t longest_head = 1u << 16;

bool same_letters(std::string_view a, std::string_view lower) {
  return std::equal(a.begin(), a.end(), lower.begin(), lower.end(), [](char x, char y) {
    return (x >= 'A' && x <= 'Z' ? static_cast<char>(x - 'A' + 'a') : x) == y;
  });
}

// The first value of a header; whether it is there once, the guard looks.
std::string_view header(std::string_view head, std::string_view name) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    if (line.size() <= name.size() || line[name.size()] != ':' ||
        !same_letters(line.substr(0, name.size()), name))
      continue;
    line.remove_prefix(name.size() + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line.substr(0, line.find_last_not_of(" \t") + 1);
  }
  return {};
}

}  // namespace

std::size_t request_size(std::string_view bytes, std::size_t searched) {
  const std::size_t from = searched < end_of_head.size() ? 0 : searched - end_of_head.size();
  const std::size_t end = bytes.find(end_of_head, from);
  // A head that does not end is as good as one that is too long.
  if (end == std::string_view::npos) return bytes.size() > longest_head ? bytes.size() : 0;
  const std::size_t head = end + end_of_head.size();
  const std::string_view length = header(bytes.substr(0, end), "content-length");
  std::size_t body = 0;
  const auto [last, wrong] = std::from_chars(length.data(), length.data() + length.size(), body);
  if (wrong != std::errc() || last != length.data() + length.size() || body > SIZE_MAX - head)
    return head;
  return head + body;
}

WaitingRoom::WaitingRoom(const WaitingLimits& limits, HandOn hand_on)
    : limits_(limits), hand_on_(std::move(hand_on)), bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (bell_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  thread_ = std::thread([this] { listen(); });
}

void WaitingRoom::end() {
  {
    std::lock_guard lock(door_);
    if (ending_) return;
    ending_ = true;
  }
  wake();
  thread_.join();
  for (const int socket : outside_) close(socket);
  for (Client& client : clients_) close(client.socket);
  close(bell_);
}

void WaitingRoom::wake() const {
  const std::uint64_t one = 1;
  [[maybe_unused]] auto rung = write(bell_, &one, sizeof one);
}

void WaitingRoom::let_in(int socket) {
  {
    std::lock_guard lock(door_);
    outside_.push_back(socket);
  }
  wake();
}

void WaitingRoom::take_in() {
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(limits_.seconds));
  std::lock_guard lock(door_);
  for (const int socket : outside_) clients_.push_back({socket, until, {}});
  outside_.clear();
}

void WaitingRoom::send_away(Client& client) {
  held_ -= client.bytes.size();
  close(client.socket);
  client.gone = true;
}

void WaitingRoom::hand_on(Client& client) {
  hand_on_(client.socket, std::move(client.bytes));
  client.gone = true;
}

void WaitingRoom::hear(Client& client) {
  char bytes[16384];
  const ssize_t got = recv(client.socket, bytes, sizeof bytes, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) return client.bytes.empty() ? send_away(client) : hand_on(client);
  const std::size_t searched = client.bytes.size();
  client.bytes.append(bytes, static_cast<std::size_t>(got));
  held_ += static_cast<std::size_t>(got);
  if (client.size == 0) {
    client.size = request_size(client.bytes, searched);
    // Clients that ask beforehand whether their body is welcome send nothing until they hear so.
    const std::string_view all = client.bytes;
    if (client.size > all.size() && client.size <= limits_.request &&
        same_letters(header(all.substr(0, all.find(end_of_head)), "expect"), "100-continue")) {
      constexpr std::string_view welcome = "HTTP/1.1 100 Continue\r\n\r\n";
      send(client.socket, welcome.data(), welcome.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
  }
  // What is longer than allowed is refused by its head alone.
  const bool whole = client.size > 0 && client.bytes.size() >= client.size;
  if (whole || client.size > limits_.request || client.bytes.size() >= limits_.request)
    hand_on(client);
}

// Those who came first have had the most time.
void WaitingRoom::make_room() {
  while (clients_.size() > limits_.clients) {
    send_away(clients_.front());
    clients_.pop_front();
  }
  while (held_ > limits_.all_bytes && !clients_.empty()) {
    auto largest = std::max_element(clients_.begin(), clients_.end(), [](auto& a, auto& b) {
      return a.bytes.size() < b.bytes.size();
    });
    if (largest->bytes.empty()) break;  // the others are being answered
    send_away(*largest);
    clients_.erase(largest);
  }
}

void WaitingRoom::listen() {
  std::vector<pollfd> open;
  for (;;) {
    {
      std::lock_guard lock(door_);
      if (ending_) return;
    }
    open.assign(1, {bell_, POLLIN, 0});
    for (const Client& client : clients_) open.push_back({client.socket, POLLIN, 0});
    int patience = -1;
    if (!clients_.empty()) {  // the first is the first whose time is up
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          clients_.front().until - Clock::now());
      patience = static_cast<int>(std::clamp<long>(left.count() + 1, 0, 60000));
    }
    poll(open.data(), static_cast<nfds_t>(open.size()), patience);
    std::size_t at = 1;
    for (Client& client : clients_)
      if (open[at++].revents != 0) hear(client);
    const auto now = Clock::now();
    for (Client& client : clients_) {
      if (client.until > now) break;
      if (client.gone) continue;
      if (client.bytes.empty())
        send_away(client);
      else
        hand_on(client);
    }
    clients_.remove_if([](const Client& client) { return client.gone; });
    if (open[0].revents != 0) {
      std::uint64_t rings;
      [[maybe_unused]] auto got = ::read(bell_, &rings, sizeof rings);
      take_in();
    }
    make_room();
  }
}

}  // namespace stiffit::internal
