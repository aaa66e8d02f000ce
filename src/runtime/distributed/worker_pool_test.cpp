// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/worker_pool.h"

#include <gtest/gtest.h>

#include <deque>
#include <mutex>
#include <set>
#include <thread>

namespace stiffit::internal {
namespace {

// Processes played by threads: a box of messages for each.
struct Post {
  explicit Post(int size) : boxes(size) {}
  std::mutex mutex;
  std::vector<std::deque<Message>> boxes;
};

class PostChannel : public Channel {
 public:
  PostChannel(Post& post, int rank) : post_(post), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(post_.boxes.size()); }
  void send(int to, std::string_view bytes) override {
    std::lock_guard lock(post_.mutex);
    post_.boxes[to].push_back({rank_, std::string(bytes)});
  }
  std::optional<Message> receive() override {
    std::lock_guard lock(post_.mutex);
    auto& box = post_.boxes[rank_];
    if (box.empty()) return std::nullopt;
    Message message = std::move(box.front());
    box.pop_front();
    return message;
  }
  void close(bool) override {}

 private:
  Post& post_;
  int rank_;
};

class Helpers {
 public:
  Helpers(Post& post, const std::map<std::string, WorkerTask>& works, int threads) {
    for (int rank = 1; rank < static_cast<int>(post.boxes.size()); ++rank)
      threads_.emplace_back([&post, works, rank, threads] {
        WorkerPool(std::make_unique<PostChannel>(post, rank), nullptr).serve(works, threads);
      });
  }
  ~Helpers() {
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::vector<std::thread> threads_;
};

std::string doubled(std::string_view input, const WorkerNote& note) {
  note("half of " + std::string(input));
  return std::string(input) + std::string(input);
}

std::vector<std::string> numbers(int count) {
  std::vector<std::string> inputs;
  for (int k = 0; k < count; ++k) inputs.push_back(std::to_string(k));
  return inputs;
}

struct Arrived {
  std::vector<std::string> results, notes;
  WorkerResults calls() {
    return {[this](std::size_t k, std::string_view bytes) { notes[k] = bytes; },
            [this](std::size_t k, std::string_view bytes) {
              EXPECT_TRUE(results[k].empty()) << "twice";
              results[k] = bytes;
            }};
  }
  explicit Arrived(std::size_t count) : results(count), notes(count) {}
};

TEST(WorkerPool, DoesEveryPieceOnce) {
  Post post(4);
  Helpers helpers(post, {{"double", doubled}}, 2);
  WorkerPool workers(std::make_unique<PostChannel>(post, 0), nullptr);
  for (int round = 0; round < 3; ++round) {
    const std::vector<std::string> inputs = numbers(200);
    Arrived arrived(inputs.size());
    workers.spread("double", inputs, 1, doubled, arrived.calls());
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      EXPECT_EQ(arrived.results[k], inputs[k] + inputs[k]);
      EXPECT_EQ(arrived.notes[k], "half of " + inputs[k]);
    }
  }
  EXPECT_EQ(workers.places(1), 7);
}

TEST(WorkerPool, WorksAloneWithoutOthers) {
  Post post(1);
  WorkerPool workers(std::make_unique<PostChannel>(post, 0), nullptr);
  const std::vector<std::string> inputs = numbers(10);
  Arrived arrived(inputs.size());
  workers.spread("double", inputs, 2, doubled, arrived.calls());
  EXPECT_EQ(arrived.results[9], "99");
}

// The others take pieces too: the coordinator's thread waits until somebody else has done one.
TEST(WorkerPool, GivesPiecesToTheOthers) {
  Post post(2);
  std::atomic<int> elsewhere{0};
  WorkerTask there = [&](std::string_view input, const WorkerNote&) {
    ++elsewhere;
    return std::string(input);
  };
  WorkerTask here = [&](std::string_view input, const WorkerNote&) {
    while (elsewhere == 0) std::this_thread::yield();
    return std::string(input);
  };
  Helpers helpers(post, {{"piece", there}}, 1);
  WorkerPool workers(std::make_unique<PostChannel>(post, 0), nullptr);
  const std::vector<std::string> inputs = numbers(20);
  Arrived arrived(inputs.size());
  workers.spread("piece", inputs, 1, here, arrived.calls());
  EXPECT_GT(elsewhere, 0);
  EXPECT_EQ(arrived.results[19], "19");
}

TEST(WorkerPool, SaysWhatWentWrongElsewhere) {
  Post post(2);
  WorkerTask there = [](std::string_view, const WorkerNote&) -> std::string {
    throw std::runtime_error("no such file here");
  };
  std::atomic<bool> stop{false};
  WorkerTask here = [&](std::string_view, const WorkerNote&) {
    while (!stop) std::this_thread::yield();
    return std::string("done");
  };
  Helpers helpers(post, {{"piece", there}}, 1);
  WorkerPool workers(std::make_unique<PostChannel>(post, 0), nullptr);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    stop = true;
  });
  try {
    workers.spread("piece", numbers(3), 1, here, {});
    ADD_FAILURE() << "nothing was said";
  } catch (const WorkerError& error) {
    EXPECT_STREQ(error.what(), "process 1: no such file here");
  }
  later.join();
}

