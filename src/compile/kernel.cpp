// Which way a tape runs on this CPU.
// SPDX-License-Identifier: Apache-2.0
#include "compile/kernel.h"

#include <cstdlib>
#include <stdexcept>
#include <string_view>

namespace stiffit::internal {
namespace {

Isa detect() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return Isa::portable;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return Isa::avx512;
  return Isa::avx2;
#else
  return Isa::portable;
#endif
}

Isa lowered_by_environment(Isa best) {
  const char* wish = std::getenv("STIFFIT_ISA");
  if (wish == nullptr) return best;
  const std::string_view name = wish;
  if (name == "portable") return Isa::portable;
  if (name == "avx2" && best == Isa::avx512) return Isa::avx2;
  return best;
}

}  // namespace

std::vector<Isa> possible_isas() {
  std::vector<Isa> isas{Isa::portable};
  for (Isa isa : {Isa::avx2, Isa::avx512})
    if (isa <= detect()) isas.push_back(isa);
  return isas;
}

Isa best_isa() {
  static const Isa best = lowered_by_environment(detect());
  return best;
}

Kernel make_kernel(const Tape& tape, int lanes, Isa isa) {
  if (isa != Isa::portable) {
    try {
      return emit(tape, lanes, isa);
    } catch (const std::runtime_error&) {  // a hardened system: slow is better than not at all
    }
  }
  return interpret(tape, lanes);
}

}  // namespace stiffit::internal
