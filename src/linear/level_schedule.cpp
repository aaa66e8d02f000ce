// SPDX-License-Identifier: Apache-2.0
#include "linear/level_schedule.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/interrupt.h"
#include "linear/aligned_array.h"
#include "linear/dense_kernel.h"

namespace stiffit::internal {
namespace {

// Which pivots wait for which, of those before the block: k stands before i if L has (i, k) or U
// has (k, i).
struct Waiting {
  Waiting(const Elimination& e, int front, int pivots_of_block) : level(front, 0), block(front, 0) {
    std::vector<std::vector<int>> lower(front);  // rows of U columns
    for (int k = 0; k < front; ++k)
      for (int s = e.diagonal[k] + 1; s < e.row_start[k + 1]; ++s)
        if (e.column[s] < front) lower[e.column[s]].push_back(k);
    std::vector<int> parent(front, -1), root(front), size(front, 1);
    std::iota(root.begin(), root.end(), 0);
    auto find = [&](int k) {
      while (root[k] != k) k = root[k] = root[root[k]];
      return k;
    };
    for (int i = 0; i < front; ++i) {
      auto wait_for = [&](int k) {
        level[i] = std::max(level[i], level[k] + 1);
        const int top = find(k);
        if (top == i) return;
        parent[top] = root[top] = i;
        size[i] += size[top];
      };
      for (int s = e.row_start[i]; s < e.diagonal[i]; ++s) wait_for(e.column[s]);
      for (int k : lower[i]) wait_for(k);
    }
    gather_blocks(parent, size, pivots_of_block);
  }
  // Both by pivots. All that a pivot waits for is in its own block or, for those of the last block,
  // anywhere.
  std::vector<int> level, block;
  int last_block = 0;

 private:
  void gather_blocks(const std::vector<int>& parent, const std::vector<int>& size,
                     int pivots_of_block) {
    const int front = static_cast<int>(parent.size());
    int blocks = 0, room = 0;
    for (int k = front - 1; k >= 0; --k) {  // parents come first
      const bool inside = parent[k] >= 0 && size[parent[k]] <= pivots_of_block;
      if (inside) {
        block[k] = block[parent[k]];
      } else if (size[k] <= pivots_of_block) {
        if (blocks == 0 || size[k] > room) {
          ++blocks;
          room = pivots_of_block;
        }
        room -= size[k];
        block[k] = blocks;
      }  // else 0: what blocks have in common
    }
    for (int& b : block) b = blocks - b;
    last_block = blocks;
  }
};

int length_of_l(const Elimination& e, int front, int i) {
  if (i < front) return e.diagonal[i] - e.row_start[i];
  const auto first = e.column.begin() + e.row_start[i];
  return static_cast<int>(std::lower_bound(first, e.column.begin() + e.diagonal[i], front) - first);
}

int length_of_u(const Elimination& e, int i) { return e.row_start[i + 1] - e.diagonal[i] - 1; }

void add_to_runs(std::vector<LevelSchedule::Run>& runs, int length, std::size_t since = 0) {
  if (runs.size() == since || runs.back().length != length) runs.push_back({length, 0});
  ++runs.back().count;
}

class Layout {
 public:
  Layout(const Elimination& e, int front, int pivots_of_block)
      : e_(e),
        front_(front),
        waiting_(e, front, pivots_of_block),
        place_(e.n),
        slot_(e.column.size(), -1) {
    out_.n = e.n;
    out_.front = front;
    out_.block_stride = dense_stride(e.n - front);
  }

  LevelSchedule make() {
    order_pivots();
    out_.blocks.resize(static_cast<std::size_t>(waiting_.last_block) + 2);
    place_l();
    place_u();
    place_block();
    list_updates();
    list_inputs();
    return std::move(out_);
  }

