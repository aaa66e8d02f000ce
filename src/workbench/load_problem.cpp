// SPDX-License-Identifier: Apache-2.0
#include "workbench/load_problem.h"

#include <filesystem>
#include <ostream>

#include "base/diagnostic.h"
#include "base/folder.h"
#include "io/petab/read_petab.h"
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

}  // namespace

LoadedProblem load_petab(const std::string& path, bool only_beside) {
  std::error_code code;
  const auto root =
      std::filesystem::weakly_canonical(std::filesystem::absolute(path).parent_path(), code);
  PetabReading reading =
      only_beside
          ? read_petab(path, [&](const std::string& file) { return read_beside(root, file); })
          : read_petab(path, read_file);
  if (!reading.problem) throw InputError(reading.text());
  return {std::move(*reading.problem), reading.text()};
}

LoadedProblem load_data_problem(const std::shared_ptr<const Model>& model,
                                const DataRequest& request) {
  DataProblem read = read_data(model, request);
  if (!read.problem && read.only_options_wrong) {
    std::string text = read.findings;
    if (text.starts_with("error: ")) text.erase(0, 7);  // is put before every UsageError
    while (text.ends_with('\n')) text.pop_back();
    throw UsageError(text);
  }
  if (!read.problem) throw InputError(read.findings);
  return {std::move(*read.problem), read.findings};
}

std::vector<DataFile> read_data_files(const std::vector<std::string>& names) {
  std::vector<DataFile> files;
  std::string unreadable;
  for (const std::string& name : names) try {
      files.push_back({name, read_file(name)});
    } catch (const InputError& error) {
      unreadable += error.what();
    }
  if (!unreadable.empty()) throw InputError(unreadable);
  return files;
}

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
          {"estimate", "LIST", "unknowns: name[=start][:low:high[:log|lin]],...", 0, true},
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

}  // namespace stiffit
