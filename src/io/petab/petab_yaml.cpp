// SPDX-License-Identifier: Apache-2.0
#include "io/petab/petab_yaml.h"

#include <yaml-cpp/yaml.h>

#include <algorithm>

namespace stiffit::internal {
namespace {

class YamlReader {
 public:
  explicit YamlReader(PetabFile& file) : file_(file) {}

  PetabContents read() {
    YAML::Node root;
    try {
      root = YAML::Load(std::string(file_.text()));
    } catch (const YAML::Exception& error) {
      file_.error(span_of(error.mark), "this is not YAML: " + error.msg);
      return {};
    }
    if (!root.IsMap()) {
      file_.error({}, "this is not a PEtab problem", "a map with 'format_version' is expected");
      return {};
    }
    contents_.id = root["problem_id"] && root["problem_id"].IsScalar() ? root["problem_id"].Scalar()
                   : root["id"] && root["id"].IsScalar()               ? root["id"].Scalar()
                                                                       : "";
    if (!read_version(root)) return contents_;
    if (contents_.version == PetabVersion::v1)
      read_version_1(root);
    else
      read_version_2(root);
    return contents_;
  }

 private:
  Span span_of(const YAML::Mark& mark, std::size_t width = 1) const {
    if (mark.is_null() || mark.pos < 0) return {};
    auto size = static_cast<std::uint32_t>(file_.text().size());
    auto begin = std::min(static_cast<std::uint32_t>(mark.pos), size);
    return {begin, std::min(begin + static_cast<std::uint32_t>(width), size)};
  }

  Span span_of(const YAML::Node& node) const {
    return span_of(node.Mark(),
                   node.IsScalar() ? std::max<std::size_t>(node.Scalar().size(), 1) : 1);
  }

  bool read_version(const YAML::Node& root) {
    YAML::Node node = root["format_version"];
    if (!node || !node.IsScalar()) {
      file_.error(node ? span_of(node) : Span{},
                  std::string("'format_version' is ") + (node ? "no version" : "missing"),
                  "1 or 2.0.0");
      return false;
    }
    std::string text = node.Scalar();
    std::string major = text.substr(0, text.find('.'));
    if (major == "1") {
      contents_.version = PetabVersion::v1;
    } else if (major == "2") {
      contents_.version = PetabVersion::v2;
    } else {
      file_.error(span_of(node), "PEtab version '" + text + "' is not known", "1 or 2.0.0");
      return false;
    }
    return true;
  }

  // A file name, or a list of such.
  std::vector<PetabPath> files(const YAML::Node& owner, const char* key, bool required) {
    std::vector<PetabPath> paths;
    YAML::Node node = owner[key];
    if (node && node.IsScalar()) {
      add_path(node, paths);
    } else if (node && node.IsSequence()) {
      for (const YAML::Node& item : node) {
        if (item.IsScalar())
          add_path(item, paths);
        else
          file_.error(span_of(item), "a file name is expected in '" + std::string(key) + "'");
      }
    } else if (node && !node.IsNull()) {
      file_.error(span_of(node), "'" + std::string(key) + "' is not a list of file names");
      return paths;
    }
    if (required && paths.empty())
      file_.error(owner.Mark().pos > 0 ? span_of(owner) : Span{},
                  "'" + std::string(key) + "' " + (node ? "names no file" : "is missing"));
    return paths;
  }

  void add_path(const YAML::Node& node, std::vector<PetabPath>& paths) {
    const std::string& text = node.Scalar();
    if (text.find("://") != std::string::npos)
      file_.error(span_of(node), "files are not fetched from the web: '" + text + "'",
                  "download it and give its name");
    else
      paths.push_back({text, span_of(node)});
  }

  void unknown_keys(const YAML::Node& map, const std::vector<std::string>& known) {
    for (const auto& entry : map) {
      if (!entry.first.IsScalar()) continue;
      const std::string& key = entry.first.Scalar();
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      std::string nearest = nearest_name(key, known);
      file_.warning(span_of(entry.first), "'" + key + "' is not known in a PEtab file and not read",
                    nearest.empty() ? "" : "did you mean '" + nearest + "'?");
    }
  }

