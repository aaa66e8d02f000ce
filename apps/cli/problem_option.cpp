// SPDX-License-Identifier: Apache-2.0
#include "cli/problem_option.h"

#include <ostream>

#include "cli/console_run.h"

namespace stiffit::internal {
namespace {

api::Problem load_data(const std::string& name, const Arguments& arguments,
                       const Console& console) {
  const api::Model model = api::Model::load(name, reading(console));
  console.messages << model.warnings();
  auto last_of = [&](std::string_view option) {
    const std::vector<std::string> all = arguments.all(option);
    return all.empty() ? std::string() : all.back();
  };
  std::vector<api::DataTable> tables;
  for (const std::string& file : arguments.all("data")) tables.push_back({file});
  api::Problem problem = api::Problem::from_data(
      model, tables, arguments.all("estimate"), arguments.all("observe"), reading(console),
      {arguments.all("noise"), last_of("weights"), last_of("noise-distribution")});
  console.messages << problem.warnings().substr(model.warnings().size());
  return problem;
}

}  // namespace

std::vector<OptionSpec> problem_options() {
  return {
      {"data", "FILE", "a table of measurements, first column time; may be repeated", 0, true},
      {"estimate", "LIST", "parameters to estimate: name[=start][:low:high[:log|lin]],...", 0,
       true},
      {"observe", "FORMULA", "what a column measures: \"A340 = eps*NADH + off\"", 0, true},
      {"noise", "FORMULA", "how noisy it is: \"A340 = s*A340 + s0\"; new names are estimated", 0,
       true},
      {"weights", "W", "errors in the tables: absolute (default), or relative, up to a factor", 0,
       false},
      {"noise-distribution", "D",
       "normal (default), laplace, student-t[:FREEDOM], or student-t:? to estimate it", 0, false},
      {"only-beside", "", "a PEtab problem reads files of its own folder only", 0, false}};
}

api::Problem load_problem(const Arguments& arguments, const Console& console) {
  const std::string& name = arguments.positional().front();
  if (api::is_petab(name)) {
    for (std::string_view option :
         {"data", "estimate", "observe", "noise", "weights", "noise-distribution"})
      if (arguments.has(option))
        throw UsageError("--" + std::string(option) + " goes with a model, '" + name +
                         "' is a PEtab problem");
    api::Problem problem =
        api::Problem::petab(name, reading(console), arguments.has("only-beside"));
    console.messages << problem.warnings();
    return problem;
  }
  if (arguments.has("data")) return load_data(name, arguments, console);
  throw UsageError("'" + name + "' is a model, and there are no data",
                   "--data FILE.csv gives them; a PEtab problem's name ends in .yaml");
}

}  // namespace stiffit::internal
