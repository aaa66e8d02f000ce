// SPDX-License-Identifier: Apache-2.0
#include "io/files/load_model.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/files/read_file.h"
#include "base/folder.h"
#include "io/bng/read_bng.h"
#include "io/sbml/read_sbml.h"
#include "io/text/read_text.h"
#include "model/library/library.h"

namespace stiffit::internal {
namespace {

struct Place {
  std::string base;      // file or library name
  std::string submodel;  // "" if none was picked
};

// Something to open: a regular file, or a pipe as the shell's <(...) makes it.
bool is_file(const std::string& path) {
  std::error_code code;
  auto status = std::filesystem::status(path, code);
  return std::filesystem::exists(status) && !std::filesystem::is_directory(status);
}

Place place_of(const std::string& name) {
  std::size_t hash = name.rfind('#');
  if (hash == std::string::npos || is_file(name)) return {name, ""};
  return {name.substr(0, hash), name.substr(hash + 1)};
}

[[noreturn]] void no_such_model(const std::string& name) {
  std::error_code code;
  if (std::filesystem::exists(name, code) || name.find_first_of("/.") != std::string::npos)
    read_file(name);  // says what is wrong with it
  std::vector<std::string> names;
  for (const LibraryModel& m : library_models()) names.emplace_back(m.name);
  std::string nearest = nearest_name(name, names);
  throw InputError(
      "error: no file and no library model is called '" + name + "'\n  " +
      (nearest.empty() ? "'stiffit models' lists the library" : "did you mean '" + nearest + "'?") +
      "\n");
}

std::shared_ptr<const Source> open_source(const std::string& base) {
  if (is_file(base)) return std::make_shared<Source>(base, read_file(base));
  const LibraryModel* found = find_library_model(base);
  if (!found) no_such_model(base);
  return std::make_shared<Source>(base, std::string(found->text));
}

// Where external definitions of a model may lie.
std::string folder_of(const std::string& path) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

// Reads files in the folder of a model and below, nothing else: a model from elsewhere must not see
// the rest of the machine.
TextFiles files_beside(const std::string& base) {
  if (!is_file(base))
    return [](const std::string&) -> std::string {
      throw InputError("a library model has no files beside it");
    };
  std::error_code code;
  return
      [root = std::filesystem::weakly_canonical(folder_of(base), code)](const std::string& name) {
        const FolderFile found = find_in_folder(root, root, name);
        if (found.path.empty()) throw InputError(found.reason);
        return read_file(found.path.string());
      };
}

std::string lower_ending(std::string_view path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

// A line "begin parameters" and the like, which BioNetGen files have near their top.
bool has_network_block(std::string_view content) {
  std::string_view head = content.substr(0, 1 << 16);
  while (!head.empty()) {
    std::size_t end = std::min(head.find('\n'), head.size());
    std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 1, head.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (!line.starts_with("begin")) continue;
    line.remove_prefix(5);
    std::size_t word = line.find_first_not_of(" \t");
    if (word == 0 || word == std::string_view::npos) continue;
    line.remove_prefix(word);
    for (std::string_view block : {"parameters", "species", "reactions", "groups", "functions"})
      if (line.starts_with(block)) return true;
  }
  return false;
}

}  // namespace

ModelKind kind_of_model(std::string_view path, std::string_view content) {
  std::size_t first = content.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos) {
    std::string_view start = content.substr(first);
    if (start.starts_with("<?xml") || start.starts_with("<sbml") || start.starts_with("<!--"))
      return ModelKind::sbml;
  }
  if (has_network_block(content)) return ModelKind::bng;
  std::string ending = lower_ending(path);
  if (ending == ".net") return ModelKind::bng;
  if (ending == ".xml" || ending == ".sbml") return ModelKind::sbml;
  return ModelKind::text;
}

namespace {

// `folder`: where other files that it names lie; empty: it sees none.
ReadModel read_source(const Place& place, const std::shared_ptr<const Source>& source,
                      const TextFiles& files, const std::string& folder) {
  ReadModel read{nullptr, Diagnostics(source)};
  std::optional<Model> model;
  switch (kind_of_model(place.base, source->text())) {
    case ModelKind::text:
      model = read_text(source, read.diagnostics, place.submodel, files, folder);
      break;
    case ModelKind::bng:
      if (place.submodel.empty())
        model = read_bng(source, read.diagnostics);
      else
        read.diagnostics.error({}, "a BioNetGen network holds one model only",
                               "leave '#" + place.submodel + "' away");
      break;
    case ModelKind::sbml:
      model = read_sbml(source, read.diagnostics, folder, place.submodel);
      break;
  }
  if (model && !read.diagnostics.has_errors())
    read.model = std::make_shared<const Model>(std::move(*model));
  else if (!read.diagnostics.has_errors())
    throw std::logic_error("a reader gave neither a model nor an error");
  return read;
}

LoadedModel without_errors(const ReadModel& read) {
  std::string findings = render(read.diagnostics);
  if (!read.model) throw InputError(findings);
  return {read.model, findings};
}

}  // namespace

ReadModel read_model(const std::string& name) {
  const Place place = place_of(name);
  return read_source(place, open_source(place.base), files_beside(place.base),
                     is_file(place.base) ? folder_of(place.base) : "");
}

LoadedModel load_model(const std::string& name) { return without_errors(read_model(name)); }

ReadModel read_model_text(const std::string& name, std::string text, const std::string& submodel) {
  const TextFiles no_files = [](const std::string&) -> std::string {
    throw InputError("a model that is given as text has no files beside it");
  };
  return read_source({name, submodel}, std::make_shared<Source>(name, std::move(text)), no_files,
                     "");
}

LoadedModel load_model_text(const std::string& name, std::string text,
                            const std::string& submodel) {
  return without_errors(read_model_text(name, std::move(text), submodel));
}

}  // namespace stiffit::internal
