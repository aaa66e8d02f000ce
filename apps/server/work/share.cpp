// SPDX-License-Identifier: Apache-2.0
#include "server/work/share.h"

#include <filesystem>

#include "server/http/request_error.h"
#include "server/model_source.h"
#include "server/work/base64.h"

namespace stiffit::internal {
namespace {

constexpr const char* work_file = "work.json";
constexpr std::size_t largest_export = 200u << 20;

std::string stem_of(const std::string& name) {
  const std::string stem = std::filesystem::path(name).filename().stem().string();
  return stem.empty() ? "imported" : stem.substr(0, 200);
}

// "jobs": {"fit": id, ...} of a document, those that exist.
Json jobs_of(const Json& document, JobStore& jobs) {
  Json found = Json::object();
  const Json named = document.value("jobs", Json::object());
  if (!named.is_object()) return found;
  for (const auto& [kind, id] : named.items()) {
    if (!id.is_string()) continue;
    try {
      jobs.get(id.get<std::string>());
      found[kind] = id;
    } catch (const RequestError&) {  // deleted since
    }
  }
  return found;
}

// A text model as it is; another one as text, or as a file if it cannot be said as text.
Json document_of_model(const std::string& name, const std::string& content) {
  Json document{{"title", stem_of(name)}};
  if (api::model_language(name, content) == "text") {  // which is what the page's text is read as
    if (content.find('\0') != std::string::npos)
      throw RequestError(422, "'" + name + "' is neither a model nor shared work");
    document["text"] = content;
    return document;
  }
  const SourceModel read = read_source({name, content});
  if (!read.model)
    throw RequestError::about(read.diagnostics, 422, "'" + name + "' cannot be read");
  const api::Conversion written = read.model->convert("text");
  if (written.left_out.empty())
    document["text"] = written.text;
  else
    document["file"] = {{"name", name}, {"content", to_base64(content)}};
  if (const std::string title = read.model->title(); !title.empty()) document["title"] = title;
  return document;
}

Json document_of_petab(const std::string& name, const std::string& bytes, const FileMap& files) {
  petab_file(files);
  Json document{{"title", stem_of(name)}};
  for (const auto& [path, content] : files) {
    const std::string language = api::model_language(path, content);
    if (language == "text" && !path.ends_with(".rxn")) continue;
    try {
      const Json model = document_of_model(path, content);
      for (const char* part : {"text", "file"})
        if (model.contains(part)) document[part] = model[part];
      break;
    } catch (const RequestError&) {  // some other XML file
    }
  }
  document["petab"] = {{"name", name}, {"content", to_base64(bytes)}};
  return document;
}

// The files of one job below jobs/KEY/.
FileMap files_below(const FileMap& files, const std::string& key) {
  const std::string prefix = "jobs/" + key + "/";
  FileMap found;
  for (const auto& [path, content] : files)
    if (path.starts_with(prefix)) found[path.substr(prefix.size())] = content;
  return found;
}

Json document_of_share(const FileMap& files, JobStore& jobs, const ServeLimits& limits) {
  const Json shared = parse_object(files.at(work_file));
  Json document = object_field(shared, "document");
  Json ids = Json::object();
  const Json records = object_field(shared, "jobs");
  if (records.size() > 20) throw RequestError(422, "the file names too many jobs");
  for (const auto& [kind, record] : records.items()) {
    if (!record.is_object()) continue;
    Job job;
    job.kind = text_field(record, "kind").substr(0, 20);
    job.title = text_field(record, "title").substr(0, 300);
    const bool done = text_field(record, "state") == "done";
    job.state = done ? "done" : "failed";
    job.created = text_field(record, "created").substr(0, 40);
    job.message = done ? "" : "this run was not finished where it came from";
    ids[kind] = jobs.add_ended(job, files_below(files, kind), limits);
  }
  document["jobs"] = std::move(ids);
  return document;
}

}  // namespace

std::string export_work(const std::string& id, WorkStore& works, JobStore& jobs) {
  const Json work = works.get(id);
  Json shared{{"format", "stiffit work 1"},
              {"title", work["title"]},
              {"document", work["document"]},
              {"jobs", Json::object()}};
  FileMap files;
  std::size_t bytes = 0;
  const Json named = jobs_of(work["document"], jobs);
  for (const auto& [kind, job_id] : named.items()) {
    if (!is_safe_path(kind) || kind.find('/') != std::string::npos) continue;
    const Job job = jobs.get(job_id.get<std::string>());
    shared["jobs"][kind] = {
        {"kind", job.kind}, {"title", job.title}, {"state", job.state}, {"created", job.created}};
    for (const auto& [path, size] : jobs.files(job.id)) {
      bytes += size;
      if (bytes > largest_export) throw RequestError(413, "the results are too large for one file");
      files["jobs/" + kind + "/" + path] = jobs.read(job.id, path);
    }
  }
  files[work_file] = json_text(shared);
  return zip(files);
}

Json import_work(const Json& request, WorkStore& works, JobStore& jobs, const ServeLimits& limits) {
  const std::string name =
      std::filesystem::path(text_field(request, "name", "imported")).filename().string();
  const auto bytes = from_base64(text_field(request, "content"));
  if (!bytes) throw RequestError(400, "the content of the file is not base64");
  Json document;
  if (is_zip(*bytes)) {
    const FileMap files = unzip(*bytes, limits.unpacked, limits.archive_files);
    document = files.contains(work_file) ? document_of_share(files, jobs, limits)
                                         : document_of_petab(name, *bytes, files);
  } else {
    document = document_of_model(name.empty() ? "imported" : name, *bytes);
  }
  const std::string title = text_field(document, "title", stem_of(name)).substr(0, 300);
  Json created = works.create({{"title", title}, {"document", document}});
  created["title"] = title;
  return created;
}

}  // namespace stiffit::internal
