// The HTTP server with bounds on what one client can hold: a connection carries one request, which
// must arrive whole within a time and a size, however slowly its bytes come, before a thread is
// spent on it. One request per connection also means that no rest of a refused request is ever read
// as another one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>

#include <memory>

#include "server/http/waiting_room.h"

namespace stiffit::internal {

class BoundedServer : public httplib::Server {
 public:
  // `threads`: requests that are answered at the same time.
  BoundedServer(double request_seconds, std::size_t largest_request, std::size_t threads);

  // After the port was taken: so many clients may knock at once before they are let in. The
  // library's own 5 are soon too few; the system drops what is beyond, or resets it in the end.
  void let_wait(int clients);
  // Of a server that took its port and never listened: the library gives it back only after that.
  void give_port_back();

 private:
  class Reception;
  bool process_and_close_socket(socket_t socket) override;
  void answer(socket_t socket, const std::string& bytes);

  double request_seconds_;
  WaitingLimits waiting_;
  Reception* reception_ = nullptr;  // while it listens
};

}  // namespace stiffit::internal
