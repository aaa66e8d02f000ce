// Where tests find what they read: the project's own files, and the suites of others beside the
// project, which not every machine has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

namespace stiffit::internal {

std::string source_path(const std::string& path);     // of the project
std::string reference_path(const std::string& path);  // of tests/reference
std::string shared_path(const std::string& path);     // of the suites of others
bool has_shared(const std::string& path = "");

}  // namespace stiffit::internal

// First in a test that reads `path` of the suites. Without any of them the test is skipped, with
// these words, which ./test counts; where they are and this one is not, something is wrong.
#define STIFFIT_NEEDS_SHARED(path)                             \
  if (!::stiffit::internal::has_shared(path)) {                \
    if (::stiffit::internal::has_shared())                     \
      FAIL() << "no ../shared/" << (path) << " in the suites"; \
    GTEST_SKIP() << "needs ../shared/" << (path);              \
  }                                                            \
  static_assert(true)
