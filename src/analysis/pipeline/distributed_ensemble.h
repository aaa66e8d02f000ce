// The blocks of an ensemble over the processes of a worker pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/ensemble/ensemble.h"
#include "runtime/distributed/worker_pool.h"

namespace stiffit::internal {

// Of the coordinator: simulates the next blocks, several for each process, and counts them in their
// order. False: interrupted; what is in one piece is counted.
bool advance_together(Ensemble& ensemble, WorkerPool& workers, const Ensemble::Each& each);
// Of the others.
void serve_ensemble(Ensemble& ensemble, WorkerPool& workers);

}  // namespace stiffit::internal
