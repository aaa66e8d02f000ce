// A grid of simulations: every combination of the values of some parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/pipeline/time_course.h"
#include "analysis/pipeline/varied_parameters.h"

namespace stiffit::internal {

struct ScanOptions {
  std::vector<ScanAxis> axes;  // the last moves fastest
  TimeCourseOptions course;    // of every run
  int threads = 1;
  std::function<void(double runs)> progress = {};  // told how many are done
};

class Scan {
 public:
  // Throws OptionError and InputError.
  Scan(std::shared_ptr<const Model> model, ScanOptions options);

  std::size_t size() const { return size_; }  // runs
  const std::vector<ScanAxis>& axes() const { return options_.axes; }
  std::vector<double> point(std::size_t run) const;  // the value on each axis
  std::string place(std::size_t run) const;          // in words: "k1 = 1, S = 2"
  std::vector<std::string> columns() const;          // without axes and time
  const std::vector<double>& times() const { return course_.request.times; }
  const std::string& warnings() const { return course_.warnings; }

  // `each` is told of every run in the order of the grid, with all its rows (NaN where it did not
  // get) and why it failed, in words; empty: it did not. Of an interrupted scan the last runs may
  // be unfinished or missing.
  struct Outcome {
    std::size_t failures = 0;  // an interrupted run is one
    bool interrupted = false;
  };
  using Each = std::function<void(std::size_t run, const std::vector<double>& values,
                                  const std::string& failure)>;
  Outcome simulate(const Each& each) const;

 private:
  std::vector<Request> requests(std::size_t first) const;

  ScanOptions options_;
  PreparedCourse course_;
  std::vector<int> moved_;  // per axis: the parameter of the program
  std::size_t size_ = 1;
};

}  // namespace stiffit::internal
