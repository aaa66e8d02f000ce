// SPDX-License-Identifier: Apache-2.0
#include "server/model_source.h"

#include <filesystem>

#include "runtime/checkpoint/sha256.h"
#include "server/http/request_error.h"
#include "server/work/base64.h"
#include "stiffit/lists.h"

namespace stiffit::internal {
namespace {

constexpr const char* text_name = "model";

std::string file_content(const Json& file, std::string& name) {
  name = std::filesystem::path(text_field(file, "name", "model")).filename().string();
  if (name.empty()) name = "model";
  auto content = from_base64(text_field(file, "content"));
  if (!content) throw RequestError(400, "the content of file '" + name + "' is not base64");
  return std::move(*content);
}

}  // namespace

std::string ModelSource::key() const {
  std::string all = name + '\0' + content;
  for (const auto& [file, text] : files) all += '\0' + file + '\0' + text;
  return sha256(all);
}

ModelSource model_source(const Json& request) {
  const Json source = object_field(request, "source");
  if (source.contains("text")) {
    ModelSource result{text_name, text_field(source, "text")};
    const Json files = object_field(source, "files");
    for (const auto& [name, text] : files.items()) {
      if (!text.is_string()) throw RequestError(400, "file '" + name + "' must be a string");
      result.files[name] = text.get<std::string>();
    }
    return result;
  }
  if (source.contains("library")) {
    const std::string name = text_field(source, "library");
    try {
      return {text_name, api::model_text(name)};
    } catch (const api::InputError&) {
      throw RequestError(404, "the library has no model '" + name + "'");
    }
  }
  if (source.contains("file")) {
    ModelSource result;
    result.content = file_content(object_field(source, "file"), result.name);
    return result;
  }
  throw RequestError(400, "field 'source' must have text, a file or the name of a library model");
}

Json diagnostics_json(const std::vector<api::Finding>& findings) {
  Json list = Json::array();
  for (const api::Finding& f : findings) {
    Json item{{"severity", f.severity}, {"message", f.message}, {"hint", f.hint}};
    if (f.line > 0) {
      item["line"] = f.line;
      item["column"] = f.column;
      item["end_line"] = f.end_line;
      item["end_column"] = f.end_column;
    }
    list.push_back(std::move(item));
  }
  return list;
}

Json rendered_json(const std::string& text, const std::string& source_name) {
  return diagnostics_json(api::findings_in(text, source_name));
}

SourceModel read_source(ModelSource from, const api::RunOptions& run) {
  SourceModel result{std::move(from), std::nullopt};
  const ModelSource& source = result.source;
  api::Reading reading = api::read({source.name, source.content, source.files}, run);
  result.model = std::move(reading.model);
  result.diagnostics = diagnostics_json(reading.findings);
  return result;
}

}  // namespace stiffit::internal
