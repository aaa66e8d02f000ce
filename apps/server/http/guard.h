// Who may ask: requests of the page itself and nothing else. A page of another site that is open in
// the same browser can send requests here, and a name it owns can lead here (DNS rebinding); Host
// and Origin tell these apart, and a header of our own cannot be sent across sites unasked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stiffit::internal {

struct Refusal {
  int status = 403;
  std::string message;
};

// What the guard looks at; each header with all the values it was sent with.
struct RequestHead {
  std::string method, path;
  std::vector<std::string> host, origin, site, mark, token, cookie, type, length, coding, transfer;
  std::string token_parameter;  // ?token=, where a browser cannot send headers
};

class Guard {
 public:
  // `host` and `port` as the server listens; `token` empty: none is asked for.
  Guard(const std::string& host, int port, std::string token, std::size_t largest_body);
  // Nothing if the request may pass.
  std::optional<Refusal> check(const RequestHead& head) const;
  // Of the page itself, opened with the token in its address: what the browser is to keep instead.
  // Empty if the token is not there or wrong.
  std::string cookie_for(const RequestHead& head) const;

 private:
  bool known_host(std::string_view host) const;
  bool right_token(std::string_view token) const;
  bool has_token(const RequestHead& head) const;
  std::string cookie_name() const { return "stiffit-" + port_; }
  std::optional<Refusal> check_body(const RequestHead& head) const;

  std::vector<std::string> hosts_;  // with port; empty: any address (never a name), see `port_`
  std::string port_;
  bool any_address_ = false;
  std::string token_;
  std::size_t largest_body_;
};

}  // namespace stiffit::internal
