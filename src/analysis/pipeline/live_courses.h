// Time courses whose values change again and again: the model stays compiled, and a request changes
// values only. What a value is part of the code of (an exponent, an initial assignment that it
// replaces) makes another compiled form, in which it may move from then on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "analysis/pipeline/time_course.h"
#include "base/lru_cache.h"

namespace stiffit::internal {

struct LiveRequest {
  TimeCourseOptions options;             // its `set` is empty
  std::map<std::string, double> set;     // parameters, compartments, initial values
  std::size_t most_values = 20'000'000;  // rows times states and columns
};

// The answer would hold more than `most_values`.
class TooManyValues : public std::length_error {
 public:
  TooManyValues() : std::length_error("the answer would be too large") {}
};

// For any number of threads.
class LiveCourses {
 public:
  explicit LiveCourses(std::size_t most) : courses_(most) {}  // compiled forms that are kept

  // `key` tells the model from the others. Throws InputError and OptionError if the request does
  // not suit it, and TooManyValues.
  TimeCourse simulate(const std::shared_ptr<const Model>& model, const std::string& key,
                      const LiveRequest& request);
  std::size_t compiled() const { return compiled_; }  // how often, for tests

 private:
  struct Course;
  std::shared_ptr<const Course> course(const std::shared_ptr<const Model>& model,
                                       const std::string& key, const LiveRequest& request,
                                       const std::vector<std::string>& built_in);

  LruCache<const Course> courses_;
  std::atomic<std::size_t> compiled_{0};
};

}  // namespace stiffit::internal