TEST(WorkerPool, SaysWhoCannotTakePart) {
  Post post(2);
  std::thread other([&] {
    WorkerPool(std::make_unique<PostChannel>(post, 1), nullptr).decline("another version");
  });
  other.join();
  WorkerPool workers(std::make_unique<PostChannel>(post, 0), nullptr);
  try {
    workers.spread("piece", numbers(3), 1, doubled, {});
    ADD_FAILURE() << "nothing was said";
  } catch (const WorkerError& error) {
    EXPECT_STREQ(error.what(), "process 1 cannot take part: another version");
  }
}

// A process that takes a piece and is never heard of again.
TEST(WorkerPool, GivesThePiecesOfTheLostToOthers) {
  Post post(3);
  std::thread lost([&] {
    PostChannel channel(post, 1);
    // The greeting of a helper, by a helper that then says nothing.
    Post own(2);
    PostChannel ear(own, 0);
    std::thread helper(
        [&] { WorkerPool(std::make_unique<PostChannel>(own, 1), nullptr).serve({}, 4); });
    std::optional<Message> hello;
    while (!(hello = ear.receive())) std::this_thread::yield();
    channel.send(0, hello->bytes);
    WorkerPool(std::make_unique<PostChannel>(own, 0), nullptr).dismiss();
    helper.join();
  });
  lost.join();
  std::thread helper([&] {
    const std::map<std::string, WorkerTask> works{{"double", doubled}};
    const WorkerTimes lively{std::chrono::milliseconds(5), std::chrono::milliseconds(100)};
    WorkerPool(std::make_unique<PostChannel>(post, 2), nullptr, lively).serve(works, 1);
  });
  {
    WorkerPool workers(std::make_unique<PostChannel>(post, 0), nullptr,
                       {std::chrono::milliseconds(5), std::chrono::milliseconds(100)});
    const std::vector<std::string> inputs = numbers(50);
    Arrived arrived(inputs.size());
    workers.spread("double", inputs, 1, doubled, arrived.calls());
    for (std::size_t k = 0; k < inputs.size(); ++k)
      EXPECT_EQ(arrived.results[k], inputs[k] + inputs[k]);
    EXPECT_EQ(workers.places(1), 2);  // four threads of the lost one are gone
  }
  helper.join();
}

TEST(WorkerPool, AnInterruptEndsTheRoundWithWhatIsDone) {
  Post post(2);
  std::atomic<bool> interrupt{false};
  std::atomic<int> begun{0};
  WorkerTask work = [&](std::string_view input, const WorkerNote&) {
    if (++begun == 4) interrupt = true;
    return std::string(input);
  };
  Helpers helpers(post, {{"piece", work}}, 1);
  WorkerPool workers(std::make_unique<PostChannel>(post, 0), &interrupt);
  const std::vector<std::string> inputs = numbers(100000);
  Arrived arrived(inputs.size());
  workers.spread("piece", inputs, 1, work, arrived.calls());
  EXPECT_TRUE(workers.interrupted()->load());
  EXPECT_LT(begun, 1000);
  EXPECT_GE(begun, 4);
}

}  // namespace
}  // namespace stiffit::internal
