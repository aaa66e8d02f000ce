// SPDX-License-Identifier: Apache-2.0
#include "server/http/guard.h"

#include <gtest/gtest.h>

namespace stiffit::internal {
namespace {

RequestHead good_get() {
  RequestHead head;
  head.method = "GET";
  head.path = "/api/library";
  head.host = {"127.0.0.1:8765"};
  return head;
}

RequestHead good_post() {
  RequestHead head = good_get();
  head.method = "POST";
  head.mark = {"1"};
  head.type = {"application/json"};
  head.length = {"2"};
  head.origin = {"http://127.0.0.1:8765"};
  return head;
}

int status(const Guard& guard, const RequestHead& head) {
  auto refusal = guard.check(head);
  return refusal ? refusal->status : 200;
}

TEST(Guard, LetsThePageIn) {
  const Guard guard("127.0.0.1", 8765, "", 1000);
  EXPECT_EQ(status(guard, good_get()), 200);
  EXPECT_EQ(status(guard, good_post()), 200);
  RequestHead head = good_get();
  for (const char* host : {"localhost:8765", "LOCALHOST:8765", "[::1]:8765"}) {
    head.host = {host};
    EXPECT_EQ(status(guard, head), 200) << host;
  }
}

TEST(Guard, RefusesOtherHosts) {
  const Guard guard("127.0.0.1", 8765, "", 1000);
  RequestHead head = good_get();
  for (const char* host : {"evil.example:8765", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:87650",
                           "127.0.0.1.evil.example:8765", "10.0.0.1:8765", ""}) {
    head.host = {host};
    EXPECT_EQ(status(guard, head), 421) << host;
  }
  head.host = {};
  EXPECT_EQ(status(guard, head), 421);
  head.host = {"127.0.0.1:8765", "127.0.0.1:8765"};
  EXPECT_EQ(status(guard, head), 421);
}

TEST(Guard, OnAllAddressesTakesAddressesButNoNames) {
  const Guard guard("0.0.0.0", 8765, "secret", 1000);
  RequestHead head = good_get();
  head.token = {"secret"};
  for (const char* host : {"10.0.0.1:8765", "[fe80::1]:8765", "localhost:8765"}) {
    head.host = {host};
    EXPECT_EQ(status(guard, head), 200) << host;
  }
  for (const char* host :
       {"evil.example:8765", "10.0.0.1:80", "[evil]:8765", "10.0.0.1.nip.io:8765"}) {
    head.host = {host};
    EXPECT_EQ(status(guard, head), 421) << host;
  }
}

TEST(Guard, RefusesOtherSites) {
  const Guard guard("127.0.0.1", 8765, "", 1000);
  for (const char* origin : {"http://evil.example", "null", "https://127.0.0.1:8765",
                             "http://127.0.0.1:80", "http://localhost:8765"}) {
    RequestHead head = good_post();
    head.origin = {origin};
    EXPECT_EQ(status(guard, head), 403) << origin;
  }
  RequestHead head = good_get();
  for (const char* site : {"cross-site", "same-site"}) {
    head.site = {site};
    EXPECT_EQ(status(guard, head), 403) << site;
  }
  head.site = {"same-origin"};
  EXPECT_EQ(status(guard, head), 200);
  head = good_post();
  head.mark = {};
  EXPECT_EQ(status(guard, head), 403);
}

TEST(Guard, AsksForTheToken) {
  const Guard guard("192.168.1.5", 8765, "secret", 1000);
  RequestHead head = good_get();
  head.host = {"192.168.1.5:8765"};
  EXPECT_EQ(status(guard, head), 401);
  for (const char* wrong : {"", "secre", "secret1", "Secret"}) {
    head.token = {wrong};
    EXPECT_EQ(status(guard, head), 401) << wrong;
  }
  head.token = {"secret"};
  EXPECT_EQ(status(guard, head), 200);
  head.token = {};
  head.token_parameter = "secret";
  EXPECT_EQ(status(guard, head), 200);
  head.token_parameter.clear();
  head.path = "/";  // the page itself is no secret
  EXPECT_EQ(status(guard, head), 200);
}

// The browser's cookie stands for the token; what is said on purpose counts before it.
TEST(Guard, TakesTheCookieOfItsOwnPort) {
  const Guard guard("127.0.0.1", 8765, "secret", 1000);
  RequestHead head = good_get();
  for (const char* wrong :
       {"stiffit-8765=secre", "stiffit-8765=", "stiffit-8766=secret", "xstiffit-8765=secret",
        "stiffit-8765", "a=stiffit-8765=secret", ";;"}) {
    head.cookie = {wrong};
    EXPECT_EQ(status(guard, head), 401) << wrong;
  }
  for (const char* right : {"stiffit-8765=secret", "a=b; stiffit-8765=secret; c=d",
                            "stiffit-8765=old; stiffit-8765=secret"}) {
    head.cookie = {right};
    EXPECT_EQ(status(guard, head), 200) << right;
  }
  head.token = {"wrong"};
  EXPECT_EQ(status(guard, head), 401);
  head.token = {};
  head.site = {
      "same-site"};  // another port of the same machine: the browser sends the cookie along
  EXPECT_EQ(status(guard, head), 403);
}

TEST(Guard, GivesTheCookieForTheTokenAlone) {
  RequestHead head = good_get();
  head.path = "/";
  const Guard guard("127.0.0.1", 8765, "secret", 1000);
  EXPECT_EQ(guard.cookie_for(head), "");
  head.token_parameter = "wrong";
  EXPECT_EQ(guard.cookie_for(head), "");
  head.token_parameter = "secret";
  EXPECT_EQ(guard.cookie_for(head), "stiffit-8765=secret; Path=/; HttpOnly; SameSite=Strict");
  EXPECT_EQ(Guard("127.0.0.1", 8765, "", 1000).cookie_for(head), "");
}

TEST(Guard, BoundsBodies) {
  const Guard guard("127.0.0.1", 8765, "", 1000);
  auto with = [&](auto change) {
    RequestHead head = good_post();
    change(head);
    return status(guard, head);
  };
  EXPECT_EQ(with([](auto& h) { h.length = {"1001"}; }), 413);
  EXPECT_EQ(with([](auto& h) { h.length = {}; }), 411);
  EXPECT_EQ(with([](auto& h) { h.length = {"-1"}; }), 411);
  EXPECT_EQ(with([](auto& h) { h.length = {"99999999999999999999999"}; }), 411);
  EXPECT_EQ(with([](auto& h) { h.length = {"2", "3"}; }), 411);
  EXPECT_EQ(with([](auto& h) { h.transfer = {"chunked"}; }), 411);
  EXPECT_EQ(with([](auto& h) { h.coding = {"gzip"}; }), 415);
  EXPECT_EQ(with([](auto& h) { h.type = {"text/plain"}; }), 415);
  EXPECT_EQ(with([](auto& h) { h.type = {}; }), 415);
  EXPECT_EQ(with([](auto& h) { h.method = "PATCH"; }), 405);
  EXPECT_EQ(with([](auto& h) { h.path = "/api/" + std::string(500, 'a'); }), 414);
  EXPECT_EQ(with([](auto& h) { h.method = "GET"; }), 400);  // a body where there is none
}

}  // namespace
}  // namespace stiffit::internal