 private:
  void order_pivots() {
    order_.resize(e_.n);
    std::iota(order_.begin(), order_.end(), 0);
    auto key = [&](int i) {
      const bool last = i >= front_;
      return std::tuple(last, last ? 0 : waiting_.block[i], last ? 0 : waiting_.level[i],
                        length_of_l(e_, front_, i));
    };
    std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) { return key(a) < key(b); });
    for (int p = 0; p < e_.n; ++p) {
      check_interrupt();
      place_[order_[p]] = p;
      out_.row.push_back(e_.order.row[order_[p]]);
      out_.column.push_back(e_.order.column[order_[p]]);
    }
  }

  int block_of(int pivot) const {
    return pivot < front_ ? waiting_.block[pivot] : waiting_.last_block;
  }

  void place_l() {
    int begun = 0;
    auto begin_blocks = [&](int last) {
      for (; begun <= last; ++begun) {
        out_.blocks[begun].forward_run = static_cast<int>(out_.forward.size());
        out_.blocks[begun].forward_entry = static_cast<int>(out_.at.size());
      }
    };
    for (int i : order_) {
      begin_blocks(block_of(i));
      const int length = length_of_l(e_, front_, i);
      add_to_runs(out_.forward, length, out_.blocks[begun - 1].forward_run);
      for (int s = e_.row_start[i]; s < e_.row_start[i] + length; ++s) append(s);
    }
    begin_blocks(waiting_.last_block + 1);
  }

  void place_u() {
    std::vector<int> backward(order_.begin(), order_.begin() + front_);
    auto key = [&](int i) {
      return std::tuple(-waiting_.block[i], -waiting_.level[i], length_of_u(e_, i));
    };
    std::stable_sort(backward.begin(), backward.end(),
                     [&](int a, int b) { return key(a) < key(b); });
    out_.pivot.resize(front_);
    auto next = backward.begin();
    for (int b = waiting_.last_block; b >= 0; --b) {
      LevelSchedule::Block& block = out_.blocks[b];
      block.backward_run = static_cast<int>(out_.backward.size());
      block.backward_entry = static_cast<int>(out_.at.size());
      for (; next != backward.end() && waiting_.block[*next] == b; ++next) {
        add_to_runs(out_.backward, length_of_u(e_, *next), block.backward_run);
        out_.pivot[place_[*next]] = static_cast<int>(out_.at.size());
        for (int s = e_.diagonal[*next]; s < e_.row_start[*next + 1]; ++s) append(s);
      }
      block.backward_end = static_cast<int>(out_.backward.size());
    }
  }

  void append(int s) {
    slot_[s] = static_cast<int>(out_.at.size());
    out_.at.push_back(place_[e_.column[s]]);
  }

  void place_block() {
    out_.block_begin = static_cast<int>(AlignedArray::padded(out_.at.size()));
    out_.size = out_.block_begin + (e_.n - front_) * out_.block_stride;
    for (int i = front_; i < e_.n; ++i)
      for (int s = e_.row_start[i] + length_of_l(e_, front_, i); s < e_.row_start[i + 1]; ++s)
        slot_[s] = out_.block_begin + (place_[i] - front_) * out_.block_stride +
                   place_[e_.column[s]] - front_;
  }

