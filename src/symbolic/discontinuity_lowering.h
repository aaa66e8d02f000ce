// Makes right-hand sides smooth between switches. Every comparison, minimum, absolute value, floor
// and the like that depends on time or states becomes a mode: a number that stays fixed during a
// step, with a root function that tells when it must change. Integrators then never see a jump;
// they stop at the roots instead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "symbolic/graph.h"

namespace stiffit::internal {

enum class ModeKind : std::uint8_t {
  positive,      // 1 while root > 0, else 0
  not_negative,  // 1 while root >= 0, else 0
  zero,          // 1 where root = 0: a moment only, unless nothing moves
  whole,         // the largest integer <= root
};

struct Mode {
  ModeKind kind = ModeKind::positive;
  NodeId root = 0;      // other modes in it are lowered too
  NodeId slope = 0;     // d root/dt when `clock`
  bool clock = false;   // between events the root depends on time alone
  bool linear = false;  // and linearly, so that its next zero is known exactly
  bool held = false;    // turned on by an event alone (see holds.h), off where the root is negative
};

class DiscontinuityLowering {
 public:
  // Modes are parameters first_slot, first_slot + 1, ... of the graph. `still`: per state, whether
  // nothing but events changes it; empty if there are none.
  DiscontinuityLowering(Graph& graph, int first_slot, std::vector<char> still = {})
      : graph_(graph), first_slot_(first_slot), still_(std::move(still)) {}
  NodeId lower(NodeId node);
  // The truth of a condition, as 0 or 1.
  NodeId lower_condition(NodeId node);
  const std::vector<Mode>& modes() const { return modes_; }

 private:
  NodeId rebuild(NodeId node);
  NodeId mode(ModeKind kind, NodeId root);
  NodeId whole(NodeId argument);
  NodeId lowered(NodeId node) const { return done_.at(node); }
  bool stands_still(NodeId node) const;  // as far as states are in it

  Graph& graph_;
  int first_slot_;
  std::vector<char> still_;
  std::vector<Mode> modes_;
  std::unordered_map<NodeId, NodeId> done_;
  std::unordered_map<std::uint64_t, int> known_;
};

}  // namespace stiffit::internal
