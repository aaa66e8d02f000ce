// A model of the library, of a text or of a .net file, ready to run: what most tests start from.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/program.h"
#include "ode/simulate.h"
#include "symbolic/system.h"

namespace stiffit::internal {

// The equations of a model. Throws InputError with the findings if it cannot be read.
ResolvedSystem resolve_text(const std::string& name, std::string_view text,
                            const SystemOptions& options = {});
ResolvedSystem resolve_library(std::string_view name, const SystemOptions& options = {});
ResolvedSystem resolve_net(const std::string& path, const SystemOptions& options = {});

struct CompiledModel {
  ResolvedSystem resolved;
  Problem problem;

  const Program& program() const { return *problem.program; }
  // The model's own parameter values with some replaced; throws if a name is unknown.
  std::vector<double> parameters(const std::vector<std::pair<std::string, double>>& changes) const;
  // Times and nothing else special.
  Request request(std::vector<double> times) const;
};
CompiledModel compile_model(ResolvedSystem resolved, const ProgramOptions& options = {});

// 0, end/steps, ..., end.
std::vector<double> even_times(double end, int steps);

// The library's models small enough for tests that run each of them many times, with the end time
// each is customarily run to.
struct SmallModel {
  std::string name;
  double end = 0;
};
inline void PrintTo(const SmallModel& model, std::ostream* out) {
  *out << model.name;
}  // for gtest
const std::vector<SmallModel>& small_library_models();
// All names of the library, the generated networks included.
std::vector<std::string> library_names();

// gtest wants names of letters and digits.
std::string test_name(std::string_view name);

}  // namespace stiffit::internal
