// Every problem with a solution known to 15 digits (../shared/reference/problems.md, 1-3 and 5),
// and the error of a run against it. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiled_model.h"

namespace stiffit::internal {

struct ReferenceProblem {
  std::string name;
  std::string file;   // of the solution, in shared/reference
  std::string model;  // of the library; empty: `text`
  std::string text;
  std::vector<std::pair<std::string, double>> changes;       // parameters and initial values
  std::vector<std::pair<std::string, std::string>> columns;  // output -> column, if not the same
  double skip_from = 0, skip_to = 0;                         // times in between do not count
  bool explicit_methods_crawl = false;                       // a million steps, whatever the rtol
};

const std::vector<ReferenceProblem>& reference_problems();
CompiledModel compile_problem(const ReferenceProblem& problem);

// A problem with its solution read and its model compiled.
class ReferenceRun {
 public:
  explicit ReferenceRun(const ReferenceProblem& problem);
  // Each component's largest deviation over its own maximum, the largest of these; infinite if the
  // run does not finish.
  double error(const IntegrationOptions& options) const;
  double end() const { return request_.times.back(); }

 private:
  CompiledModel model_;
  Request request_;
  std::vector<std::vector<double>> reference_;  // per output, a value per time
  std::vector<char> counts_;                    // per time
};

}  // namespace stiffit::internal