  void read_version_1(const YAML::Node& root) {
    unknown_keys(
        root, {"format_version", "parameter_file", "problems", "extensions", "problem_id", "id"});
    contents_.parameters = files(root, "parameter_file", true);
    read_extensions(root);
    YAML::Node problems = root["problems"];
    if (!problems || !problems.IsSequence() || problems.size() == 0) {
      file_.error(
          problems ? span_of(problems) : Span{},
          problems ? "'problems' is not a list with a problem in it" : "'problems' is missing");
      return;
    }
    for (const YAML::Node& problem : problems) {
      if (!problem.IsMap()) {
        file_.error(span_of(problem), "an item of 'problems' is not a map");
        continue;
      }
      unknown_keys(problem,
                   {"sbml_files", "condition_files", "measurement_files", "observable_files",
                    "visualization_files", "simulation_files", "mapping_files"});
      PetabGroup group;
      group.span = span_of(problem);
      std::vector<PetabPath> models = files(problem, "sbml_files", true);
      if (models.size() > 1)
        file_.error(models[1].span, "a problem of PEtab version 1 has one model",
                    "which measurements belong to a second one could not be said");
      if (!models.empty()) group.models.push_back({"", "sbml", models.front()});
      group.conditions = files(problem, "condition_files", true);
      group.observables = files(problem, "observable_files", true);
      group.measurements = files(problem, "measurement_files", true);
      group.mappings = files(problem, "mapping_files", false);
      contents_.groups.push_back(std::move(group));
    }
  }

  void read_version_2(const YAML::Node& root) {
    unknown_keys(root, {"format_version", "parameter_files", "parameter_file", "model_files",
                        "condition_files", "experiment_files", "observable_files",
                        "measurement_files", "mapping_files", "visualization_files",
                        "simulation_files", "extensions", "problem_id", "id"});
    // Drafts of version 2 had `parameter_file`.
    bool old_key = root["parameter_file"] && !root["parameter_files"];
    contents_.parameters = files(root, old_key ? "parameter_file" : "parameter_files", true);
    read_extensions(root);
    PetabGroup group;
    YAML::Node models = root["model_files"];
    if (!models || !models.IsMap() || models.size() == 0)
      file_.error(
          models ? span_of(models) : Span{},
          models ? "'model_files' is not a map with a model in it" : "'model_files' is missing");
    else
      for (const auto& entry : models) read_model(entry.first, entry.second, group);
    group.conditions = files(root, "condition_files", false);
    group.experiments = files(root, "experiment_files", false);
    group.observables = files(root, "observable_files", true);
    group.measurements = files(root, "measurement_files", true);
    group.mappings = files(root, "mapping_files", false);
    contents_.groups.push_back(std::move(group));
  }

  void read_model(const YAML::Node& id, const YAML::Node& model, PetabGroup& group) {
    PetabModelFile file;
    file.id = id.IsScalar() ? id.Scalar() : "";
    for (const char* key : {"location", "language"})
      if (!model.IsMap() || !model[key] || !model[key].IsScalar()) {
        file_.error(span_of(id), "model '" + file.id + "' has no '" + key + "'");
        return;
      }
    file.language = model["language"].Scalar();
    std::vector<PetabPath> paths;
    add_path(model["location"], paths);
    if (paths.empty()) return;
    file.file = paths.front();
    group.models.push_back(std::move(file));
  }

  // No extension is known here. One that the mathematics needs cannot be left out.
  void read_extensions(const YAML::Node& root) {
    YAML::Node extensions = root["extensions"];
    if (!extensions || extensions.IsNull()) return;
    if (extensions.IsSequence()) {  // version 1: names only
      for (const YAML::Node& item : extensions)
        file_.warning(span_of(item), "a PEtab extension that is not known here is not read");
      return;
    }
    if (!extensions.IsMap()) {
      file_.error(span_of(extensions), "'extensions' is not a map");
      return;
    }
    for (const auto& entry : extensions) {
      std::string name = entry.first.IsScalar() ? entry.first.Scalar() : "?";
      bool required = true;
      YAML::Node said = entry.second.IsMap() ? entry.second["required"] : YAML::Node();
      if (contents_.version == PetabVersion::v1) {
        required = false;
      } else if (said && said.IsScalar() &&
                 (said.Scalar() == "false" || said.Scalar() == "False")) {
        required = false;
      } else if (!said || !said.IsScalar() ||
                 (said.Scalar() != "true" && said.Scalar() != "True")) {
        file_.error(span_of(entry.first),
                    "extension '" + name + "' does not say whether it is required",
                    "'required: false' would leave it out");
        continue;
      }
      if (required)
        file_.error(span_of(entry.first),
                    "the problem needs extension '" + name + "', which is not known here");
      else
        file_.warning(span_of(entry.first),
                      "extension '" + name + "' is not known here and not read");
    }
  }

  PetabFile& file_;
  PetabContents contents_;
};

}  // namespace

PetabContents read_petab_yaml(PetabFile& file) {
  try {
    return YamlReader(file).read();
  } catch (const YAML::Exception& error) {  // of some odd shape
    file.error({}, "this is not a PEtab problem: " + error.msg);
    return {};
  }
}

}  // namespace stiffit::internal
