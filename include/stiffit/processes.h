// Several processes that work on one run: those that a launcher of MPI programs (mpirun) has
// started beside this one. All of them make the same calls with the same options; the first is the
// coordinator, which gets the result, and in the others a call only serves it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <string>

namespace stiffit {
inline namespace api {

class Processes {
 public:
  // Whether a launcher has started this process, beside others.
  static bool launched();
  // Finds the others. `interrupt` as of RunOptions. Throws InputError if there is no MPI here.
  explicit Processes(const std::atomic<bool>* interrupt = nullptr);
  ~Processes();  // lets the others go home
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  bool is_coordinator() const;
  int size() const;
  // Set when the coordinator is interrupted, or this process.
  const std::atomic<bool>* interrupted() const;
  // Of the others: why this process cannot take part.
  void decline(const std::string& reason);

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace api
}  // namespace stiffit
