// `stiffit ensemble`: a cloud of parameter sets, simulated and reduced to bands.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <ostream>

#include "base/diagnostic.h"
#include "base/number.h"
#include "ensemble/ensemble.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/progress.h"
#include "workbench/commands.h"
#include "workbench/load_model.h"
#include "workbench/output_file.h"
#include "workbench/run_options.h"
#include "workbench/sampled_options.h"
#include "workbench/time_course.h"
#include "workbench/version.h"

namespace stiffit {
namespace {

constexpr double shares[] = {0.025, 0.25, 0.5, 0.75, 0.975};

CommandSpec spec() {
  CommandSpec s;
  s.name = "ensemble";
  s.arguments = "MODEL";
  s.summary = "simulates a cloud of parameter sets: mean and quantile bands";
  s.fewest = s.most = 1;
  s.options = with_general_options({
      {"sample", "name=dist(a,b)",
       "draws a parameter or initial value: lognormal(median,sd of log), normal(mean,sd), "
       "uniform(low,high), loguniform(low,high); may be repeated",
       0, true},
      {"samples", "N", "parameter sets (default 1000)", 0, false},
      {"start", "T0", "time to start at (default: the model's, else 0)", 0, false},
      {"end", "T", "time to end at (default: the model's customary end, else 100)", 0, false},
      {"points", "N", "N + 1 rows, evenly spaced from start to end (default 100)", 0, false},
      {"method", "M", "an integrator of 'stiffit methods' (default automatic)", 0, false},
      {"rtol", "R", "relative tolerance (default 1e-6)", 0, false},
      {"atol", "A", "absolute tolerance (default: scaled for each species)", 0, false},
      {"set", "name=value", "a parameter, compartment or initial value; may be repeated", 0, true},
      {"show", "a,b,...", "columns: names, [S] concentration, amount(S), rate(J), S'", 0, false},
      {"output", "DIR", "folder for bands.csv, failures.csv and result.json", 'o', false},
  });
  s.not_yet = {"resume"};
  s.notes =
      "Columns for each quantity x: mean(x), sd(x), and quantiles q2.5(x) to q97.5(x), known to\n"
      "0.4 %. Memory does not grow with the number of samples, and the result is the same for any\n"
      "number of threads. A sample that fails is left out, listed with its parameters, and does\n"
      "not stop the others.";
  s.examples = {
      {"stiffit ensemble oregonator --sample \"f=lognormal(1,0.2)\" --samples 100000",
       "bands of 100,000 trajectories"},
      {"stiffit ensemble escep --sample \"k1=uniform(0.5,2)\" --sample \"S=normal(1,0.1)\" -o "
       "cloud",
       "two unknowns, into a folder"},
  };
  return s;
}

std::string percent(double share) { return format_short(100 * share, 6); }

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

std::string failures_csv(const Ensemble& ensemble, const std::vector<SampleOption>& sampled) {
  std::string text = "sample";
  for (const SampleOption& option : sampled) text += "," + csv_cell(option.name);
  text += ",reason\n";
  for (const FailedSample& failed : ensemble.failed()) {
    text += std::to_string(failed.sample);
    const std::vector<double> values = ensemble.parameters(failed.sample);
    for (const SampledParameter& p : ensemble.plan().sampled)
      text += "," + format_number(values[static_cast<std::size_t>(p.parameter)]);
    text += "," + csv_cell(describe(failed.outcome, ensemble.plan().problem.program->state_names)) +
            "\n";
  }
  return text;
}

std::string result_json(const Ensemble& ensemble, const std::vector<SampleOption>& sampled,
                        const std::string& model) {
  const EnsemblePlan& plan = ensemble.plan();
  JsonWriter json;
  json.begin_object().member("version", version()).member("model", model);
  json.member("samples", plan.samples).member("seed", plan.seed);
  json.member("failed", ensemble.failed().size());
  json.key("sample").begin_object();
  for (const SampleOption& option : sampled) json.member(option.name, to_text(option.distribution));
  json.end_object().member("method", plan.integration.method);
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
  return json.end_array().end_object().text();
}

int run(const Arguments& arguments, const Console& console) {
  const TimeCourseOptions options = many_runs_options(arguments, console, 100);
  EnsemblePlan plan;
  plan.integration = options.integration;
  plan.samples = arguments.count("samples", plan.samples);
  plan.seed = seed_option(arguments);
  plan.threads = threads_option(arguments);
  const std::vector<SampleOption> sampled = sample_options(arguments.all("sample"));
  if (sampled.empty())
    throw UsageError("ensemble needs at least one --sample name=dist(...)",
                     "for instance --sample \"k1=lognormal(1,0.2)\"");
  const std::string name = arguments.positional().front();
  LoadedModel loaded = load_model(name);
  console.messages << loaded.warnings;
  std::vector<std::string> names;
  for (const SampleOption& option : sampled) names.push_back(option.name);
  PreparedCourse course = prepare_course(loaded.model, options, names);
  plan.problem = course.problem;
  plan.start = course.request.start;
  plan.times = course.request.times;
  for (const SampleOption& option : sampled)
    plan.sampled.push_back(
        {varied_parameter(course.resolved.system, *course.model, "sample", option.name),
         option.distribution});
  const std::string folder = arguments.text("output");
  if (arguments.has("output")) {
    std::error_code trouble;
    std::filesystem::create_directories(folder, trouble);
    if (trouble) throw InputError("error: the folder '" + folder + "' cannot be made");
    require_writable(folder + "/bands.csv");
  }

  const auto total = static_cast<double>(plan.samples);
  Ensemble ensemble(std::move(plan));
  ProgressBar bar(console.messages, console.messages_on_terminal, 0, total);
  bool interrupted = false;
  while (!ensemble.finished() && !interrupted) {
    interrupted = !ensemble.advance();
    bar.at(static_cast<double>(ensemble.done()));
  }
  bar.clear();

  if (arguments.has("output")) {
    write_file(folder + "/bands.csv", bands_csv(ensemble));
    write_file(folder + "/failures.csv", failures_csv(ensemble, sampled));
    write_file(folder + "/result.json", result_json(ensemble, sampled, name));
  }
  if (arguments.has("json"))
    deliver(result_json(ensemble, sampled, name), console);
  else if (!arguments.has("output"))
    deliver(bands_csv(ensemble), console);
  if (!ensemble.failed().empty()) {
    const FailedSample& first = ensemble.failed().front();
    console.messages << "warning: " << ensemble.failed().size() << " of " << ensemble.done()
                     << " samples failed and are left out; the first, number " << first.sample
                     << ": "
                     << describe(first.outcome, ensemble.plan().problem.program->state_names)
                     << "\n";
  }
  if (interrupted)
    console.messages << "error: interrupted after " << ensemble.done() << " of "
                     << ensemble.plan().samples << " samples; the bands are of those\n";
  const bool none = ensemble.failed().size() == static_cast<std::size_t>(ensemble.done());
  return interrupted || none ? exit_numerics_failed : exit_done;
}

}  // namespace

Command ensemble_command() { return {spec(), run}; }

}  // namespace stiffit
