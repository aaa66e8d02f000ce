// Where clients wait until their request has arrived whole: one thread listens to all of them, so
// that those who say nothing, or speak slowly, keep nobody from answering the others. When too many
// wait, the one that came first gives way.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace stiffit::internal {

struct WaitingLimits {
  double seconds = 20;                 // for a request to arrive
  std::size_t request = 32u << 20;     // bytes of one; what is longer is handed on cut
  std::size_t all_bytes = 256u << 20;  // of all requests that wait
  std::size_t clients = 400;           // that wait at the same time
};

// How many bytes the request has that begins with these; 0: its head has not arrived. `searched`
// bytes are known to hold no end of the head.
std::size_t request_size(std::string_view bytes, std::size_t searched = 0);

class WaitingRoom {
 public:
  // Takes the socket over; is called on the thread of the room and must not wait. The bytes are
  // those of a whole request, or all that has come when its time was up.
  using HandOn = std::function<void(int socket, std::string bytes)>;
  WaitingRoom(const WaitingLimits& limits, HandOn hand_on);
  ~WaitingRoom() { end(); }
  WaitingRoom(const WaitingRoom&) = delete;
  WaitingRoom& operator=(const WaitingRoom&) = delete;

  void let_in(int socket);                              // and takes it over
  void end();                                           // sends away whoever waits; once or more
  void answered(std::size_t bytes) { held_ -= bytes; }  // a request that was handed on is gone

 private:
  using Clock = std::chrono::steady_clock;
  struct Client {
    int socket = -1;
    Clock::time_point until;
    std::string bytes;
    std::size_t size = 0;  // of the whole request, once its head is there
    bool gone = false;
  };

  void listen();
  void take_in();
  void hear(Client& client);
  void hand_on(Client& client);
  void send_away(Client& client);
  void make_room();
  void wake() const;

  WaitingLimits limits_;
  HandOn hand_on_;
  int bell_;
  std::mutex door_;
  std::vector<int> outside_;
  bool ending_ = false;
  std::list<Client> clients_;  // in the order they came
  std::atomic<std::size_t> held_{0};
  std::thread thread_;
};

}  // namespace stiffit::internal
