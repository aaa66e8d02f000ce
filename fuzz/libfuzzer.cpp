// One target as a libFuzzer program: half of the changes are libFuzzer's own, half are ours.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstring>

#include "change.h"
#include "target.h"

using namespace stiffit::internal;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

const FuzzTarget& target = STIFFIT_FUZZ_TARGET;

std::string_view view(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

std::size_t deliver(const std::string& text, std::uint8_t* to, std::size_t most) {
  const std::size_t size = std::min(text.size(), most);
  std::memcpy(to, text.data(), size);
  return size;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  target.run(view(data, size));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  SplitMix random(seed);
  if (random.chance(target.change ? 15 : 50)) return LLVMFuzzerMutate(data, size, most);
  return deliver(change_input(target, view(data, size), {}, random), data, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size,
                                                 const std::uint8_t* two, std::size_t two_size,
                                                 std::uint8_t* out, std::size_t most,
                                                 unsigned seed) {
  SplitMix random(seed);
  return deliver(change_input(target, view(one, one_size), view(two, two_size), random), out, most);
}
