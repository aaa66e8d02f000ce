// The blocks of an ensemble over the processes of a crew.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/ensemble/ensemble.h"
#include "runtime/distributed/crew.h"

namespace stiffit {

// Of the chief: simulates the next blocks, several for each process, and counts them in their
// order. False: interrupted; what is in one piece is counted.
bool advance_together(Ensemble& ensemble, Crew& crew, const Ensemble::Each& each);
// Of the others.
void serve_ensemble(Ensemble& ensemble, Crew& crew);

}  // namespace stiffit
