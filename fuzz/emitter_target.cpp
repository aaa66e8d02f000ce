// Random tapes: machine code against the oracle, bit for bit, on memory full of special values. The
// first byte says for which lanes and instructions; the others take the place of chance.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <map>
#include <memory>

#include "compile/tape_trial.h"
#include "target.h"

namespace stiffit::internal {
namespace {

// Two bytes of the input at a time; when they are used up, chance.
class InputBytes {
 public:
  using result_type = std::uint32_t;
  explicit InputBytes(std::string_view input) : input_(input), rest_(input.size()) {}
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() {
    if (at_ + 2 > input_.size()) return static_cast<result_type>(rest_.next());
    const auto low = static_cast<unsigned char>(input_[at_]),
               high = static_cast<unsigned char>(input_[at_ + 1]);
    at_ += 2;
    return low | high << 8u;
  }

 private:
  std::string_view input_;
  SplitMix rest_;
  std::size_t at_ = 0;
};

struct Way {
  Isa isa;
  int lanes;
};

const std::vector<Way>& ways() {
  static const std::vector<Way> all = [] {
    std::vector<Way> list;
    for (Isa isa : possible_isas())
      for (int lanes : {1, 4, 8}) list.push_back({isa, lanes});
    return list;
  }();
  return all;
}

Kernel kernel_of(const Tape& tape, Way way) {
  return way.isa == Isa::portable ? interpret(tape, way.lanes) : emit(tape, way.lanes, way.isa);
}

void run(std::string_view input) {
  if (input.size() < 4) return;
  const auto byte = [&](int k) {
    return static_cast<unsigned char>(input[static_cast<std::size_t>(k)]);
  };
  const Way way = ways()[byte(0) % ways().size()];
  TapeShape shape;
  shape.arrays = 1 + byte(1) % 20;
  shape.elements = 1 + byte(2) % 40;
  shape.reach = 1 + 4 * byte(3);
  shape.size = 4 + static_cast<int>(input.size()) / 8;
  // The interpreter rounds fused operations and calls functions in its own way.
  shape.mix = way.isa == Isa::portable ? TapeMix::exact : TapeMix::all;
  InputBytes bytes(input.substr(4));
  const Tape tape = random_tape(bytes, shape);
  TrialMemory memory(shape.arrays, shape.elements, way.lanes);
  memory.fill(bytes);
  TrialMemory expected = memory.copy();
  static std::map<std::pair<Isa, int>, std::unique_ptr<TrialOracle>> oracles;
  auto& oracle = oracles[{way.isa, way.lanes}];
  if (!oracle) oracle = std::make_unique<TrialOracle>(way.lanes, way.isa);
  oracle->run(tape, expected);
  kernel_of(tape, way)(memory.arrays());
  must_hold(memory.differences(expected) == 0, "code leaves in memory what the tape says");
}

}  // namespace

const FuzzTarget emitter_target{"emitter", 1200, 2000, run, {}};

}  // namespace stiffit::internal
