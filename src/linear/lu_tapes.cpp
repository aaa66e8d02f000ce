// Rows are eliminated one after the other, a few columns at a time: the columns' sums stay in
// registers, each entry of L is fetched once per group, entries of U come as memory operands.
// SPDX-License-Identifier: Apache-2.0
#include "linear/lu_tapes.h"

#include <algorithm>

#include "base/interrupt.h"
#include "linear/fixed_pivots.h"

namespace stiffit::internal {
namespace {

// None of these is delicate: 4 to 12, 8 to 64 and 4 to 10 were within 3 % on 3 to 200 species.
constexpr int group_columns = 8;        // sums held in registers
constexpr std::size_t still_warm = 24;  // instructions after which a value is fetched from memory
constexpr int long_sum = 6;             // products from which on a sum is split into two chains

// Elements of an array whose values may still be in a register.
class WarmArray {
 public:
  WarmArray(Tape& tape, int array, std::size_t size)
      : tape_(tape), array_(array), value_(size), touched_(size, never) {}
  Value get(int element) {
    std::size_t& touched = touched_[element];
    if (touched == never || tape_.code.size() - touched > still_warm)
      value_[element] = tape_.load(array_, element);
    touched = tape_.code.size();
    return value_[element];
  }
  void put(int element, Value value) {
    tape_.store(array_, element, value);
    value_[element] = value;
    touched_[element] = tape_.code.size();
  }

 private:
  static constexpr std::size_t never = -1;
  Tape& tape_;
  int array_;
  std::vector<Value> value_;
  std::vector<std::size_t> touched_;
};

class FactorWriter {
 public:
  FactorWriter(const Elimination& e, int front, int tail_stride)
      : e_(e), front_(front), tail_stride_(tail_stride), lu_(tape_, lu_array, e.column.size()) {
    sum_of_squares_ = tape_.constant(0.0);
    minimum_ = tape_.constant(1.0);
    for (int i = 0, next = 0; i < e.n; ++i)
      for (int s = e.row_start[i]; s < e.row_start[i + 1]; ++s)
        place_.push_back(in_tail(i, s) ? -1 : next++);
  }

  Tape write() {
    for (int i = 0; i < e_.n; ++i) {
      check_interrupt();
      if (i >= front_) begin_tail_row(i);
      for (int first = e_.row_start[i]; first < e_.row_start[i + 1]; first += group_columns)
        write_group(i, first, std::min(first + group_columns, e_.row_start[i + 1]));
      if (i >= front_) keep_minimum(tape_.div(largest_before_, largest_after_));
    }
    tape_.store(growth_array, PivotRatios::sum, sum_of_squares_);
    tape_.store(growth_array, PivotRatios::minimum, minimum_);
    tape_.arrays = front_ < e_.n ? 5 : 4;
    return std::move(tape_);
  }

 private:
  enum { d_array, jacobian_array, lu_array, growth_array, tail_array };

  struct Cell {  // an entry on its way
    bool present = false;
    Value value = 0;
  };

  bool in_tail(int i, int slot) const { return i >= front_ && e_.column[slot] >= front_; }
  Value lu(int slot) { return lu_.get(place_[slot]); }
  void put(int slot, Value value) { lu_.put(place_[slot], value); }
  void keep_minimum(Value value) { minimum_ = tape_.apply(Op::min, minimum_, value); }
  void keep_square(Value& largest, Value value) {
    largest = tape_.apply(Op::max, largest, tape_.mul(value, value));
  }

  // What has no slot is zero; the dense elimination works in place, so this is said every time.
  // Pivots of the block are found later: the growth of the row stands for theirs.
  void begin_tail_row(int i) {
    const Value zero = tape_.constant(0.0);
    largest_before_ = largest_after_ = zero;
    int column = front_;
    auto fill_to = [&](int end) {
      for (; column < end; ++column) tape_.store(tail_array, tail_place(i, column), zero);
      ++column;
    };
    for (int s = e_.row_start[i]; s < e_.row_start[i + 1]; ++s)
      if (in_tail(i, s)) fill_to(e_.column[s]);
    fill_to(e_.n);
  }
  int tail_place(int i, int column) const {
    return (i - front_) * tail_stride_ + (column - front_);
  }

