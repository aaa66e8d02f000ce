// A computation called from Python: without the GIL, told of progress, stopped by Ctrl-C.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <exception>
#include <mutex>

#include "stiffit/options.h"

namespace py = pybind11;

namespace stiffit::internal::python {

// While it lives, Ctrl-C sets the flag, and Python hears of it afterwards as always. Python gives
// KeyboardInterrupt to the main thread only, so that calls from other threads are left alone.
class CtrlC {
 public:
  explicit CtrlC(std::atomic<bool>& flag);
  ~CtrlC();
  CtrlC(const CtrlC&) = delete;
  CtrlC& operator=(const CtrlC&) = delete;
  static bool in_main_thread() { return getpid() == gettid(); }

 private:
  std::atomic<bool>* before_ = nullptr;  // of a call that this one is part of
  bool watched_ = false;
};

// One call: its flag, and its listener, whose own errors stop the run and come out at its end.
class Run {
 public:
  // `progress`: a callable that takes a share from 0 to 1, or None.
  explicit Run(const py::dict& options = {});

  api::RunOptions options();
  // Computes without the GIL.
  template <class F>
  auto operator()(F&& compute) {
    auto result = [&] {
      CtrlC watched(stop_);
      py::gil_scoped_release without;
      return compute();
    }();
    if (error_) std::rethrow_exception(error_);
    return result;
  }
  // True if Ctrl-C has stopped it and Python would say KeyboardInterrupt, which then is said by the
  // exception that carries the result. What else a handler of signals throws is thrown on.
  bool keyboard() const;

 private:
  void tell(double share);

  std::atomic<bool> stop_{false};
  bool keyboard_ = false;
  std::exception_ptr error_;
  py::object progress_;
  int threads_ = 0;
};

}  // namespace stiffit::internal::python
