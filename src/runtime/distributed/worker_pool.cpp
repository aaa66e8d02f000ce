// SPDX-License-Identifier: Apache-2.0
#include "runtime/distributed/worker_pool.h"

#include <algorithm>
#include <deque>

#include "runtime/distributed/work_threads.h"
#include "runtime/distributed/worker_message.h"

namespace stiffit::internal {

// How long a process sleeps when nothing has come in: a share of the time it has waited already, so
// that short pieces are answered soon and long ones have the core for themselves. While its threads
// are at work each look at the channel takes the core from one of them (with a look every 20
// microseconds a tenth of it), and nobody waits for an answer who has a piece in reserve: then it
// looks seldom. A thread that ends a piece wakes it at once in any case.
class CrewNap {
 public:
  void over() { waited_ = {}; }  // something has happened
  std::chrono::microseconds next(const WorkThreads& threads) {
    const bool idle = threads.count() == 0 || threads.free() > 0;
    const auto nap = idle ? std::clamp(waited_ / 50, us(20), us(2000))
                          : std::clamp(waited_ / 4, us(100), us(5000));
    waited_ += nap;
    return nap;
  }

 private:
  using us = std::chrono::microseconds;
  us waited_{};
};

namespace {

std::string words_of(const std::exception_ptr& trouble) {
  try {
    std::rethrow_exception(trouble);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an unknown error";
  }
}

}  // namespace

WorkerPool::WorkerPool(std::unique_ptr<Channel> channel, const std::atomic<bool>* interrupt,
                       WorkerTimes times)
    : channel_(std::move(channel)), outside_(interrupt), times_(times) {
  members_.resize(size());
  for (Member& member : members_) member.heard = Clock::now();
}

WorkerPool::~WorkerPool() {
  try {
    dismiss();
    const bool whole = std::none_of(members_.begin(), members_.end(),
                                    [](const Member& member) { return member.lost; });
    channel_->close(whole);
  } catch (...) {  // the run has its results; how it parts does not matter
  }
}

void WorkerPool::check_interrupt() {
  if (outside_ && outside_->load()) interrupted_ = true;
  if (!interrupted_ || told_ || !is_coordinator()) return;
  told_ = true;
  for (int rank = 1; rank < size(); ++rank)
    channel_->send(rank, WorkerMessage{WorkerMessageKind::stop, 0, 0, {}, {}}.bytes());
}

int WorkerPool::places(int own) const {
  int sum = own;
  for (const Member& member : members_)
    if (!member.lost) sum += member.threads;
  return sum;
}

void WorkerPool::dismiss() {
  if (!is_coordinator() || dismissed_) return;
  dismissed_ = true;
  for (int rank = 1; rank < size(); ++rank)
    channel_->send(rank, WorkerMessage{WorkerMessageKind::home, 0, 0, {}, {}}.bytes());
}

void WorkerPool::decline(const std::string& reason) {
  channel_->send(0, WorkerMessage{WorkerMessageKind::trouble, 0, -1, {}, reason}.bytes());
}

// One call of spread.
class WorkerPool::TaskLoop {
 public:
  TaskLoop(WorkerPool& workers, const std::string& kind, std::span<const std::string> inputs,
           int threads, const WorkerTask& work, const WorkerResults& arrivals)
      : workers_(workers),
        kind_(kind),
        inputs_(inputs),
        work_(work),
        arrivals_(arrivals),
        state_(inputs.size(), waiting),
        at_(inputs.size(), -1),
        loads_(workers.members_.size(), 0),
        threads_(threads) {
    for (std::size_t k = 0; k < inputs.size(); ++k) queue_.push_back(k);
  }

  void run() {
    while (left_ > 0) {
      workers_.check_interrupt();
      if (workers_.interrupted_) drop_waiting();
      bool busy = hear();
      watch();
      hand_out();
      if (left_ == 0) break;
      if (busy) backoff_.over();
      if (auto event =
              threads_.event(busy ? std::chrono::microseconds(0) : backoff_.next(threads_))) {
        backoff_.over();
        if (event->trouble) std::rethrow_exception(event->trouble);
        arrived(event->piece, event->note, event->bytes);
      }
    }
  }

 private:
  enum State : char { waiting, given, done };

  void drop_waiting() {
    for (std::size_t k : queue_)
      if (state_[k] == waiting) finish(k);
    queue_.clear();
  }

  void finish(std::size_t piece) {
    state_[piece] = done;
    --left_;
  }

  void arrived(std::size_t piece, bool note, std::string_view bytes) {
    if (state_[piece] == done) return;  // a lost process was only slow
    if (note) {
      if (arrivals_.note) arrivals_.note(piece, bytes);
      return;
    }
    finish(piece);
    if (arrivals_.done) arrivals_.done(piece, bytes);
  }

  bool hear() {
    bool any = false;
    while (auto message = workers_.channel_->receive()) {
      any = true;
      handle_message(message->from, WorkerMessage::of(message->bytes));
    }
    return any;
  }

  void handle_message(std::size_t from, const WorkerMessage& m) {
    Member& member = workers_.members_[from];
    member.heard = Clock::now();
    if (m.word == WorkerMessageKind::hello) member.threads = static_cast<int>(m.piece);
    if (m.word == WorkerMessageKind::trouble && m.piece < 0) member.declined = m.body;
    if (!member.declined.empty())
      throw WorkerError("process " + std::to_string(from) +
                        " cannot take part: " + member.declined);
    if (m.round != workers_.round_) return;
    if (m.word == WorkerMessageKind::trouble)
      throw WorkerError("process " + std::to_string(from) + ": " + m.body);
    if (m.word != WorkerMessageKind::note && m.word != WorkerMessageKind::result) return;
    const std::size_t piece = m.piece;
    if (m.word == WorkerMessageKind::result) {
      --loads_[from];
      member.lost = false;
    }
    arrived(piece, m.word == WorkerMessageKind::note, m.body);
  }

