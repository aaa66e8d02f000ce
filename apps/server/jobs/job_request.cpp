// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_request.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/number.h"
#include "estimation/optimizers/optimizer.h"
#include "estimation/pipeline/fit_fields.h"
#include "io/files/load_model.h"
#include "io/text/read_text.h"
#include "server/http/request_error.h"
#include "server/work/base64.h"

namespace stiffit {
namespace {

constexpr std::size_t longest_value = 2000;
constexpr std::size_t most_values = 1000;

// Options that a page may set. None of them names a file.
struct JobOption {
  std::string name;
  bool repeated = false;
  bool yes_or_no = false;
};
using JobOptions = std::map<std::string, JobOption, std::less<>>;

template <class Options>
JobOptions shown_here(const FieldTable<Options>& table) {
  JobOptions shown;
  for (const FieldInfo& f : table)
    if (f.shown(on_server)) shown[f.name] = {f.name, f.repeated, f.type == "yes or no"};
  return shown;
}

// Those of ensembles of a model without data as well.
JobOptions ensemble_options() {
  JobOptions shown = shown_here(posterior_fields());
  for (const char* name : {"start", "end", "show", "histogram"}) shown[name] = {name, false};
  for (const char* name : {"set", "sample"}) shown[name] = {name, true};
  return shown;
}

const JobOptions& options_of(const std::string& kind) {
  static const JobOptions of_fits = shown_here(fit_fields()),
                          of_profiles = shown_here(profile_fields()),
                          of_ensembles = ensemble_options();
  if (kind == "fit") return of_fits;
  if (kind == "profile") return of_profiles;
  if (kind == "ensemble") return of_ensembles;
  throw RequestError(400, "a job is a fit, a profile or an ensemble, not '" + kind + "'");
}

// What is no file of values.
bool is_start_word(const std::string& word) {
  const OptimizerEntry* method = find_optimizer(word);
  return word == "nominal" || word == "random" || (method && !method->traits.linearity.empty());
}

std::string value_text(const std::string& name, const Json& value) {
  if (value.is_number() && std::isfinite(value.get<double>()))
    return format_number(value.get<double>());
  if (value.is_string() && value.get_ref<const std::string&>().size() <= longest_value &&
      value.get_ref<const std::string&>().find('\0') == std::string::npos)
    return value.get<std::string>();
  throw RequestError(400, "option '" + name + "' must be a number or a short text");
}

// A number, a text, true for a flag, true or false for yes or no; a list is one option with commas,
// or the option repeated.
void add_option(std::vector<std::string>& words, const JobOption& option, const Json& value) {
  const std::string& name = option.name;
  if (value.is_null()) return;
  if (value.is_boolean()) {
    if (option.yes_or_no)
      words.push_back("--" + name + (value.get<bool>() ? "=yes" : "=no"));
    else if (value.get<bool>())
      words.push_back("--" + name);
    return;
  }
  if (!value.is_array()) {
    words.push_back("--" + name + "=" + value_text(name, value));
    return;
  }
  if (value.size() > most_values) throw RequestError(400, "option '" + name + "' is too long");
  std::string list;
  for (const Json& item : value) {
    if (option.repeated)
      words.push_back("--" + name + "=" + value_text(name, item));
    else
      list += (list.empty() ? "" : ",") + value_text(name, item);
  }
  if (!list.empty()) words.push_back("--" + name + "=" + list);
}

void add_options(JobPlan& plan, const Json& options,
                 const std::function<std::string(const std::string&)>& parameters_of) {
  const JobOptions& known = options_of(plan.kind);
  for (const auto& [given, value] : options.items()) {
    std::string name = given;
    std::replace(name.begin(), name.end(), '_', '-');
    if (name == "start-from-job") {
      if (value.is_null()) continue;
      plan.files["start.tsv"] = parameters_of(value_text(name, value));
      plan.words.push_back("--start-from=start.tsv");
    } else if (name == "start-from") {
      if (value.is_null()) continue;
      const std::string word = value_text(name, value);
      if (!is_start_word(word)) throw RequestError(400, "a fit cannot start from '" + word + "'");
      plan.words.push_back("--start-from=" + word);
    } else if (const auto option = known.find(name); option != known.end()) {
      add_option(plan.words, option->second, value);
    } else {
      throw RequestError(400, "a " + plan.kind + " has no option '" + given + "'");
    }
  }
}

std::string estimate_text(const Json& item) {
  if (!item.is_object()) throw RequestError(400, "field 'estimate' must be a list of objects");
  const std::string name = text_field(item, "name");
  if (name.empty() || name.find_first_of(",=:") != std::string::npos)
    throw RequestError(400, "'" + name + "' cannot be estimated: that is no name");
  std::string text = name;
  const double start = number_field(item, "start", not_set),
               low = number_field(item, "low", not_set), high = number_field(item, "high", not_set);
  if (!std::isnan(start)) text += "=" + format_number(start);
  if (std::isnan(low) != std::isnan(high))
    throw RequestError(400, "'" + name + "' needs both bounds or none");
  const std::string scale = text_field(item, "scale");
  if (!scale.empty() && scale != "log" && scale != "lin")
    throw RequestError(400, "the scale of '" + name + "' is log or lin");
  if (!std::isnan(low)) {
    text += ":" + format_number(low) + ":" + format_number(high);
    if (!scale.empty()) text += ":" + scale;
  }
  return text;
}

// Plain letters only, so that a name means the same everywhere; never that of another file.
std::string file_name(const std::string& given, const FileMap& taken) {
  std::string name;
  for (char c : given.substr(
           given.find_last_of("/\\") == std::string::npos ? 0 : given.find_last_of("/\\") + 1)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-';
    name += plain ? c : '_';
  }
  if (name.size() > 100) name = name.substr(name.size() - 100);
  if (name.empty() || name.front() == '.' || name.front() == '-') name = "data" + name;
  std::string free = name;
  for (int n = 2; taken.contains(free); ++n) free = std::to_string(n) + "-" + name;
  return free;
}

void add_data(JobPlan& plan, const Json& request) {
  for (const Json& item : array_field(request, "data")) {
    if (!item.is_object()) throw RequestError(400, "field 'data' must be a list of objects");
    const std::string name = file_name(text_field(item, "name", "data.csv"), plan.files);
    plan.files[name] = text_field(item, "content");
    plan.words.push_back("--data=" + name);
  }
  std::string list;
  for (const Json& item : array_field(request, "estimate"))
    list += (list.empty() ? "" : ",") + estimate_text(item);
  if (!list.empty()) plan.words.push_back("--estimate=" + list);
  for (const std::string& formula : texts_field(request, "observe"))
    plan.words.push_back("--observe=" + formula);
}

void add_petab(JobPlan& plan, const Json& petab, const ServeLimits& limits) {
  auto bytes = from_base64(text_field(petab, "content"));
  if (!bytes) throw RequestError(400, "the content of the PEtab archive is not base64");
  FileMap files = unzip(*bytes, limits.unpacked, limits.archive_files);
  plan.words.push_back("petab/" + petab_file(files));
  plan.words.push_back("--only-beside");
  for (auto& [name, content] : files) plan.files["petab/" + name] = std::move(content);
}

}  // namespace

std::string model_file_name(const ModelSource& source) {
  switch (kind_of_model(source.name, source.content)) {
    case ModelKind::sbml:
      return "model.xml";
    case ModelKind::bng:
      return "model.net";
    case ModelKind::text:
      break;
  }
  return dialect_of(source.name) == TextDialect::antimony ? "model.ant" : "model.rxn";
}

std::string petab_file(const FileMap& files) {
  std::vector<std::string> found;
  long depth = 1000;
  for (const auto& [name, content] : files) {
    if (!name.ends_with(".yaml") && !name.ends_with(".yml")) continue;
    const long own = std::count(name.begin(), name.end(), '/');
    if (own < depth) found.clear();
    if (own <= depth) found.push_back(name);
    depth = std::min(depth, own);
  }
  if (found.empty()) throw RequestError(422, "the archive holds no PEtab problem (a .yaml file)");
  if (found.size() > 1)
    throw RequestError(422, "the archive holds several .yaml files: " + found[0] + ", " + found[1]);
  return found[0];
}

JobPlan plan_job(const Json& request, const ServeLimits& limits,
                 const std::function<std::string(const std::string&)>& parameters_of) {
  JobPlan plan;
  plan.kind = text_field(request, "kind");
  options_of(plan.kind);
  plan.title = text_field(request, "title").substr(0, 300);
  plan.work = text_field(request, "work").substr(0, 100);
  plan.words = {plan.kind};
  const Json petab = object_field(request, "petab");
  if (!petab.empty()) {
    add_petab(plan, petab, limits);
  } else {
    const ModelSource source = model_source(request);
    const std::string name = model_file_name(source);
    plan.files[name] = source.content;
    for (const auto& [file, text] : source.files) {
      if (!is_safe_path(file))
        throw RequestError(400, "the file name '" + file + "' is not allowed");
      plan.files.emplace(file, text);
    }
    plan.words.push_back(name);
    add_data(plan, request);
  }
  add_options(plan, object_field(request, "options"), parameters_of);
  plan.words.push_back("--threads=" + std::to_string(limits.job_threads));
  plan.words.push_back(std::string("--output=") + job_output);
  if (plan.kind == "fit") plan.words.push_back(std::string("--progress=") + job_progress);
  std::size_t bytes = 0;
  for (const auto& [name, content] : plan.files) bytes += content.size();
  if (bytes > limits.unpacked) throw RequestError(413, "the files of the job are too large");
  return plan;
}

}  // namespace stiffit
