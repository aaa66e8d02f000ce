// SPDX-License-Identifier: Apache-2.0
#include "compile/tape.h"

#include <algorithm>
#include <bit>

namespace stiffit::internal {
namespace {

// Constants are told apart by their bits, so that -0.0 and the NaNs keep what they are.
std::size_t hash_of(std::uint64_t bits) {
  bits *= 0x9E3779B97F4A7C15u;  // Fibonacci hashing: 2^64 over the golden ratio
  return static_cast<std::size_t>(bits ^ (bits >> 32));
}

}  // namespace

// `constant_slots_` is a power of two in size, at most half full; 0 is empty, k + 1 is
// constants[k].
void Tape::grow_slots() {
  constant_slots_.assign(std::max<std::size_t>(16, 2 * constant_slots_.size()), 0);
  const std::size_t mask = constant_slots_.size() - 1;
  for (std::size_t k = 0; k < constants.size(); ++k) {
    std::size_t slot = hash_of(std::bit_cast<std::uint64_t>(constants[k])) & mask;
    while (constant_slots_[slot] != 0) slot = (slot + 1) & mask;
    constant_slots_[slot] = static_cast<std::uint32_t>(k + 1);
  }
}

Value Tape::constant(double value) {
  if (2 * (constants.size() + 1) > constant_slots_.size()) grow_slots();
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::size_t mask = constant_slots_.size() - 1;
  std::size_t slot = hash_of(bits) & mask;
  for (; constant_slots_[slot] != 0; slot = (slot + 1) & mask) {
    const std::size_t known = constant_slots_[slot] - 1;
    if (std::bit_cast<std::uint64_t>(constants[known]) == bits) return constant_values_[known];
  }
  const auto index = static_cast<std::uint32_t>(constants.size());
  constant_slots_[slot] = index + 1;
  constants.push_back(value);
  constant_values_.push_back(push({TapeOp::constant, Op::number, index, 0, 0}));
  return constant_values_.back();
}

Value Tape::load(int array, int element) {
  arrays = std::max(arrays, array + 1);
  return push({TapeOp::load, Op::number, static_cast<std::uint32_t>(array),
               static_cast<std::uint32_t>(element), 0});
}

void Tape::store(int array, int element, Value value) {
  arrays = std::max(arrays, array + 1);
  push({TapeOp::store, Op::number, static_cast<std::uint32_t>(array),
        static_cast<std::uint32_t>(element), value});
}

int operand_count(const Instruction& instruction) {
  switch (instruction.op) {
    case TapeOp::constant:
    case TapeOp::load:
      return 0;
    case TapeOp::store:
    case TapeOp::neg:
      return 1;
    case TapeOp::add:
    case TapeOp::sub:
    case TapeOp::mul:
    case TapeOp::div:
      return 2;
    case TapeOp::fma:
    case TapeOp::fms:
    case TapeOp::fnma:
      return 3;
    case TapeOp::apply:
      return std::max(0, arity(instruction.function));
  }
  return 0;
}

}  // namespace stiffit::internal
