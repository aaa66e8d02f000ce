// What benchmarks of fitting problems share: a problem by its name, and how time is measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "io/petab/read_petab.h"

namespace stiffit::internal::benchmark {

// Of this thread, so that other work on the machine counts as little as possible.
inline double cpu_milliseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * double(now.tv_sec) + 1e-6 * double(now.tv_nsec);
}

inline double median(std::vector<double> values) {
  auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

inline FitProblem read_problem(const std::string& name) {
  const std::string folder = std::string(STIFFIT_SHARED_DIR) + "/petab-benchmarks/" + name + "/";
  PetabReading reading = read_petab(folder + name + ".yaml", [](const std::string& path) {
    std::ifstream file(path);
    if (!file) throw InputError("cannot read " + path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  });
  if (!reading.problem) throw InputError("cannot read " + name);
  return std::move(*reading.problem);
}

}  // namespace stiffit::internal::benchmark
