// SPDX-License-Identifier: Apache-2.0
#include "cli/problem_option.h"

#include <ostream>

#include "io/files/load_model.h"
#include "io/files/load_problem.h"
#include "io/petab/read_petab.h"

namespace stiffit::internal {
namespace {

LoadedProblem load_data(const std::string& name, const Arguments& arguments,
                        const Console& console) {
  LoadedModel loaded = load_model(name);
  console.messages << loaded.warnings;
  return load_data_problem(loaded.model, {read_data_files(arguments.all("data")),
                                          arguments.all("estimate"), arguments.all("observe")});
}

}  // namespace

std::vector<OptionSpec> problem_options() {
  return {{"data", "FILE", "a table of measurements, first column time; may be repeated", 0, true},
          {"estimate", "LIST", "parameters to estimate: name[=start][:low:high[:log|lin]],...", 0,
           true},
          {"observe", "FORMULA", "what a column measures: \"A340 = eps*NADH + off\"", 0, true},
          {"only-beside", "", "a PEtab problem reads files of its own folder only", 0, false}};
}

FitProblem load_problem(const Arguments& arguments, const Console& console) {
  const std::string& name = arguments.positional().front();
  LoadedProblem loaded;
  if (is_petab_name(name)) {
    for (std::string_view option : {"data", "estimate", "observe"})
      if (arguments.has(option))
        throw UsageError("--" + std::string(option) + " goes with a model, '" + name +
                         "' is a PEtab problem");
    loaded = load_petab(name, arguments.has("only-beside"));
  } else if (arguments.has("data")) {
    loaded = load_data(name, arguments, console);
  } else {
    throw UsageError("'" + name + "' is a model, and there are no data",
                     "--data FILE.csv gives them; a PEtab problem's name ends in .yaml");
  }
  console.messages << loaded.warnings;
  return std::move(loaded.problem);
}

}  // namespace stiffit::internal
