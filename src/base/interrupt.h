// How long work learns that it should stop: a flag that whoever began the work raises (Ctrl-C, a
// deadline), kept by thread, and polled in every loop that can take long. What integrates polls
// at the flag of its options and keeps what it has; what reads, derives or compiles has nothing to
// keep and throws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <exception>

namespace stiffit::internal {

class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

class InterruptScope {
 public:
  // Null: nothing interrupts within. `after` (of tests) is a number of polls of the flag, of which
  // the last finds it raised; 0: only the flag counts.
  explicit InterruptScope(const std::atomic<bool>* flag, long after = 0)
      : before_(current_), left_before_(left_) {
    current_ = flag;
    left_ = after;
    rounds_ = 0;
  }
  ~InterruptScope() {
    current_ = before_;
    left_ = left_before_;
  }
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

  // Of the calling thread, to be handed on to threads it starts.
  static const std::atomic<bool>* flag() { return current_; }
  static bool raised() { return current_ && look(); }
  // The same in one of 256 calls, counted from where the scope began.
  static bool raised_at_times() { return ++rounds_ == 0 && raised(); }
  // What was to stop has stopped and kept what it had: what this thread still does within the
  // scope, such as writing that down, is done to its end.
  static void heard() { current_ = nullptr; }
  // How often this thread has looked, for tests.
  static long polls() { return polls_; }

 private:
  static bool look();

  static inline constinit thread_local const std::atomic<bool>* current_ = nullptr;
  static inline constinit thread_local long left_ = 0;
  static inline constinit thread_local long polls_ = 0;
  static inline constinit thread_local unsigned char rounds_ = 0;
  const std::atomic<bool>* before_;
  long left_before_;
};

// For work that keeps what it has as it goes: where it is interrupted it ends there, and nothing of
// that is lost. False then.
template <class Work>
bool unless_interrupted(Work&& work) {
  try {
    work();
    return true;
  } catch (const Interrupted&) {
    return false;
  }
}

// For loops whose rounds take a microsecond or more; about a nanosecond.
inline void check_interrupt() {
  if (InterruptScope::raised()) throw Interrupted();
}

// For what is called in many loops and takes less.
inline void check_interrupt_at_times() {
  if (InterruptScope::raised_at_times()) throw Interrupted();
}

// For loops of shorter rounds: polls in one round of 256.
class InterruptCheck {
 public:
  void operator()() {
    if (++rounds_ == 0) check_interrupt();
  }

 private:
  unsigned char rounds_ = 0;
};

}  // namespace stiffit::internal
