// SPDX-License-Identifier: Apache-2.0
#include "workbench/load_problem.h"

#include <ostream>

#include "base/diagnostic.h"
#include "read/petab/read_petab.h"
#include "workbench/read_file.h"

namespace stiffit {
namespace {

FitProblem load_petab(const std::string& path, const Console& console) {
  PetabReading reading = read_petab(path, read_file);
  if (!reading.problem) throw InputError(reading.text());
  console.messages << reading.text();
  return std::move(*reading.problem);
}

}  // namespace

FitProblem load_problem(const Arguments& arguments, const Console& console) {
  const std::string& name = arguments.positional().front();
  if (is_petab_name(name)) return load_petab(name, console);
  throw UsageError("'" + name + "' is not a PEtab problem", "the file's name must end in .yaml");
}

}  // namespace stiffit