  // Pieces of those who have fallen silent wait again.
  void watch() {
    const auto now = Clock::now();
    for (std::size_t rank = 1; rank < loads_.size(); ++rank) {
      Member& member = workers_.members_[rank];
      if (member.lost || loads_[rank] <= 0 || now - member.heard < workers_.times_.silent) continue;
      member.lost = true;
      for (std::size_t k = 0; k < at_.size(); ++k)
        if (at_[k] == static_cast<int>(rank) && state_[k] == given) {
          state_[k] = waiting;
          queue_.push_front(k);
        }
    }
  }

  // Pieces that a process may have beyond those it works on. None towards the end, where they
  // would wait for one process while others have nothing to do.
  int reserve() const {
    const std::size_t soon = 2 * workers_.places(threads_.count());
    return queue_.size() > soon ? 1 : 0;
  }

  void hand_out() {
    for (bool more = true; more && !queue_.empty();) {
      more = false;
      for (std::size_t rank = 1; rank < loads_.size() && !queue_.empty(); ++rank) {
        Member& member = workers_.members_[rank];
        if (member.lost || member.threads == 0 || loads_[rank] >= member.threads + reserve())
          continue;
        const std::size_t piece = take(static_cast<int>(rank));
        ++loads_[rank];
        member.heard = std::max(member.heard, Clock::now());
        const WorkerMessage message{WorkerMessageKind::piece, workers_.round_,
                                    static_cast<std::int64_t>(piece), kind_, inputs_[piece]};
        workers_.channel_->send(static_cast<int>(rank), message.bytes());
        more = true;
      }
      if (!queue_.empty() && threads_.count() > 0 && threads_.free() + reserve() > 0) {
        const std::size_t piece = take(0);
        threads_.give(workers_.round_, piece, inputs_[piece], work_);
        more = true;
      }
    }
  }

  std::size_t take(int rank) {
    const std::size_t piece = queue_.front();
    queue_.pop_front();
    state_[piece] = given;
    at_[piece] = rank;
    return piece;
  }

  WorkerPool& workers_;
  const std::string& kind_;
  std::span<const std::string> inputs_;
  const WorkerTask& work_;
  const WorkerResults& arrivals_;
  std::vector<State> state_;
  std::vector<int> at_;     // the process that has it
  std::vector<int> loads_;  // pieces that each process has
  std::deque<std::size_t> queue_;
  std::size_t left_ = state_.size();
  CrewNap backoff_;
  WorkThreads threads_;  // the last: ends before what its pieces use
};

void WorkerPool::spread(const std::string& kind, std::span<const std::string> inputs, int threads,
                        const WorkerTask& work, const WorkerResults& arrivals) {
  ++round_;
  try {
    TaskLoop(*this, kind, inputs, threads, work, arrivals).run();
  } catch (...) {
    interrupted_ = true;  // the others need not go on
    check_interrupt();
    throw;
  }
}

// One call of serve.
class WorkerPool::WorkerLoop {
 public:
  WorkerLoop(WorkerPool& workers, const std::map<std::string, WorkerTask>& works, int threads)
      : workers_(workers), works_(works), threads_(threads) {
    tell({WorkerMessageKind::hello, 0, threads, {}, {}});
  }

  void run() {
    while (!home_) {
      workers_.check_interrupt();
      bool busy = false;
      while (auto message = workers_.channel_->receive()) {
        handle_message(WorkerMessage::of(message->bytes));
        busy = true;
      }
      if (busy) backoff_.over();
      if (auto event =
              threads_.event(busy ? std::chrono::microseconds(0) : backoff_.next(threads_))) {
        backoff_.over();
        report(*event);
      }
      if (Clock::now() > next_) tell({WorkerMessageKind::alive, 0, 0, {}, {}});
    }
    workers_.interrupted_ = true;  // for what is still being worked on
  }

 private:
  void tell(const WorkerMessage& message) {
    workers_.channel_->send(0, message.bytes());
    next_ = Clock::now() + workers_.times_.alive;
  }

  void handle_message(const WorkerMessage& m) {
    if (m.word == WorkerMessageKind::home) home_ = true;
    if (m.word == WorkerMessageKind::stop) workers_.interrupted_ = true;
    if (m.word != WorkerMessageKind::piece) return;
    auto work = works_.find(m.kind);
    if (work == works_.end())
      tell({WorkerMessageKind::trouble, m.round, m.piece, {}, "work of the kind '" + m.kind + "'"});
    else
      threads_.give(m.round, m.piece, m.body, work->second);
  }

  void report(const WorkEvent& event) {
    const std::int64_t piece = event.piece;
    if (event.trouble)
      tell({WorkerMessageKind::trouble, event.round, piece, {}, words_of(event.trouble)});
    else
      tell({event.note ? WorkerMessageKind::note : WorkerMessageKind::result,
            event.round,
            piece,
            {},
            event.bytes});
  }

  WorkerPool& workers_;
  const std::map<std::string, WorkerTask>& works_;
  bool home_ = false;
  Clock::time_point next_{};
  CrewNap backoff_;
  WorkThreads threads_;
};

void WorkerPool::serve(const std::map<std::string, WorkerTask>& works, int threads) {
  WorkerLoop(*this, works, threads).run();
}

}  // namespace stiffit::internal
