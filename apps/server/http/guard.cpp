// SPDX-License-Identifier: Apache-2.0
#include "server/http/guard.h"

#include <arpa/inet.h>

#include <algorithm>

#include "base/number.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t longest_path = 400;

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool is_address(const std::string& host) {
  unsigned char bytes[sizeof(in6_addr)];
  if (inet_pton(AF_INET, host.c_str(), bytes) == 1) return true;
  return host.size() > 2 && host.front() == '[' && host.back() == ']' &&
         inet_pton(AF_INET6, host.substr(1, host.size() - 2).c_str(), bytes) == 1;
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Guard::Guard(const std::string& host, int port, std::string token, std::size_t largest_body)
    : port_(std::to_string(port)), token_(std::move(token)), largest_body_(largest_body) {
  const std::string bare = lower(host.find(':') == std::string::npos ? host : "[" + host + "]");
  any_address_ = bare == "0.0.0.0" || bare == "[::]";
  for (const std::string& name :
       {bare, std::string("localhost"), std::string("127.0.0.1"), std::string("[::1]")})
    hosts_.push_back(name + ":" + port_);
}

bool Guard::known_host(std::string_view host) const {
  const std::string name = lower(host);
  if (std::find(hosts_.begin(), hosts_.end(), name) != hosts_.end()) return true;
  // On all addresses of the machine: any of them, but no name, which somebody else may own.
  return any_address_ && name.ends_with(":" + port_) &&
         is_address(name.substr(0, name.size() - port_.size() - 1));
}

bool Guard::right_token(std::string_view token) const {
  // The time it takes says nothing of where they differ.
  unsigned different = token.size() == token_.size() ? 0 : 1;
  for (std::size_t i = 0; i < token_.size(); ++i)
    different |= static_cast<unsigned>(static_cast<unsigned char>(token_[i]) ^
                                       static_cast<unsigned char>(i < token.size() ? token[i] : 0));
  return different == 0;
}

// One that is sent on purpose counts before one that the browser sends along.
bool Guard::has_token(const RequestHead& head) const {
  if (!head.token.empty()) return head.token.size() == 1 && right_token(head.token[0]);
  if (!head.token_parameter.empty()) return right_token(head.token_parameter);
  for (std::string_view list : head.cookie)
    while (!list.empty()) {
      const std::size_t end = std::min(list.find(';'), list.size());
      std::string_view pair = list.substr(0, end);
      list.remove_prefix(std::min(end + 1, list.size()));
      pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
      const std::string name = cookie_name() + "=";
      if (pair.starts_with(name) && right_token(pair.substr(name.size()))) return true;
    }
  return false;
}

std::string Guard::cookie_for(const RequestHead& head) const {
  if (token_.empty() || head.token_parameter.empty() || !right_token(head.token_parameter))
    return {};
  // Not for scripts, and not for requests that other sites make. Browsers keep cookies by host,
  // whatever the port, so that the name holds it.
  return cookie_name() + "=" + token_ + "; Path=/; HttpOnly; SameSite=Strict";
}

std::optional<Refusal> Guard::check_body(const RequestHead& head) const {
  if (!head.coding.empty()) return Refusal{415, "compressed requests are not read"};
  if (!head.transfer.empty()) return Refusal{411, "requests need a Content-Length"};
  const bool has_body = head.method == "POST" || head.method == "PUT";
  if (!has_body) {
    for (const std::string& length : head.length)
      if (length != "0") return Refusal{400, "a " + head.method + " request has no body"};
    return {};
  }
  if (head.length.size() != 1 || !all_digits(head.length[0]))
    return Refusal{411, "requests need a Content-Length"};
  if (std::stoull(head.length[0]) > largest_body_)
    return Refusal{413, "the request is larger than " + std::to_string(largest_body_ >> 20) +
                            " MB, which is the limit"};
  if (head.length[0] == "0") return {};
  if (head.type.size() != 1 || !lower(head.type[0]).starts_with("application/json"))
    return Refusal{415, "requests are application/json"};
  return {};
}

std::optional<Refusal> Guard::check(const RequestHead& head) const {
  if (head.path.size() > longest_path) return Refusal{414, "the address is too long"};
  if (head.host.size() != 1 || !known_host(head.host[0]))
    return Refusal{421, "this server does not answer for that host"};
  if (head.method != "GET" && head.method != "HEAD" && head.method != "POST" &&
      head.method != "PUT" && head.method != "DELETE")
    return Refusal{405, "that method is not known"};
  for (const std::string& origin : head.origin)
    if (lower(origin) != "http://" + lower(head.host[0]))
      return Refusal{403, "requests of other sites are refused"};
  const bool api = head.path.starts_with("/api/");
  for (const std::string& site : head.site)
    if (api && site != "same-origin" && site != "none")
      return Refusal{403, "requests of other sites are refused"};
  const bool changes = head.method != "GET" && head.method != "HEAD";
  if (changes && head.mark != std::vector<std::string>{"1"})
    return Refusal{403, "the header X-Stiffit is missing"};
  if (api && !token_.empty() && !has_token(head))
    return Refusal{401,
                   "the token is missing or wrong; open the address that the "
                   "server printed when it started"};
  return check_body(head);
}

}  // namespace stiffit::internal
