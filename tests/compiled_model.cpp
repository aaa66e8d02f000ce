// SPDX-License-Identifier: Apache-2.0
#include "compiled_model.h"

#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "base/diagnostic.h"
#include "io/bng/read_bng.h"
#include "io/text/read_text.h"
#include "model/library/library.h"
#include "symbolic/system_builder.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t largest_small_model = 20;  // states

ResolvedSystem resolve_read(std::optional<Model> model, const Diagnostics& diagnostics,
                            const SystemOptions& options) {
  if (!model) throw InputError(render(diagnostics));
  return resolve(std::make_shared<const Model>(std::move(*model)), options);
}

}  // namespace

ResolvedSystem resolve_text(const std::string& name, std::string_view text,
                            const SystemOptions& options) {
  auto source = std::make_shared<const Source>(name, std::string(text));
  Diagnostics diagnostics(source);
  auto model = read_text(source, diagnostics);
  return resolve_read(std::move(model), diagnostics, options);
}

ResolvedSystem resolve_library(std::string_view name, const SystemOptions& options) {
  const LibraryModel* model = find_library_model(name);
  if (!model) throw std::invalid_argument("no library model " + std::string(name));
  return resolve_text(std::string(name), model->text, options);
}

ResolvedSystem resolve_net(const std::string& path, const SystemOptions& options) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::stringstream text;
  text << file.rdbuf();
  auto source = std::make_shared<const Source>(path, text.str());
  Diagnostics diagnostics(source);
  auto model = read_bng(source, diagnostics);
  return resolve_read(std::move(model), diagnostics, options);
}

CompiledModel compile_model(ResolvedSystem resolved, const ProgramOptions& options) {
  CompiledModel model{std::move(resolved), {}};
  auto program = compile(model.resolved.system, model.resolved.columns, options);
  model.problem = make_problem(std::move(program));
  return model;
}

std::vector<double> CompiledModel::parameters(
    const std::vector<std::pair<std::string, double>>& changes) const {
  std::vector<double> values = program().parameter_values;
  for (const auto& [name, value] : changes) {
    int index = resolved.system.parameter_index(name);
    if (index < 0) throw std::invalid_argument("no parameter " + name);
    values[static_cast<std::size_t>(index)] = value;
  }
  return values;
}

Request CompiledModel::request(std::vector<double> times) const {
  Request request;
  request.start = program().start_time;
  request.times = std::move(times);
  return request;
}

std::vector<double> even_times(double end, int steps) {
  std::vector<double> times;
  for (int i = 0; i <= steps; ++i) times.push_back(end * i / steps);
  return times;
}

const std::vector<SmallModel>& small_library_models() {
  static const std::vector<SmallModel> models = [] {
    std::vector<SmallModel> list;
    for (const LibraryModel& model : library_models()) {
      ResolvedSystem resolved = resolve_library(model.name);
      if (resolved.system.states.size() > largest_small_model) continue;
      list.push_back({std::string(model.name), resolved.builder->model().end_time});
    }
    return list;
  }();
  return models;
}

std::vector<std::string> library_names() {
  std::vector<std::string> names;
  for (const LibraryModel& model : library_models()) names.emplace_back(model.name);
  return names;
}

std::string test_name(std::string_view name) {
  std::string out;
  for (char c : name) out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return out;
}

}  // namespace stiffit::internal
