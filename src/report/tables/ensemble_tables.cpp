// SPDX-License-Identifier: Apache-2.0
#include "report/tables/ensemble_tables.h"

#include <algorithm>

#include "base/number.h"
#include "base/version.h"
#include "report/csv.h"
#include "report/json.h"

namespace stiffit::internal {
namespace {

constexpr double shares[] = {0.025, 0.25, 0.5, 0.75, 0.975};

std::string percent(double share) { return format_short(100 * share, 6); }

}  // namespace

std::string bands_csv(const Ensemble& ensemble) {
  const std::vector<std::string>& names = ensemble.plan().problem.program->output_names;
  std::vector<std::string> header{"time"};
  for (const std::string& name : names) {
    header.push_back("mean(" + name + ")");
    header.push_back("sd(" + name + ")");
    for (double share : shares) header.push_back("q" + percent(share) + "(" + name + ")");
  }
  CsvWriter csv;
  csv.header(header);
  const Bands& bands = ensemble.bands();
  for (std::size_t r = 0; r < ensemble.plan().times.size(); ++r) {
    std::vector<double> row;
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::size_t cell = r * names.size() + k;
      row.push_back(bands.mean(cell));
      row.push_back(bands.deviation(cell));
      for (double share : shares) row.push_back(bands.quantile(cell, share));
    }
    csv.row(ensemble.plan().times[r], row);
  }
  return csv.text();
}

std::string histograms_csv(const Ensemble& ensemble, long bins) {
  const std::vector<std::string>& names = ensemble.plan().problem.program->output_names;
  const Bands& bands = ensemble.bands();
  std::string text = "time,quantity,from,to,count\n";
  for (std::size_t r = 0; r < ensemble.plan().times.size(); ++r)
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::size_t cell = r * names.size() + k;
      const auto total = static_cast<double>(bands.count(cell));
      const double low = bands.quantile(cell, 0), high = bands.quantile(cell, 1);
      const long here = low < high ? bins : 1;
      const auto edge = [&](long n) {
        return low + (high - low) * static_cast<double>(n) / static_cast<double>(here);
      };
      double below = 0;
      for (long b = 0; total > 0 && b < here; ++b) {
        const double above = b + 1 < here ? bands.share_below(cell, edge(b + 1)) : 1;
        text += format_number(ensemble.plan().times[r]) + "," + csv_cell(names[k]) + "," +
                format_number(edge(b)) + "," + format_number(edge(b + 1)) + "," +
                format_short((above - below) * total, 6) + "\n";
        below = above;
      }
    }
  return text;
}

std::string failures_csv(const Ensemble& ensemble,
                         const std::vector<ParameterDistribution>& sampled) {
  std::string text = "sample";
  for (const ParameterDistribution& option : sampled) text += "," + csv_cell(option.name);
  text += ",reason\n";
  for (const FailedSample& failed : ensemble.failed()) {
    text += std::to_string(failed.sample);
    const std::vector<double> values = ensemble.parameters(failed.sample);
    for (const SampledParameter& p : ensemble.plan().sampled)
      text += "," + format_number(values[p.parameter]);
    text += "," + csv_cell(failed.reason) + "\n";
  }
  return text;
}

std::string ensemble_json(const Ensemble& ensemble,
                          const std::vector<ParameterDistribution>& sampled,
                          const std::vector<api::DerivedDistribution>& derived,
                          const std::string& model, const Provenance& provenance) {
  const EnsemblePlan& plan = ensemble.plan();
  JsonWriter json;
  json.begin_object().member("model", model);
  json.member("samples", plan.samples).member("seed", plan.seed);
  json.member("failed", ensemble.failures());
  json.key("sample").begin_object();
  for (const ParameterDistribution& option : sampled)
    json.member(option.name, to_text(option.distribution));
  json.end_object().key("derived").begin_array();
  for (const api::DerivedDistribution& d : derived) {
    json.begin_object().member("name", d.name).member("formula", d.formula);
    json.member("mean", d.mean).member("sd", d.deviation).member("median", d.median);
    json.member("low", d.low).member("high", d.high).end_object();
  }
  json.end_array().member("method", plan.integration.method);
  json.member("rtol", plan.integration.rtol).key("columns").begin_array();
  for (const std::string& name : plan.problem.program->output_names) json.value(name);
  json.end_array().key("rows").begin_array();
  const std::size_t m = plan.problem.program->output_names.size();
  for (std::size_t r = 0; r < plan.times.size(); ++r) {
    json.begin_object().member("time", plan.times[r]);
    for (std::size_t k = 0; k < m; ++k) {
      const std::size_t cell = r * m + k;
      json.key(plan.problem.program->output_names[k]).begin_object();
      json.member("mean", ensemble.bands().mean(cell))
          .member("sd", ensemble.bands().deviation(cell));
      for (double share : shares)
        json.member("q" + percent(share), ensemble.bands().quantile(cell, share));
      json.end_object();
    }
    json.end_object();
  }
  json.end_array();
  write_provenance(json, provenance);
  return json.end_object().text();
}

std::string samples_header(const Ensemble& ensemble,
                           const std::vector<ParameterDistribution>& sampled) {
  std::string text = "sample";
  for (const ParameterDistribution& option : sampled) text += "," + csv_cell(option.name);
  text += ",time";
  for (const std::string& name : ensemble.plan().problem.program->output_names)
    text += "," + csv_cell(name);
  return text + "\n";
}

void append_sample(std::string& text, const Ensemble& ensemble, long sample,
                   std::span<const double> table) {
  const EnsemblePlan& plan = ensemble.plan();
  const std::vector<double> parameters = ensemble.parameters(sample);
  std::string start = std::to_string(sample);
  for (const SampledParameter& p : plan.sampled)
    start += "," + format_number(parameters[p.parameter]);
  const std::size_t columns = plan.problem.program->output_names.size();
  for (std::size_t r = 0; r < plan.times.size(); ++r) {
    text += start + "," + format_number(plan.times[r]);
    for (std::size_t k = 0; k < columns; ++k) text += "," + format_number(table[r * columns + k]);
    text += "\n";
  }
}

}  // namespace stiffit::internal
