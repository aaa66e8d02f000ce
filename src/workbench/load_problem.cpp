// SPDX-License-Identifier: Apache-2.0
#include "workbench/load_problem.h"

#include <filesystem>
#include <ostream>

#include "base/diagnostic.h"
#include "base/folder.h"
#include "read/data/read_data.h"
#include "read/petab/read_petab.h"
#include "workbench/load_model.h"
#include "workbench/read_file.h"

namespace stiffit {
namespace {

// Reads files in the folder of the problem and below only.
std::string read_beside(const std::filesystem::path& root, const std::string& path) {
  const FolderFile found = find_in_folder(root, root, std::filesystem::absolute(path).string());
  if (found.path.empty()) throw InputError("error: " + path + ": " + found.reason + "\n");
  return read_file(found.path.string());
}

FitProblem load_petab(const std::string& path, bool only_beside, const Console& console) {
  std::error_code code;
  const auto root =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path).parent_path(), code);
  PetabReading reading =
      only_beside
          ? read_petab(path, [&](const std::string& file) { return read_beside(root, file); })
          : read_petab(path, read_file);
  if (!reading.problem) throw InputError(reading.text());
  console.messages << reading.text();
  return std::move(*reading.problem);
}

FitProblem load_data(const std::string& name, const Arguments& arguments, const Console& console) {
  LoadedModel loaded = load_model(name);
  console.messages << loaded.warnings;
  DataRequest request;
  std::string unreadable;
  for (const std::string& file : arguments.all("data")) try {
      request.files.push_back({file, read_file(file)});
    } catch (const InputError& error) {
      unreadable += error.what();
    }
  if (!unreadable.empty()) throw InputError(unreadable);
  request.estimates = arguments.all("estimate");
  request.observes = arguments.all("observe");
  DataProblem read = read_data(loaded.model, request);
  if (!read.problem && read.only_options_wrong) {
    std::string text = read.findings;
    if (text.starts_with("error: ")) text.erase(0, 7);  // is put before every UsageError
    while (text.ends_with('\n')) text.pop_back();
    throw UsageError(text);
  }
  if (!read.problem) throw InputError(read.findings);
  console.messages << read.findings;
  return std::move(*read.problem);
}

}  // namespace

std::vector<OptionSpec> problem_options() {
  return {{"data", "FILE", "a table of measurements, first column time; may be repeated", 0, true},
          {"estimate", "LIST", "unknowns: name[=start][:low:high[:log|lin]],...", 0, true},
          {"observe", "FORMULA", "what a column measures: \"A340 = eps*NADH + off\"", 0, true},
          {"only-beside", "", "a PEtab problem reads files of its own folder only", 0, false}};
}

FitProblem load_problem(const Arguments& arguments, const Console& console) {
  const std::string& name = arguments.positional().front();
  const bool data = arguments.has("data");
  if (is_petab_name(name)) {
    for (std::string_view option : {"data", "estimate", "observe"})
      if (arguments.has(option))
        throw UsageError("--" + std::string(option) + " goes with a model, '" + name +
                         "' is a PEtab problem");
    return load_petab(name, arguments.has("only-beside"), console);
  }
  if (data) return load_data(name, arguments, console);
  throw UsageError("'" + name + "' is a model, and there are no data",
                   "--data FILE.csv gives them; a PEtab problem's name ends in .yaml");
}

}  // namespace stiffit
