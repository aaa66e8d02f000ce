// The HTTP server with bounds on what one client can hold: a connection carries one request, which
// must arrive whole within a time and a size, however slowly its bytes come. One request per
// connection also means that no rest of a refused request is ever read as another one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>

namespace stiffit {

class BoundedServer : public httplib::Server {
 public:
  BoundedServer(double request_seconds, std::size_t largest_request);

  // After the port was taken: so many clients may knock at once before they are let in. The
  // library's own 5 are soon too few; the system drops what is beyond, or resets it in the end.
  void let_wait(int clients);
  // Of a server that took its port and never listened: the library gives it back only after that.
  void give_port_back();

 private:
  bool process_and_close_socket(socket_t socket) override;

  double request_seconds_;
  std::size_t largest_request_;
};

}  // namespace stiffit
