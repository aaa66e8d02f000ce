// Messages between the processes of one run. One thread of each process calls it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stiffit::internal {

struct Message {
  int from = 0;
  std::string bytes;
};

class Channel {
 public:
  virtual ~Channel() = default;
  virtual int rank() const = 0;  // 0: the coordinator
  virtual int size() const = 0;
  // Does not wait for the other side. Messages of one sender arrive in their order.
  virtual void send(int to, std::string_view bytes) = 0;
  // What has come in; does not wait.
  virtual std::optional<Message> receive() = 0;
  // No more messages will follow; `whole`: all others are there to end together.
  virtual void close(bool whole) = 0;
};

}  // namespace stiffit::internal
