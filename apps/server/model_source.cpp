// SPDX-License-Identifier: Apache-2.0
#include "server/model_source.h"

#include <filesystem>
#include <optional>
#include <sstream>

#include "base/number.h"
#include "io/bng/read_bng.h"
#include "io/files/load_model.h"
#include "io/sbml/read_sbml.h"
#include "io/text/read_text.h"
#include "model/library/library.h"
#include "runtime/checkpoint/sha256.h"
#include "server/http/request_error.h"
#include "server/work/base64.h"
#include "symbolic/checks/check_start.h"
#include "symbolic/resolve_run.h"

namespace stiffit {
namespace {

constexpr const char* text_name = "model";

std::string file_content(const Json& file, std::string& name) {
  name = std::filesystem::path(text_field(file, "name", "model")).filename().string();
  if (name.empty()) name = "model";
  auto content = from_base64(text_field(file, "content"));
  if (!content) throw RequestError(400, "the content of file '" + name + "' is not base64");
  return std::move(*content);
}

// Columns counted in characters, as an editor does. Places that are asked for in their order take
// one pass over the text, however many they are and however long its lines.
class CharacterColumns {
 public:
  explicit CharacterColumns(const Source& source) : source_(source), text_(source.text()) {}

  int operator()(std::uint32_t offset) {
    const auto begin = offset - static_cast<std::uint32_t>(source_.locate(offset).column - 1);
    if (begin != line_ || offset < counted_) {
      line_ = counted_ = begin;
      count_ = 1;
    }
    const std::size_t end = std::min<std::size_t>(offset, text_.size());
    for (; counted_ < end; ++counted_) {
      const bool inside = (static_cast<unsigned char>(text_[counted_]) & 0xC0u) == 0x80u;
      const bool line_end = text_[counted_] == '\r' && text_.substr(counted_ + 1, 1) == "\n";
      count_ += !inside && !line_end;
    }
    return count_;
  }

 private:
  const Source& source_;
  std::string_view text_;
  std::size_t line_ = 0, counted_ = 0;
  int count_ = 1;
};

void add_place(Json& item, const Source& source, Span span,
               const std::map<std::uint32_t, int>& columns) {
  if (span.empty() && span.begin == 0) return;
  auto set = [&](std::uint32_t offset, const char* line, const char* column) {
    item[line] = source.locate(offset).line;
    item[column] = columns.at(offset);
  };
  set(span.begin, "line", "column");
  set(std::max(span.begin, span.end), "end_line", "end_column");
  if (span.empty()) item["end_column"] = item["column"].get<int>() + 1;
}

std::optional<Model> read(const std::shared_ptr<const Source>& source,
                          const std::map<std::string, std::string>& files,
                          Diagnostics& diagnostics) {
  auto uploaded = [&](const std::string& name) {
    auto found = files.find(name);
    if (found == files.end())
      throw InputError("a model on the page reads only tables that were opened beside it");
    return found->second;
  };
  switch (kind_of_model(source->name(), source->text())) {
    case ModelKind::bng:
      return read_bng(source, diagnostics);
    case ModelKind::sbml:
      return read_sbml(source, diagnostics);
    case ModelKind::text:
      break;
  }
  return read_text(source, diagnostics, {}, uploaded);
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
    const LibraryModel* found = find_library_model(name);
    if (!found) throw RequestError(404, "the library has no model '" + name + "'");
    return {text_name, std::string(found->text)};
  }
  if (source.contains("file")) {
    ModelSource result;
    result.content = file_content(object_field(source, "file"), result.name);
    return result;
  }
  throw RequestError(400, "field 'source' must have text, a file or the name of a library model");
}

Json diagnostics_json(const Diagnostics& diagnostics) {
  Json list = Json::array();
  std::map<std::uint32_t, int> columns;  // of all places, in their order
  for (const Diagnostic& d : diagnostics.items())
    for (std::uint32_t offset : {d.span.begin, std::max(d.span.begin, d.span.end)})
      columns.emplace(offset, 0);
  CharacterColumns column_of(diagnostics.source());
  for (auto& [offset, column] : columns) column = column_of(offset);
  for (const Diagnostic& d : diagnostics.items()) {
    Json item{{"severity", d.severity == Severity::error ? "error" : "warning"},
              {"message", d.message},
              {"hint", d.hint}};
    add_place(item, diagnostics.source(), d.span, columns);
    list.push_back(std::move(item));
  }
  return list;
}

Json rendered_json(const std::string& text, const std::string& source_name) {
  Json list = Json::array();
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    const bool error = line.starts_with("error: "), warning = line.starts_with("warning: ");
    if (error || warning) {
      list.push_back({{"severity", error ? "error" : "warning"},
                      {"message", line.substr(error ? 7 : 9)},
                      {"hint", ""}});
      continue;
    }
    if (list.empty()) {
      list.push_back({{"severity", "error"}, {"message", line}, {"hint", ""}});
      continue;
    }
    Json& item = list.back();
    const std::string place = "  " + source_name + ":";
    if (line.starts_with(place) && !item.contains("line")) {
      const std::size_t colon = line.find(':', place.size());
      auto row = parse_number(line.substr(place.size(), colon - place.size()));
      auto column = colon == std::string::npos ? row : parse_number(line.substr(colon + 1));
      if (row && column) {
        item["line"] = item["end_line"] = static_cast<int>(*row);
        item["column"] = static_cast<int>(*column);
        item["end_column"] = static_cast<int>(*column) + 1;
      }
    } else if (const std::size_t bar = line.find('|');
               bar != std::string::npos && line.find_first_not_of(' ') == bar) {
      const std::size_t caret = line.find('^', bar);
      if (caret == std::string::npos) continue;
      const std::size_t end = line.find_first_not_of('^', caret);
      if (item.contains("line"))
        item["end_column"] =
            item["column"].get<int>() + static_cast<int>(std::min(end, line.size()) - caret);
      if (end != std::string::npos) item["hint"] = line.substr(end + 1);
    } else if (!item.contains("line") && line.starts_with("  ") && line != "  " + source_name) {
      std::string hint = item["hint"].get<std::string>();
      item["hint"] = hint + (hint.empty() ? "" : " ") + line.substr(2);
    }
  }
  return list;
}

SourceModel read_source(ModelSource from) {
  SourceModel result{std::move(from), nullptr};
  auto source = std::make_shared<Source>(result.source.name, result.source.content);
  Diagnostics diagnostics(source);
  std::optional<Model> model = read(source, result.source.files, diagnostics);
  if (!model || diagnostics.has_errors()) {
    result.diagnostics = diagnostics_json(diagnostics);
    return result;
  }
  auto read_model = std::make_shared<const Model>(std::move(*model));
  try {
    ResolvedSystem resolved = resolve_run(read_model);
    check_start(*read_model, resolved, diagnostics);
    result.diagnostics = diagnostics_json(diagnostics);
    if (!diagnostics.has_errors()) result.model = std::move(read_model);
  } catch (const InputError& error) {
    result.diagnostics = diagnostics_json(diagnostics);
    for (Json& item : rendered_json(error.what(), result.source.name))
      result.diagnostics.push_back(std::move(item));
  }
  return result;
}

}  // namespace stiffit
