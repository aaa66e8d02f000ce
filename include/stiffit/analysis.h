// Analyses of a model besides its time course: grids of runs, methods compared, reduced forms,
// equations, other languages, and what is wrong with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "stiffit/options.h"

namespace stiffit {
inline namespace api {

// What there is to say about an input, all at once.
struct Finding {
  std::string severity;              // error, warning
  std::string message, hint;         // in words; the hint may be empty
  std::string file;                  // empty: about the whole
  int line = 0, column = 0;          // from 1 on; 0: about the whole file
  std::string text;                  // as the program shows it, with the line and a caret
  int end_line = 0, end_column = 0;  // behind what it is about; 0: not known
};

// A model's file, one of models(), or a PEtab problem with all its files: what its reader says,
// units that do not agree, values that are not finite at the start. Empty: nothing is wrong. Throw
// InputError if there is no such file, and Interrupted.
std::vector<Finding> check(const std::string& name, const RunOptions& run = {});
std::vector<Finding> check_text(const std::string& text, const std::string& name = "model",
                                const RunOptions& run = {});

// A model in another language.
struct Conversion {
  std::string text;
  std::vector<std::string> left_out;  // what that language has no words for, a sentence each
};

struct Equations {
  struct Row {
    std::string state, derivative;  // by time
  };
  std::vector<Row> rows;
  std::vector<std::string> conserved;  // "A + 2 B = constant"
  long jacobian_nonzeros = 0;
};

// `count` values from low to high, evenly spaced or, with `log`, at even ratios. Throws InputError.
std::vector<double> grid(double low, double high, long count, bool log = false);

struct Scan {
  std::vector<ScanAxis> axes;
  std::vector<std::string> columns;  // without axes and time
  std::vector<double> times;
  std::vector<double> values;  // [run][time][column]; NaN where a run did not get
  struct Failure {
    std::size_t run = 0;
    std::string reason;
  };
  std::vector<Failure> failures;
  std::string warnings;  // about the start, rendered
  bool interrupted = false;

  std::size_t runs() const;
  std::vector<double> point(std::size_t run) const;  // the value on each axis
};

// Of one run.
struct Work {
  double setting = 0;   // rtol, or the step of a method without error control
  double achieved = 0;  // true error
  long steps = 0, rejected = 0, f = 0, j = 0, lu = 0, newton = 0;
  double seconds = 0;  // of processor time; 0: not timed
};

struct Comparison {
  struct Row {
    std::string method;
    double error = 0;          // that was to be reached
    std::optional<Work> best;  // with the fewest steps; none: `reason`
    std::string reason;
  };
  std::vector<Row> table;  // method by method, error by error
  std::vector<std::pair<std::string, std::vector<Work>>> curves;  // every run of each method
  double reference_agreement = 0;   // of the two methods that the true solution is taken from
  std::string warnings;             // about the start, rendered
  std::string doubt;                // why small errors mean little; empty: they do
  std::string status, explanation;  // done, failed (there is no reference), interrupted
};

struct Reduction;  // of model.h

// How far a column of the new model is from that of the old one.
struct ColumnDifference {
  std::string name;
  double largest = 0;  // |difference|
  double share = 0;    // of the column's largest magnitude
  double time = 0;     // of the largest difference
  double later = 0;    // the share from a hundredth of the time span on: past an initial layer
};

}  // namespace api
}  // namespace stiffit
