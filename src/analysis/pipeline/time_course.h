// One time course, from the name of a model to numbers: what `simulate` does, without the talking.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/model.h"
#include "model/model_settings.h"
#include "ode/simulate.h"

namespace stiffit::internal {

struct TimeCourseOptions {
  double start = not_set;         // not_set: the model's
  double end = not_set;           // not_set: the model's default end time, else `default_end`
  long points = 100;              // steps of the output grid: points + 1 rows
  std::vector<double> times;      // ascending; given: exactly these rows instead of a grid
  ModelSettings set;              // parameters, compartments, initial values
  std::vector<std::string> show;  // empty: what the model shows by itself
  bool amounts = false;           // species as amounts
  std::vector<std::string> sensitivities;  // by these: a column d(x)/d(p) for each column x
  int lanes = 1;                           // 0: what is best for many
  IntegrationOptions integration;
};

inline constexpr double default_end = 100;

struct Stopwatch {
  double load = 0, compile = 0, integrate = 0;  // seconds
};

struct TimeCourse {
  std::vector<std::string> columns;  // without time
  std::vector<double> times;         // rows reached
  std::vector<double> values;        // [row][column]
  Outcome outcome;
  std::string explanation;         // of an outcome that is not `done`; empty otherwise
  std::string warnings;            // about the start, rendered; empty if there are none
  std::vector<std::string> notes;  // what a reader of the numbers should know, a sentence each
  std::string below_zero;          // a species that should not be there; empty: none
  std::string method;
  Stopwatch seconds;
};

// The rows asked for. Throws OptionError for an end before the start and the like.
std::vector<double> output_times(const Model& model, const TimeCourseOptions& options);

// A model with its settings made, resolved and compiled for these options; parameters in `varied`
// may change afterwards. Throws InputError and OptionError.
struct PreparedCourse {
  std::shared_ptr<const Model> model;
  ResolvedSystem resolved;
  std::vector<Output> columns;
  Problem problem;
  Request request;       // start and times
  std::string warnings;  // about the start, rendered
};
PreparedCourse prepare_course(std::shared_ptr<const Model> model, const TimeCourseOptions& options,
                              const std::vector<std::string>& varied = {});

// As JSON documents call it: "done", "step-too-small", ...
const char* word_for(Status status);

// The rows that a trajectory reached and how it ended; columns are set already.
void take_trajectory(TimeCourse& course, Trajectory trajectory, const std::vector<double>& times,
                     const Program& program);

// Throws InputError and OptionError; what goes wrong numerically is in the outcome.
TimeCourse time_course(std::shared_ptr<const Model> model, const TimeCourseOptions& options);

}  // namespace stiffit::internal