  void write_group(int i, int first, int last) {
    Cell cells[group_columns];
    Value original_diagonal = 0;
    bool has_diagonal_input = false;
    for (int q = e_.input_start[i]; q < e_.input_start[i + 1]; ++q) {
      const Elimination::Input& input = e_.input[q];
      if (input.slot < first || input.slot >= last) continue;
      const Value value = initial(input);
      cells[input.slot - first] = {true, value};
      if (i >= front_) keep_square(largest_before_, value);
      if (!input.reaches_pivot)
        sum_of_squares_ = tape_.fma(value, tape_.constant(0.0), sum_of_squares_);
      if (input.slot == e_.diagonal[i]) {
        original_diagonal = value;
        has_diagonal_input = true;
      }
    }
    int rest = e_.row_start[i];  // what stays when the pivots have been applied
    for (int l = rest; l < e_.diagonal[i] && !in_tail(i, l); rest = ++l) {
      if (l >= last) break;
      const int k = e_.column[l];
      if (l >= first) {  // complete: all pivots before k have been applied
        const Cell& cell = cells[l - first];
        put(l, tape_.mul(cell.value, lu(e_.diagonal[k])));
      }
      update(k, l, first, last, cells);
    }
    for (int slot = std::max(first, rest); slot < last; ++slot) {
      Cell& cell = cells[slot - first];
      if (!cell.present) cell.value = tape_.constant(0.0);  // structurally singular
      if (in_tail(i, slot)) {
        tape_.store(tail_array, tail_place(i, e_.column[slot]), cell.value);
        keep_square(largest_after_, cell.value);
      } else if (slot == e_.diagonal[i]) {
        const Value zero_or_diagonal = has_diagonal_input ? original_diagonal : tape_.constant(0.0);
        write_pivot(slot, cell.value, zero_or_diagonal);
      } else {
        put(slot, cell.value);
      }
    }
  }

  // The group's share of row += l * U row k; both are sorted by columns.
  void update(int k, int l, int first, int last, Cell* cells) {
    int slot = std::max(first, l + 1);
    for (int u = e_.diagonal[k] + 1; u < e_.row_start[k + 1] && slot < last; ++u) {
      while (slot < last && e_.column[slot] < e_.column[u]) ++slot;
      if (slot == last || e_.column[slot] != e_.column[u]) continue;
      const Value factor = lu(l);
      const Value entry = lu(u);
      Cell& cell = cells[slot - first];
      cell.value = cell.present ? tape_.fma(factor, entry, cell.value) : tape_.mul(factor, entry);
      cell.present = true;
    }
  }

  Value initial(const Elimination::Input& input) {
    if (input.mass == 0) return tape_.load(jacobian_array, input.source);
    const Value d = tape_.load(d_array, 0);
    if (input.source < 0) return tape_.mul(d, tape_.constant(-input.mass));
    const Value entry = tape_.load(jacobian_array, input.source);
    if (input.mass == 1) return tape_.sub(entry, d);
    return tape_.fnma(d, tape_.constant(input.mass), entry);
  }

  void write_pivot(int slot, Value pivot, Value original) {
    const Value reciprocal = tape_.div(tape_.constant(-1.0), pivot);
    lu_.put(slot, reciprocal);
    const Value ratio = tape_.mul(original, reciprocal);
    const Value square = tape_.mul(ratio, ratio);
    sum_of_squares_ = tape_.add(sum_of_squares_, square);
    keep_minimum(square);
  }

