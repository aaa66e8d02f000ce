// Analyses of a model besides its time course: grids of runs, methods compared, reduced forms,
// equations, other languages, and what is wrong with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
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
  bool of_equations = false;         // then message and text are all there is
};

// A model's file, one of models(), or a PEtab problem with all its files: what its reader says,
// units that do not agree, values that are not finite at the start. Empty: nothing is wrong. Throw
// InputError if there is no such file, and Interrupted.
std::vector<Finding> check(const std::string& name, const RunOptions& run = {});
std::vector<Finding> check_text(const std::string& text, const std::string& name = "model",
                                const RunOptions& run = {});

// The same with what a PEtab problem holds, in words; empty if it cannot be read, and of models.
struct CheckedInput {
  std::vector<Finding> findings;
  std::string summary;
};
CheckedInput check_input(const std::string& name, const RunOptions& run = {});

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
  int size = 0;                        // of the Jacobian
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

  std::size_t reached = 0;  // runs that were begun, from the first on

  std::size_t runs() const;
  std::vector<double> point(std::size_t run) const;  // the value on each axis
  std::string place(std::size_t run) const;          // in words: "k1 = 1, S = 2"
};

// Of one run.
struct Work {
  double setting = 0;   // rtol, or the step of a method without error control
  double achieved = 0;  // true error
  long steps = 0, rejected = 0, f = 0, j = 0, lu = 0, newton = 0;
  double seconds = 0;  // of processor time; 0: not timed
};

// Of the cheapest run of a method for the loosest error that it reaches.
struct MethodSteps {
  std::string method;
  double error = 0;                               // that was to be reached; 0: it reaches none
  std::vector<std::complex<double>> eigenvalues;  // of the Jacobian along the solution, times h
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
  std::vector<std::string> methods;                               // that were asked for
  std::vector<MethodSteps> steps;   // if asked for: of methods that take fixed steps
  double reference_agreement = 0;   // of the two methods that the true solution is taken from
  std::string warnings;             // about the start, rendered
  std::string doubt;                // why small errors mean little; empty: they do
  std::string status, explanation;  // done, failed (there is no reference), interrupted
};

// How far a column is from the same one of another run.
struct ColumnDifference {
  std::string name;
  double largest = 0;  // |difference|
  double share = 0;    // of the column's largest magnitude
  double time = 0;     // of the largest difference
  double later = 0;    // the share from a hundredth of the time span on: past an initial layer
};

// A time course beside the same one by another method, at a hundredth of the tolerance.
struct Verification {
  std::string method;  // that was compared with; empty: none got through
  double rtol = 0;     // of that run
  std::vector<ColumnDifference> differences;
  double worst = 0;                // the largest share
  std::vector<std::string> tried;  // methods that could not, and why
  double allowed = 0;              // of a column's maximum; farther apart is wrong
  std::vector<std::string> wrong;  // columns that are, the farthest first, in words

  bool done() const { return !method.empty(); }
  bool agrees() const { return done() && wrong.empty(); }
};

// What a page about a time course holds besides it.
struct CoursePage {
  std::string name;        // of the model, in the title
  std::string csv, stats;  // the table to download; method, counters and seconds as text
  std::optional<Verification> verification = {};
  std::map<std::string, std::string> provenance = {};
};

struct StabilityLimits {
  double real = 0;       // stable up to -h*lambda on the real axis
  double imaginary = 0;  // and up to h*|lambda| on the imaginary one
};
// Of a method that takes fixed steps, by its own step on y' = lambda y. Throws InputError.
StabilityLimits stability_limits(const std::string& method);

}  // namespace api
}  // namespace stiffit
