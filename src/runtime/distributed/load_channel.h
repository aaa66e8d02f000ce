// The channel to the other processes, if mpirun has started this one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "runtime/distributed/channel.h"

// What the module stiffit_mpi.so offers.
extern "C" stiffit::internal::Channel* stiffit_channel();

namespace stiffit::internal {

// Whether a launcher of MPI programs has started this process, beside others.
bool started_with_others();
// Throws InputError if this installation has no MPI.
std::unique_ptr<Channel> load_channel();
// The threads that belong to this process when several share a machine.
int own_cores();

}  // namespace stiffit::internal
