// SPDX-License-Identifier: Apache-2.0
#include "io/petab/read_petab.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "io/bng/read_bng.h"
#include "io/petab/petab_part.h"
#include "io/petab/petab_yaml.h"
#include "io/sbml/read_sbml.h"
#include "io/text/read_text.h"

namespace stiffit::internal {
namespace {

std::string folder_of(const std::string& path) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

bool starts_like_xml(std::string_view text) {
  std::size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos || text[first] == '<';
}

class ProblemReader {
 public:
  ProblemReader(const std::string& path, const FileReader& read) : path_(path), read_(read) {}

  PetabReading run() {
    yaml_ = open(path_);
    contents_ = read_petab_yaml(*yaml_);
    std::vector<TsvTable> parameter_tables = tables(contents_.parameters);
    parameters_ = read_petab_parameters(parameter_tables, contents_.version);
    if (parameter_tables.size() != contents_.parameters.size()) parameters_.complete = false;
    std::vector<FitProblem> parts;
    int rows = 0;
    for (const PetabGroup& group : contents_.groups) read_group(group, parts, rows);
    if (complete_) check_parameters();
    return finish(std::move(parts));
  }

 private:
  std::shared_ptr<PetabFile> open(const std::string& path) {
    files_.push_back(std::make_shared<PetabFile>(path, read_(path)));
    return files_.back();
  }

  std::string place_of(const PetabPath& path) const {
    std::filesystem::path given(path.path);
    if (given.is_absolute()) return path.path;
    std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    return (folder / given).string();
  }

  // Nothing, after a report, if it cannot be read.
  std::shared_ptr<PetabFile> open_named(const PetabPath& path) {
    try {
      return open(place_of(path));
    } catch (const InputError& error) {
      std::string text = error.what();
      while (text.ends_with("\n")) text.pop_back();
      if (text.starts_with("error: ")) text.erase(0, 7);
      yaml_->error(path.span, text);
      complete_ = false;
      return nullptr;
    }
  }

  std::vector<TsvTable> tables(const std::vector<PetabPath>& paths) {
    std::vector<TsvTable> found;
    for (const PetabPath& path : paths)
      if (auto file = open_named(path)) found.emplace_back(file);
    return found;
  }

  std::optional<Model> read_model(const PetabModelFile& named) {
    std::shared_ptr<PetabFile> file = open_named(named.file);
    if (!file) return std::nullopt;
    Diagnostics& diagnostics = file->diagnostics();
    const auto& source = diagnostics.shared_source();
    std::optional<Model> model;
    // Version 1 speaks of SBML only; a text model there is no harm.
    bool text_in_v1 = contents_.version == PetabVersion::v1 && !starts_like_xml(file->text());
    if (named.language == "sbml" && !text_in_v1)
      model = read_sbml(source, diagnostics, folder_of(file->name()));
    else if (named.language == "antimony" || named.language == "text" || text_in_v1)
      model =
          read_text(source, diagnostics, {}, {}, {},
                    named.language == "antimony" ? TextDialect::antimony : TextDialect::by_name);
    else if (named.language == "bngl" && file->name().ends_with(".net"))
      model = read_bng(source, diagnostics);
    else
      yaml_->error(named.file.span, "models in language '" + named.language + "' cannot be read",
                   named.language == "bngl" ? "a .net file, which BioNetGen writes, can"
                                            : "sbml, antimony, or bngl with a .net file can");
    if (!model) complete_ = false;
    if (model && !model->source) model->source = source;
    return model;
  }

  void read_group(const PetabGroup& group, std::vector<FitProblem>& parts, int& rows) {
    std::vector<std::optional<Model>> models;
    for (const PetabModelFile& named : group.models) models.push_back(read_model(named));
    PetabTables found{tables(group.conditions), tables(group.experiments),
                      tables(group.observables), tables(group.measurements),
                      tables(group.mappings)};
    found.conditions_complete = found.conditions.size() == group.conditions.size();
    found.experiments_complete = found.experiments.size() == group.experiments.size();
    found.observables_complete = found.observables.size() == group.observables.size();
    bool several = group.models.size() > 1;
    check_model_ids(group, found);
    PetabUsage usage;
    for (std::size_t i = 0; i < models.size(); ++i) {
      if (!models[i]) continue;
      PetabPartInput input{contents_.version,  parameters_, found,
                           group.models[i].id, several,     rows};
      parts.push_back(PetabPart(input, std::move(*models[i]), usage).read());
      parts.back().id = group.models[i].id;
    }
    for (const TsvTable& table : found.measurements) rows += static_cast<int>(table.size());
    if (rows == 0 && !found.measurements.empty())
      found.measurements.front().file().error({}, "there are no measurements");
    for (const std::string& id : usage.parameters) used_parameters_.insert(id);
    if (complete_ && !has_errors()) check_usage(found, usage);
    kept_.push_back(std::move(found));
  }

