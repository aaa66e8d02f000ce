// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_request.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "server/http/option_fields.h"
#include "server/http/request_error.h"
#include "server/work/base64.h"

namespace stiffit::internal {
namespace {

// What is no file of values.
bool is_start_word(const std::string& word) {
  if (word == "nominal" || word == "random") return true;
  for (const api::ListedOptimizer& method : api::optimizers())
    if (method.name == word) return method.linearity;
  return false;
}

std::string start_word(const Json& value) {
  if (!value.is_string()) throw RequestError(400, "option 'start_from' must be a text");
  return value.get<std::string>();
}

// Of jobs that begin with a fit. True: the option was one of these.
bool add_start(JobPlan& plan, const std::string& name, const Json& value,
               const ParametersOf& parameters_of, api::FitOptions& fit) {
  if (name != "start-from-job" && name != "start-from") return false;
  if (value.is_null()) return true;
  const std::string word = start_word(value);
  if (name == "start-from-job") {
    plan.files["start.tsv"] = parameters_of(word);
    fit.start_from = "start.tsv";
  } else {
    if (!is_start_word(word)) throw RequestError(400, "a fit cannot start from '" + word + "'");
    fit.start_from = word;
  }
  return true;
}
bool add_start(JobPlan&, const std::string&, const Json&, const ParametersOf&,
               api::ParameterEnsembleOptions&) {
  return false;
}

void place_results(api::FitOptions& fit, bool watched) {
  fit.output = job_output;
  if (watched) fit.progress_file = job_progress;
}
void place_results(api::ParameterEnsembleOptions& ensemble, bool) { ensemble.output = job_output; }

// The words of a command from what the page has set; none of those options names a file. `part`:
// the fit that comes first, or the whole.
template <class Options, class Part>
void add_options(JobPlan& plan, const Json& given, const ServeLimits& limits,
                 const ParametersOf& parameters_of, Options& options, Part& part) {
  const std::vector<api::ListedOption> list = api::option_list<Options>();
  for (const auto& [key, value] : given.items()) {
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', '-');
    if (add_start(plan, name, value, parameters_of, part)) continue;
    const auto option = std::find_if(list.begin(), list.end(), [&](const api::ListedOption& o) {
      return o.server && o.name == name;
    });
    if (option == list.end())
      throw RequestError(400, "a " + plan.kind + " has no option '" + key + "'");
    set_field(*option, value, FieldTypes::own_or_text, options);
  }
  part.run.threads = limits.job_threads;
  place_results(part, plan.kind == "fit");
  check_together(options);
  for (std::string& word : command_words(options)) plan.words.push_back(std::move(word));
}

void add_options(JobPlan& plan, const Json& given, bool with_data, const ServeLimits& limits,
                 const ParametersOf& parameters_of) {
  if (plan.kind == "fit") {
    api::FitOptions fit;
    add_options(plan, given, limits, parameters_of, fit, fit);
  } else if (plan.kind == "profile") {
    api::ProfileOptions profile;
    add_options(plan, given, limits, parameters_of, profile, profile.fit);
  } else if (with_data) {
    api::PosteriorOptions posterior;
    add_options(plan, given, limits, parameters_of, posterior, posterior.fit);
  } else {
    api::ParameterEnsembleOptions ensemble;
    add_options(plan, given, limits, parameters_of, ensemble, ensemble);
  }
}

std::string estimate_text(const Json& item) {
  if (!item.is_object()) throw RequestError(400, "field 'estimate' must be a list of objects");
  const std::string name = text_field(item, "name");
  if (name.empty() || name.find_first_of(",=:") != std::string::npos)
    throw RequestError(400, "'" + name + "' cannot be estimated: that is no name");
  std::string text = name;
  constexpr double none = api::automatic_value;
  const double start = number_field(item, "start", none), low = number_field(item, "low", none),
               high = number_field(item, "high", none);
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
  for (const std::string& formula : texts_field(request, "noise"))
    plan.words.push_back("--noise=" + formula);
  for (const char* name : {"weights", "noise_distribution"})
    if (const std::string word = text_field(request, name, ""); !word.empty())
      plan.words.push_back(
          (std::string(name) == "weights" ? "--weights=" : "--noise-distribution=") + word);
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
  const std::string language = source.language();
  return language == "sbml"       ? "model.xml"
         : language == "net"      ? "model.net"
         : language == "antimony" ? "model.ant"
                                  : "model.rxn";
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
                 const ParametersOf& parameters_of) {
  JobPlan plan;
  plan.kind = text_field(request, "kind");
  if (plan.kind != "fit" && plan.kind != "profile" && plan.kind != "ensemble")
    throw RequestError(400, "a job is a fit, a profile or an ensemble, not '" + plan.kind + "'");
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
  const bool with_data = !petab.empty() || !array_field(request, "data").empty();
  add_options(plan, object_field(request, "options"), with_data, limits, parameters_of);
  std::size_t bytes = 0;
  for (const auto& [name, content] : plan.files) bytes += content.size();
  if (bytes > limits.unpacked) throw RequestError(413, "the files of the job are too large");
  return plan;
}

}  // namespace stiffit::internal
