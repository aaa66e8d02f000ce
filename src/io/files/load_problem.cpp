// SPDX-License-Identifier: Apache-2.0
#include "io/files/load_problem.h"

#include <filesystem>

#include "base/diagnostic.h"
#include "base/files/read_file.h"
#include "base/folder.h"
#include "base/option_error.h"
#include "io/petab/read_petab.h"

namespace stiffit::internal {
namespace {

// Reads files in the folder of the problem and below only.
std::string read_beside(const std::filesystem::path& root, const std::string& path) {
  const FolderFile found = find_in_folder(root, root, std::filesystem::absolute(path).string());
  if (found.path.empty()) throw InputError("error: " + path + ": " + found.reason + "\n");
  return read_file(found.path.string());
}

// The same findings with options that each surface names in its own way.
std::string with_option_names(std::string text) {
  for (const char* name :
       {"estimate", "observe", "data", "noise-distribution", "noise", "weights"}) {
    const std::string dashed = std::string("--") + name, marked = option(name);
    for (std::size_t at = 0; (at = text.find(dashed, at)) != std::string::npos; at += marked.size())
      text.replace(at, dashed.size(), marked);
  }
  return text;
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
    if (text.starts_with("error: ")) text.erase(0, 7);  // is put before every OptionError
    while (text.ends_with('\n')) text.pop_back();
    throw OptionError(with_option_names(text));
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

}  // namespace stiffit::internal