  bool has_errors() const {
    for (const auto& file : files_)
      if (file->diagnostics().has_errors()) return true;
    return false;
  }

  void check_model_ids(const PetabGroup& group, const PetabTables& found) {
    std::vector<std::string> ids;
    for (const PetabModelFile& model : group.models) ids.push_back(model.id);
    for (const TsvTable& table : found.measurements) {
      if (ids.size() > 1 && !table.require({"modelId"})) continue;
      if (contents_.version == PetabVersion::v1) return;
      for (std::size_t i = 0; i < table.size(); ++i) {
        TsvRow row = table.row(i);
        const std::string& id = row["modelId"].text;
        if (std::find(ids.begin(), ids.end(), id) != ids.end()) continue;
        if (ids.size() < 2 && is_missing(id)) continue;
        std::string nearest = nearest_name(id, ids);
        row.error("modelId",
                  is_missing(id) ? "with several models, each measurement must say which"
                                 : "there is no model '" + id + "'",
                  nearest.empty() ? "" : "did you mean '" + nearest + "'?");
      }
    }
  }

  void check_usage(const PetabTables& found, const PetabUsage& usage) {
    auto unused = [](const std::vector<TsvTable>& tables, std::string_view column,
                     const std::unordered_set<std::string>& used, const std::string& what,
                     const std::string& rest) {
      std::unordered_set<std::string> said;
      for (const TsvTable& table : tables)
        for (std::size_t i = 0; i < table.size(); ++i) {
          TsvRow row = table.row(i);
          const std::string& id = row[column].text;
          if (!used.contains(id) && said.insert(id).second)
            row.warning(column, what + " '" + id + "' " + rest);
        }
    };
    unused(found.observables, "observableId", usage.observables, "observable",
           "has no measurements");
    bool v1 = contents_.version == PetabVersion::v1;
    unused(found.conditions, "conditionId", usage.conditions, "condition",
           v1 ? "has no measurements" : "is in no experiment");
    unused(found.experiments, "experimentId", usage.experiments, "experiment",
           "has no measurements");
    for (const TsvTable& table : found.mappings)
      for (std::size_t i = 0; i < table.size(); ++i) {
        TsvRow row = table.row(i);
        if (row.has("modelEntityId") && !usage.mappings.contains(row["petabEntityId"].text))
          row.error("modelEntityId", "'" + row["modelEntityId"].text + "' is not in the model");
      }
  }

  void check_parameters() {
    if (has_errors()) return;
    for (std::size_t i = 0; i < parameters_.parameters.size(); ++i) {
      const ProblemParameter& p = parameters_.parameters[i];
      if (p.estimated && !used_parameters_.contains(p.id))
        parameters_.rows[i].warning("parameterId",
                                    "'" + p.id + "' is estimated, but nothing uses it");
    }
  }

  PetabReading finish(std::vector<FitProblem> parts) {
    PetabReading reading;
    for (const auto& file : files_) reading.findings.push_back(file->diagnostics());
    if (reading.has_errors() || parts.empty()) {
      if (!reading.has_errors()) throw std::logic_error("a problem without parts and errors");
      return reading;
    }
    FitProblem problem;
    if (parts.size() == 1) {
      problem = std::move(parts.front());
    } else {
      problem.parameters = parameters_.parameters;
      for (FitProblem& part : parts)
        for (ProblemParameter& p : part.parameters) p.prior = {};
      problem.parts = std::move(parts);
    }
    problem.id = contents_.id.empty() ? std::filesystem::path(path_).stem().string() : contents_.id;
    problem.source = path_;
    problem.petab_version = contents_.version == PetabVersion::v1 ? 1 : 2;
    for (FitProblem& part : problem.parts) part.source = path_;
    for (const Diagnostics& file : reading.findings)
      for (const Diagnostic& finding : file.items())
        problem.warnings.push_back(render(finding, file.source()));
    reading.problem = std::move(problem);
    return reading;
  }

  std::string path_;
  const FileReader& read_;
  std::vector<std::shared_ptr<PetabFile>> files_;
  std::shared_ptr<PetabFile> yaml_;
  PetabContents contents_;
  PetabParameters parameters_;
  std::vector<PetabTables> kept_;
  std::unordered_set<std::string> used_parameters_;
  bool complete_ = true;  // every file could be opened, every model read
};

}  // namespace

bool is_petab_name(std::string_view path) {
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

bool PetabReading::has_errors() const {
  for (const Diagnostics& d : findings)
    if (d.has_errors()) return true;
  return false;
}

std::string PetabReading::text() const {
  std::string out;
  for (const Diagnostics& d : findings) out += render(d);
  return out;
}

PetabReading read_petab(const std::string& yaml_path, const FileReader& read) {
  return ProblemReader(yaml_path, read).run();
}

}  // namespace stiffit::internal