  void list_updates() {
    struct Entry {
      int slot, row;
    };
    std::vector<std::vector<Entry>> below(front_);  // entries of L columns
    for (int i = 0; i < e_.n; ++i)
      for (int s = e_.row_start[i]; s < e_.row_start[i] + length_of_l(e_, front_, i); ++s)
        below[e_.column[s]].push_back({s, i});
    int begun = 0;
    auto begin_blocks = [&](int last, int place) {
      for (; begun <= last; ++begun) {
        LevelSchedule::Block& block = out_.blocks[begun];
        block.level = static_cast<int>(out_.levels.size());
        block.pair = static_cast<int>(out_.pairs.size());
        block.target = static_cast<int>(out_.targets.size());
        block.place = place;
      }
    };
    auto group = [&](int p) {
      return std::pair(waiting_.block[order_[p]], waiting_.level[order_[p]]);
    };
    std::vector<int> pivots;
    for (int first = 0, last; first < front_; first = last) {
      check_interrupt();
      const int block = group(first).first;
      begin_blocks(block, first);
      for (last = first + 1; last < front_ && group(last) == group(first);) ++last;
      pivots.assign(order_.begin() + first, order_.begin() + last);
      std::stable_sort(pivots.begin(), pivots.end(),
                       [&](int a, int b) { return length_of_u(e_, a) < length_of_u(e_, b); });
      const auto first_run = out_.updates.size();
      for (int k : pivots)
        for (const Entry& l : below[k]) {
          const bool late = block < waiting_.last_block && block_of(l.row) != block;
          if (late) {
            add_to_runs(out_.late_updates, length_of_u(e_, k));
            add_update(k, l.slot, out_.late_pairs, out_.late_targets);
          } else {
            add_to_runs(out_.updates, length_of_u(e_, k), first_run);
            add_update(k, l.slot, out_.pairs, out_.targets);
          }
        }
      out_.levels.push_back(
          {first, last, static_cast<int>(first_run), static_cast<int>(out_.updates.size())});
    }
    begin_blocks(waiting_.last_block + 1, front_);
  }

  // The row that l is in += l * U row k.
  void add_update(int k, int l, std::vector<int>& pairs, std::vector<int>& targets) {
    pairs.push_back(slot_[l]);
    pairs.push_back(slot_[e_.diagonal[k]]);
    int t = l + 1;
    for (int u = e_.diagonal[k] + 1; u < e_.row_start[k + 1]; ++u, ++t) {
      while (e_.column[t] != e_.column[u]) ++t;  // filled in, so it is there
      targets.push_back(slot_[t]);
    }
  }

  void list_inputs() {
    out_.source.assign(out_.at.size(), -1);
    std::vector<std::pair<int, double>> shifts;
    std::vector<std::vector<int>> of_block(e_.n - front_);
    for (int i = 0; i < e_.n; ++i)
      for (int q = e_.input_start[i]; q < e_.input_start[i + 1]; ++q) {
        const Elimination::Input& input = e_.input[q];
        const int slot = slot_[input.slot];
        if (input.source >= 0 && slot < out_.block_begin)
          out_.source[slot] = input.source;
        else if (input.source >= 0)
          out_.copies.push_back({slot, input.source});
        if (input.mass != 0) shifts.emplace_back(slot, input.mass);
        if (input.source >= 0 && !input.reaches_pivot) out_.unseen.push_back(input.source);
        if (i >= front_) of_block[place_[i] - front_].push_back(slot);
      }
    std::sort(shifts.begin(), shifts.end());
    for (const auto& [slot, mass] : shifts) {
      out_.shifted.push_back(slot);
      if (mass != 1 && out_.mass.empty()) out_.mass.assign(out_.shifted.size() - 1, 1);
      if (mass != 1 || !out_.mass.empty()) out_.mass.push_back(mass);
    }
    for (const auto& slots : of_block) {
      out_.block_input_start.push_back(static_cast<int>(out_.block_inputs.size()));
      out_.block_inputs.insert(out_.block_inputs.end(), slots.begin(), slots.end());
    }
    out_.block_input_start.push_back(static_cast<int>(out_.block_inputs.size()));
  }

  const Elimination& e_;
  const int front_;
  const Waiting waiting_;
  std::vector<int> order_;  // pivots by places
  std::vector<int> place_;  // and back
  std::vector<int> slot_;   // where each entry of the elimination went
  LevelSchedule out_;
};

}  // namespace

double mean_row(const Elimination& e, int front) {
  double updates = 0, entries = 0;
  for (int i = 0; i < e.n; ++i) entries += length_of_l(e, front, i);
  for (int k = 0; k < front; ++k) updates += e.step_updates[k];
  return entries > 0 ? updates / entries : 0;
}

LevelSchedule level_scheduled(const Elimination& elimination, int front, int pivots_of_block) {
  return Layout(elimination, front, pivots_of_block).make();
}

}  // namespace stiffit::internal
