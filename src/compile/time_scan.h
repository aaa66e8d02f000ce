// Looks ahead along time. What depends on time alone (a Gaussian, a product of steep steps) can be
// narrow: a method that takes long steps, because nothing moves, evaluates f on either side of it
// and never knows. Here ranges of all such parts of an expression over a whole step are compared
// with what probes into it show; a step is resolved if nothing is far larger than that, and no peak
// in it is narrow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "compile/value_range.h"
#include "symbolic/system.h"

namespace stiffit::internal {

class TimeScan {
 public:
  // Of these expressions of the system; null if time alone does nothing in them that could be
  // narrow.
  static std::shared_ptr<const TimeScan> make(const System& system,
                                              const std::vector<NodeId>& expressions);

  // The longest h, h/2, h/4, ... from t on in which nothing is hidden. Values of states and
  // parameters (with modes) are `stride` apart.
  double resolved_step(double t, double h, const double* states, const double* parameters,
                       std::size_t stride = 1) const;

  // What has been found out about stretches of time, for each set of values of what the expressions
  // are made of besides time. Stretches are those of fixed grids, so that the answer does not
  // depend on what was asked before.
  struct Memory {
    struct Known {
      std::vector<double> values;
      std::unordered_map<std::uint64_t, bool> resolved;  // by level and beginning
    };
    std::vector<Known> known;
    std::size_t latest = 0;
    std::vector<double> values;
  };
  // The time up to which nothing is hidden for steps from t on, of size h or as long as that.
  double clear_until(double t, double h, const double* states, const double* parameters,
                     std::size_t stride, Memory& memory) const;

  // Of f. A state at rest at zero has no size to measure errors by, and what moves it first may be
  // rounding: 1 + tanh(x) climbs from zero in steps of 1e-16. For each such state that time moves,
  // its entry of `sizes` becomes at least `share` times what rounding can make of its f within h.
  // `inputs`: how large the parts of delayed values are. True if any has changed.
  bool note_rest(double t, double h, const double* states, const double* parameters,
                 std::size_t stride, const std::vector<double>& inputs, double share,
                 double* sizes) const;
  // How large the parts of the first expression are that its value is the sum of.
  double size_of_parts(double t, const double* states, const double* parameters) const;

 private:
  struct Node {
    Op op = Op::number;
    int a = -1, b = -1, c = -1;
    Leaf leaf = Leaf::time;  // of a symbol
    int index = 0;
    double value = 0;      // of a number
    bool moves = false;    // depends on time
    bool watched = false;  // moves, and not in proportion to what it is made of
    int input = 0;         // of a delayed value: which
  };
  struct Look;  // numbers at work

  Look& begin_look(const double* states, const double* parameters, std::size_t stride) const;
  bool resolved(Look& look, int level, double begin, Memory::Known& known) const;

  void keep_what_is_needed();
  void find_values(Look& look, double time, double* out) const;
  void find_ranges(Look& look, double t, double h, const double* middle) const;
  bool hides(Look& look, double t, double h) const;
  enum class Found { nothing, narrow, unsure };
  Found look_closer(Look& look, double t, double h, int probes) const;

  void keep_rows(const System& system, const std::vector<NodeId>& expressions);
  const std::vector<double>& find_sizes(double t, const double* states, const double* parameters,
                                        std::size_t stride,
                                        const std::vector<double>& inputs) const;

  std::vector<Node> nodes_;  // operands first
  struct Row {
    int state;         // whose f it is
    std::size_t node;  // of row_nodes_
  };
  std::vector<Row> rows_;  // expressions that depend on time or on delayed values
  std::vector<Node> row_nodes_;
  int inputs_ = 0;
};

}  // namespace stiffit::internal
