// SPDX-License-Identifier: Apache-2.0
#include "run.h"

#include "convert.h"

namespace stiffit::internal::python {
namespace {

std::atomic<std::atomic<bool>*> current{nullptr};
struct sigaction pythons {};

void on_signal(int number, siginfo_t* info, void* context) {
  if (std::atomic<bool>* flag = current.load()) flag->store(true);
  if (pythons.sa_flags & SA_SIGINFO)
    pythons.sa_sigaction(number, info, context);
  else
    pythons.sa_handler(number);
}

}  // namespace

CtrlC::CtrlC(std::atomic<bool>& flag) {
  if (!in_main_thread()) return;
  before_ = current.load();
  if (!before_) {
    sigaction(SIGINT, nullptr, &pythons);
    const bool handled = (pythons.sa_flags & SA_SIGINFO) ||
                         (pythons.sa_handler != SIG_DFL && pythons.sa_handler != SIG_IGN);
    if (!handled) return;  // by nobody: nor by us
    struct sigaction ours = pythons;
    ours.sa_sigaction = on_signal;
    ours.sa_flags |= SA_SIGINFO;
    current.store(&flag);
    sigaction(SIGINT, &ours, nullptr);
  } else {
    current.store(&flag);
  }
  watched_ = true;
}

CtrlC::~CtrlC() {
  if (!watched_) return;
  if (before_) {
    const std::atomic<bool>* own = current.exchange(before_);
    if (own->load()) before_->store(true);
    return;
  }
  sigaction(SIGINT, &pythons, nullptr);
  current.store(nullptr);
}

Run::Run(const py::dict& options) {
  if (options.contains("progress")) progress_ = options["progress"];
  take(options, "threads", threads_);
}

api::RunOptions Run::options() {
  api::RunOptions run;
  run.interrupt = &stop_;
  run.threads = threads_;
  if (progress_) run.progress = [this](double share) { tell(share); };
  return run;
}

void Run::tell(double share) {
  py::gil_scoped_acquire with;
  if (error_ || keyboard_) return;
  try {
    progress_(share);
  } catch (py::error_already_set& raised) {
    // In the main thread Python may hear of Ctrl-C here first.
    if (raised.matches(PyExc_KeyboardInterrupt))
      keyboard_ = true;
    else
      error_ = std::current_exception();
    stop_.store(true);
  }
}

bool Run::keyboard() const {
  if (keyboard_) return true;
  if (!stop_.load() || PyErr_CheckSignals() == 0) return false;
  if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) throw py::error_already_set();
  PyErr_Clear();
  return true;
}

}  // namespace stiffit::internal::python
