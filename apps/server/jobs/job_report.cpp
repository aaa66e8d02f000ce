// SPDX-License-Identifier: Apache-2.0
#include "server/jobs/job_report.h"

#include <algorithm>
#include <numeric>

#include "server/jobs/job_findings.h"

namespace stiffit::internal {
namespace {

Json read_json(const std::string& path) {
  const std::string text = file_text(path);
  Json value = Json::parse(text, nullptr, false);
  return value.is_discarded() ? Json(nullptr) : value;
}

// Between the data where that is known; else through what the model says of them, in order of time.
Json curve_of(const Json& series) {
  if (const Json curve = series.value("curve_time", Json::array()); !curve.empty())
    return {{"time", curve}, {"value", series.at("curve_value")}};
  const auto& times = series.at("time");
  const auto& values = series.at("simulated");
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto number = [](const Json& v) { return v.is_number() ? v.get<double>() : 1e308; };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return number(times[a]) < number(times[b]);
  });
  Json time = Json::array(), value = Json::array();
  for (std::size_t i : order) {
    time.push_back(times[i]);
    value.push_back(values[i]);
  }
  return {{"time", std::move(time)}, {"value", std::move(value)}};
}

Json simulations_of(const Json& progress) {
  Json observables = Json::array();
  for (const Json& series : progress.at("simulations")) {
    Json data{
        {"time", series.at("time")}, {"value", series.at("measured")}, {"sd", series.at("noise")}};
    if (series.contains("limit")) data["limit"] = series["limit"];
    observables.push_back({{"name", series.at("observable")},
                           {"experiment", series.at("experiment")},
                           {"data", std::move(data)},
                           {"curve", curve_of(series)}});
  }
  return {{"observables", std::move(observables)}};
}

Json progress_line(const Json& progress, double seconds) {
  Json line{{"seconds", seconds}};
  if (!progress.is_object()) return line;
  for (const char* name : {"done", "total"})
    if (progress.contains(name)) line[name] = progress[name];
  if (progress.contains("best")) line["best"] = progress["best"]["objective"];
  return line;
}

Json basics(const Job& job, const Json& progress, double seconds) {
  return {{"id", job.id},
          {"kind", job.kind},
          {"title", job.title},
          {"work", job.work},
          {"state", job.state},
          {"created", job.created},
          {"message", job.message},
          {"resumable", !job.words.empty()},
          {"progress", progress_line(progress, seconds)}};
}

}  // namespace

Json job_line(const Job& job, JobStore& store, JobRunner& runner) {
  return basics(job, read_json(store.folder_of(job.id) + "/" + job_progress),
                job.seconds + runner.running_seconds(job.id));
}

Json job_report(const std::string& id, JobStore& store, JobRunner& runner) {
  const Job job = store.get(id);
  const std::string folder = store.folder_of(id);
  const Json progress = read_json(folder + "/" + job_progress);
  Json out = basics(job, progress, job.seconds + runner.running_seconds(id));
  if (progress.is_object()) {
    try {
      out["trace"] = progress.value("trace", Json::array());
      if (progress.contains("best")) {
        out["best"] = progress["best"];
        out["simulations"] = simulations_of(progress);
      }
    } catch (const Json::exception&) {  // a job from elsewhere may hold anything
    }
  }
  if (job.ended()) {
    const std::string name = job.kind == "profile" ? "profile.json" : "result.json";
    if (Json result = read_json(folder + "/" + job_output + "/" + name); !result.is_null())
      out["result"] = std::move(result);
  }
  if (job.state == "failed") out["findings"] = job_findings(job.message);
  std::string log = file_text(folder + "/log.txt", 1u << 20);
  constexpr std::size_t longest = 4000;
  out["log"] = log.size() > longest ? log.substr(log.size() - longest) : log;
  return out;
}

}  // namespace stiffit::internal
