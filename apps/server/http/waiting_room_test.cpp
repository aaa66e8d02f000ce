// SPDX-License-Identifier: Apache-2.0
#include "server/http/waiting_room.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>

namespace stiffit::internal {
namespace {

TEST(RequestSize, IsKnownWhenTheHeadIsThere) {
  EXPECT_EQ(request_size(""), 0u);
  EXPECT_EQ(request_size("GET / HTTP/1.1\r\nHost: a\r\n"), 0u);
  const std::string get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
  EXPECT_EQ(request_size(get), get.size());
  const std::string post = "POST / HTTP/1.1\r\ncontent-LENGTH: \t12 \r\n\r\n";
  EXPECT_EQ(request_size(post + "{"), post.size() + 12);
  // What is no length is for the guard to refuse, and needs no body for that.
  for (const char* odd : {"-1", "1x", "", "99999999999999999999999", "18446744073709551615"}) {
    const std::string head = "POST / HTTP/1.1\r\nContent-Length: " + std::string(odd) + "\r\n\r\n";
    EXPECT_EQ(request_size(head), head.size()) << odd;
  }
  // The same whatever was searched before.
  for (std::size_t k = 0; k <= post.size(); ++k)
    if (request_size(post.substr(0, k)) == 0) {
      EXPECT_EQ(request_size(post, k), post.size() + 12) << k;
    }
  const std::string endless(100000, 'x');
  EXPECT_EQ(request_size(endless), endless.size());
}

// A room, its two ends of connections, and what it hands on.
class Room : public testing::Test {
 protected:
  int client() {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) throw std::runtime_error("no sockets");
    room.let_in(ends[0]);
    mine.push_back(ends[1]);
    return ends[1];
  }
  static void say(int socket, const std::string& bytes) {
    EXPECT_EQ(write(socket, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  std::vector<std::string> wait_for(std::size_t count) {
    std::unique_lock lock(mutex);
    heard.wait_for(lock, std::chrono::seconds(60), [&] { return requests.size() >= count; });
    return requests;
  }
  static bool closed(int socket) {
    char byte;
    return read(socket, &byte, 1) <= 0;
  }
  void TearDown() override {
    room.end();
    for (const int socket : mine) close(socket);
  }

  std::mutex mutex;
  std::condition_variable heard;
  std::vector<std::string> requests;
  std::vector<int> mine;
  WaitingRoom room{{3600, 1000, 2000, 3}, [this](int socket, std::string bytes) {
                     close(socket);
                     room.answered(bytes.size());
                     std::lock_guard lock(mutex);
                     requests.push_back(std::move(bytes));
                     heard.notify_all();
                   }};
};

TEST_F(Room, HandsOnWholeRequests) {
  const int slow = client(), quick = client();
  say(slow, "GET /slow HTTP/1.1\r\n");
  say(quick, "GET /quick HTTP/1.1\r\n\r\n");
  EXPECT_EQ(wait_for(1).front(), "GET /quick HTTP/1.1\r\n\r\n");
  say(slow, "\r");
  say(slow, "\n");
  EXPECT_EQ(wait_for(2).back(), "GET /slow HTTP/1.1\r\n\r\n");
}

TEST_F(Room, WhatEndsOrIsTooLongIsHandedOnAsItIs) {
  const int half = client();
  say(half, "GET /half");
  shutdown(half, SHUT_WR);
  EXPECT_EQ(wait_for(1).back(), "GET /half");
  const int large = client();
  const std::string head = "POST / HTTP/1.1\r\nContent-Length: 5000\r\n\r\n";
  say(large, head);
  EXPECT_EQ(wait_for(2).back(), head);
}

TEST_F(Room, TheFirstGivesWayWhenItIsFull) {
  std::vector<int> all;
  for (int i = 0; i < 4; ++i) all.push_back(client());
  EXPECT_TRUE(closed(all[0]));
  say(all[3], "GET /last HTTP/1.1\r\n\r\n");
  EXPECT_EQ(wait_for(1).front(), "GET /last HTTP/1.1\r\n\r\n");
}

TEST_F(Room, AsksForTheBodyThatIsWelcome) {
  const int polite = client();
  say(polite, "POST / HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  char answer[100] = {};
  ASSERT_GT(read(polite, answer, sizeof answer - 1), 0);
  EXPECT_TRUE(std::string(answer).starts_with("HTTP/1.1 100 "));
  say(polite, "{}");
  EXPECT_TRUE(wait_for(1).front().ends_with("\r\n\r\n{}"));
}

}  // namespace
}  // namespace stiffit::internal
