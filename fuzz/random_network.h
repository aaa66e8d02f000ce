// Random reaction networks as text models, the same for the same seed everywhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace stiffit::internal {

struct RandomNetwork {
  std::string text;
  double end = 1;  // time to run to
};

// Mass action, Michaelis-Menten and Hill laws, one way and reversible, catalysed and
// autocatalytic, with rate constants over up to twelve decades and, in one of three, events. Every
// species has a mass, which reactions keep except where they make from or lose to the outside, so
// that nothing grows faster than it is supplied.
RandomNetwork random_network(std::uint64_t seed);

}  // namespace stiffit::internal