  const Elimination& e_;
  Tape tape_;
  int front_, tail_stride_;
  WarmArray lu_;
  std::vector<int> place_;  // of each slot among those that are kept, -1 in the block
  Value sum_of_squares_ = 0, minimum_ = 0;
  Value largest_before_ = 0, largest_after_ = 0;  // squares, of a row of the block
};

// start + sum of lu[slot] * x(slot)
template <class Slots, class Operand>
Value sum_products(Tape& tape, WarmArray& lu, Value start, const Slots& slots, Operand x) {
  Value chain[2] = {start, 0};
  const bool split = slots.size() >= long_sum;
  bool second_started = false;
  int which = 0;
  for (int slot : slots) {
    const Value entry = lu.get(slot), operand = x(slot);
    if (which == 1 && !second_started) {
      chain[1] = tape.mul(entry, operand);
      second_started = true;
    } else {
      chain[which] = tape.fma(entry, operand, chain[which]);
    }
    if (split) which = 1 - which;
  }
  return second_started ? tape.add(chain[0], chain[1]) : chain[0];
}

}  // namespace

Tape factor_tape(const Elimination& elimination) {
  return FactorWriter(elimination, elimination.n, 0).write();
}

Tape front_tape(const Elimination& elimination, int front, int tail_stride) {
  return FactorWriter(elimination, front, tail_stride).write();
}

Tape solve_tape(const Elimination& e) {
  enum { lu_array, b_array, scratch_array };
  Tape tape;
  WarmArray lu(tape, lu_array, e.column.size()), b(tape, b_array, e.n);
  WarmArray scratch(tape, scratch_array, e.n);
  // With rows and columns paired off the diagonal, x would overwrite what is still to be read.
  const bool permutes = e.permutes();
  auto forward = [&](int k) { return permutes ? scratch.get(k) : b.get(e.order.row[k]); };
  std::vector<int> slots;
  for (int i = 0; i < e.n; ++i) {
    slots.clear();
    for (int s = e.row_start[i]; s < e.diagonal[i]; ++s) slots.push_back(s);
    if (slots.empty() && !permutes) continue;
    const Value y = sum_products(tape, lu, b.get(e.order.row[i]), slots,
                                 [&](int s) { return forward(e.column[s]); });
    permutes ? scratch.put(i, y) : b.put(e.order.row[i], y);
  }
  for (int i = e.n - 1; i >= 0; --i) {
    slots.clear();  // the unknown made last comes last
    for (int s = e.row_start[i + 1] - 1; s > e.diagonal[i]; --s) slots.push_back(s);
    const Value sum = sum_products(tape, lu, forward(i), slots,
                                   [&](int s) { return b.get(e.order.column[e.column[s]]); });
    b.put(e.order.column[i], tape.mul(sum, lu.get(e.diagonal[i])));
  }
  tape.arrays = 3;
  return tape;
}

namespace {

// lu, b and y, and the slots of one row.
struct TableSolveWriter {
  explicit TableSolveWriter(const EliminationTable& t)
      : lu(tape, 0, std::size_t(t.row_start[t.n])),
        b(tape, 1, std::size_t(t.n)),
        y(tape, 2, std::size_t(t.n)) {
    tape.arrays = 3;
  }
  Tape tape;
  WarmArray lu, b, y;
  std::vector<int> slots;
};

}  // namespace

Tape forward_tape(const EliminationTable& t) {
  TableSolveWriter w(t);
  for (int i = 0; i < t.n; ++i) {
    w.slots.clear();
    for (int s = t.row_start[i]; s < t.diagonal[i]; ++s) w.slots.push_back(s);
    w.y.put(i, sum_products(w.tape, w.lu, w.b.get(t.row[i]), w.slots,
                            [&](int s) { return w.y.get(t.column[s]); }));
  }
  return std::move(w.tape);
}

Tape backward_tape(const EliminationTable& t) {
  TableSolveWriter w(t);
  for (int i = t.n - 1; i >= t.front; --i) w.b.put(t.pivot_column[i], w.y.get(i));
  for (int i = t.front - 1; i >= 0; --i) {
    w.slots.clear();  // the unknown made last comes last
    for (int s = t.row_start[i + 1] - 1; s > t.diagonal[i]; --s) w.slots.push_back(s);
    const Value sum = sum_products(w.tape, w.lu, w.y.get(i), w.slots,
                                   [&](int s) { return w.y.get(t.column[s]); });
    const Value x = w.tape.mul(sum, w.lu.get(t.diagonal[i]));
    w.y.put(i, x);
    w.b.put(t.pivot_column[i], x);
  }
  return std::move(w.tape);
}

}  // namespace stiffit::internal
