// The `main` of a benchmark whose `run` may throw.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <exception>

inline int guarded_main(const char* name, int (*run)(int, char**), int count, char** words) {
  try {
    return run(count, words);
  } catch (const std::exception& trouble) {
    std::fprintf(stderr, "%s: %s\n", name, trouble.what());
    return 1;
  }
}
