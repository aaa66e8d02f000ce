// Three functions of AsmJit for shared libraries: Debian's archive has them in an object that
// refers to stderr in a way only programs can. The object stays away when these are there first.
// They are for messages and failed assertions, neither of which its release build has.
// SPDX-License-Identifier: Apache-2.0
#include <asmjit/core/globals.h>

#include <cstdio>
#include <cstdlib>

ASMJIT_BEGIN_NAMESPACE
namespace DebugUtils {

const char* errorAsString(Error) noexcept { return "error of the assembler"; }

void debugOutput(const char* text) noexcept { std::fputs(text, stderr); }

void assertionFailed(const char* file, int line, const char* message) noexcept {
  std::fprintf(stderr, "%s:%d: %s\n", file, line, message);
  std::abort();
}

}  // namespace DebugUtils
ASMJIT_END_NAMESPACE
