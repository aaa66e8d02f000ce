// Every finding about a model or a PEtab problem, all at once: what its reader says, whether its
// units agree, whether its equations can be had and have a value at the start.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "io/files/load_model.h"

namespace stiffit::internal {

struct Finding {
  Severity severity = Severity::error;
  std::string message, hint;
  std::string file;                  // empty: about the whole
  int line = 0, column = 0;          // from 1 on; 0: about the whole file
  std::string text;                  // rendered, with the line and a caret
  bool rendered_only = false;        // about the equations: message and text are all there is
  int end_line = 0, end_column = 0;  // behind what it is about; 0: not known
};

std::vector<Finding> check_model(const ReadModel& read);

struct CheckedProblem {
  std::vector<Finding> findings;
  std::string summary;  // what the problem holds; empty if it cannot be read
};
// A PEtab problem with all its files. Throws InputError if there is no such file.
CheckedProblem check_petab(const std::string& path);

}  // namespace stiffit::internal
