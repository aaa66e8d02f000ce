// `stiffit simulate`: a time course as CSV or JSON.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <optional>
#include <ostream>

#include "analysis/pipeline/simulation_fields.h"
#include "analysis/pipeline/simulation_options.h"
#include "base/diagnostic.h"
#include "base/files/output_file.h"
#include "base/inner_threads.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "cli/commands.h"
#include "cli/field_options.h"
#include "cli/run_inputs.h"
#include "cli/run_options.h"
#include "cli/table_option.h"
#include "io/files/load_model.h"
#include "model/model_settings.h"
#include "ode/method_registry.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/pages/report_runs.h"
#include "report/pages/report_text.h"
#include "report/progress.h"
#include "report/provenance.h"
#include "report/tables/difference_text.h"
#include "report/text_table.h"

namespace stiffit::internal {
namespace {

CommandSpec simulate_spec() {
  CommandSpec s;
  s.name = "simulate";
  s.arguments = "MODEL";
  s.summary = "time course of a model";
  s.fewest = s.most = 1;
  s.options = option_specs(simulate_fields());
  insert_after(
      s.options, "amounts",
      {{"verify", "", "again by another method at a hundredth of the tolerance: the error reached",
        0, false},
       csv_option(),
       provenance_option(),
       report_option("a page with curves, stiffness, model and numbers"),
       {"stats", "", "method, counters and seconds, on stderr", 0, false, false}});
  s.options = with_general_options(std::move(s.options));
  s.notes =
      "Columns are what the model shows by itself: its observables, or every species and variable\n"
      "that moves. Numbers are the shortest that read back to the same double. If the numerics\n"
      "fail, the rows reached are written, and the exit code is 3. --verify tells on stderr how "
      "far\n"
      "each column is from that of the second run; the exit code is 3 if that is more than 100\n"
      "times the relative tolerance, or if no other method gets through.";
  s.examples = {
      {"stiffit simulate oregonator", "a model of the library, to its default end time"},
      {"stiffit simulate my.rxn --end 50 --points 500 -o my.csv", "a file, 501 rows into my.csv"},
      {"stiffit simulate escep --set S=2 --set k2=0.1 --show S,P", "other values, two columns"},
      {"stiffit simulate robertson --times 0.4,40,4000 --rtol 1e-9", "chosen times, tighter"},
      {"stiffit simulate net.net --method " + method_name(MethodRole::large_stiff) +
           " --stats --json",
       "everything in one JSON document"},
      {"stiffit simulate vdp1000 --verify -o vdp.csv", "how accurate each column is"},
      {"stiffit simulate oregonator --report oregonator.html", "a page with pictures"},
  };
  return s;
}

// Below this a relative tolerance asks for digits that a double does not have.
constexpr double smallest_rtol = 1e-14;

std::string unreachable_tolerance(const IntegrationOptions& o) {
  if (o.fixed_step > 0 || o.rtol >= smallest_rtol || o.atol > 0) return {};
  return "error: the relative tolerance " + format_number(o.rtol) +
         " cannot be reached: numbers carry about 16 digits\n  the smallest that makes sense is "
         "--rtol " +
         format_number(smallest_rtol) + "\n";
}

std::string csv_of(const TimeCourse& course) {
  std::vector<std::string> header{"time"};
  header.insert(header.end(), course.columns.begin(), course.columns.end());
  CsvWriter csv;
  csv.header(header);
  std::size_t n = course.columns.size();
  for (std::size_t i = 0; i < course.times.size(); ++i)
    csv.row(course.times[i], std::span(course.values).subspan(i * n, n));
  return csv.text();
}

std::string json_of(const TimeCourse& course, const std::optional<Verification>& verification,
                    const Provenance& provenance) {
  JsonWriter json;
  std::vector<std::string> header{"time"};
  header.insert(header.end(), course.columns.begin(), course.columns.end());
  json.begin_object().member("columns", header).key("rows").begin_array();
  std::size_t n = course.columns.size();
  for (std::size_t i = 0; i < course.times.size(); ++i) {
    json.begin_array().value(course.times[i]);
    for (std::size_t k = 0; k < n; ++k) json.value(course.values[i * n + k]);
    json.end_array();
  }
  json.end_array().member("method", course.method);
  json.member("status", word_for(course.outcome.status));
  json.member("reached", course.outcome.time).member("message", course.explanation);
  if (!course.notes.empty()) json.member("notes", course.notes);
  const Counters& c = course.outcome.counters;
  json.key("stats").begin_object().member("method", course.method);
  if (!course.outcome.used.empty()) json.member("used", course.outcome.used);
  json.member("steps", c.steps).member("rejected", c.rejected).member("f", c.f);
  json.member("j", c.j).member("lu", c.lu).member("newton", c.newton);
  json.key("seconds").begin_object().member("load", course.seconds.load);
  json.member("compile", course.seconds.compile).member("integrate", course.seconds.integrate);
  json.end_object().end_object();
  if (verification) {
    json.key("verify");
    write_json(json, *verification);
  }
  write_provenance(json, provenance);
  return json.end_object().text();
}

std::string stats_of(const TimeCourse& course) {
  const Counters& c = course.outcome.counters;
  const std::string& used = course.outcome.used;
  return text_table({}, {{"method", course.method + (used.empty() ? "" : " (" + used + ")")},
                         {"steps", std::to_string(c.steps)},
                         {"rejected", std::to_string(c.rejected)},
                         {"f", std::to_string(c.f)},
                         {"J", std::to_string(c.j)},
                         {"lu", std::to_string(c.lu)},
                         {"newton", std::to_string(c.newton)},
                         {"load", format_number(course.seconds.load) + " s"},
                         {"compile", format_number(course.seconds.compile) + " s"},
                         {"integrate", format_number(course.seconds.integrate) + " s"}});
}

int run_simulate_command(const Arguments& arguments, const Console& console) {
  api::SimulateOptions asked;
  read_fields(simulate_fields(), arguments, asked);
  check_options(asked);
  seed_option(arguments);
  asked.run.interrupt = console.interrupt;
  TimeCourseOptions options = course_options(asked);
  require_writable_files(arguments);
  check_provenance_option(arguments);

  auto began = std::chrono::steady_clock::now();
  LoadedModel loaded = load_model(arguments.positional().front());
  double load_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  console.messages << loaded.warnings;

  if (std::string complaint = unreachable_tolerance(options.integration); !complaint.empty()) {
    console.messages << complaint;
    return exit_numerics_failed;
  }
  const InnerThreads threads(threads_of(asked.run));
  std::vector<double> times = output_times(*loaded.model, options);
  ProgressBar bar(console.messages, console.messages_on_terminal, times.front(), times.back());
  options.integration.progress = [&](double time) { bar.at(time); };
  TimeCourse course = time_course(loaded.model, options);
  if (course.outcome.status == Status::interrupted) InterruptScope::heard();
  course.seconds.load = load_seconds;
  std::optional<Verification> verification;
  if (arguments.has("verify") && course.outcome.status == Status::done)
    verification = verify_course(loaded.model, options, course);
  bar.clear();
  console.messages << course.warnings;
  const Provenance provenance = run_provenance("simulate", arguments);

  if (arguments.has("output")) deliver_table(arguments, provenance, csv_of(course));
  if (arguments.has("report")) {
    const auto model = with_settings(loaded.model, options.set);
    const double start = std::isnan(options.start) ? model->start_time : options.start;
    write_file(arguments.text("report"),
               course_page({shown_name(arguments.positional().front()), model, course, start,
                            csv_of(course), stats_of(course), verification, console.interrupt,
                            provenance}));
  }
  if (arguments.has("json"))
    deliver(json_of(course, verification, provenance), console);
  else if (!arguments.has("output"))
    deliver(csv_of(course), console);
  if (arguments.has("stats"))
    console.messages << stats_of(course) << "\n" << provenance_text(provenance);
  for (const std::string& note : course.notes) console.messages << "note: " << note << "\n";
  if (verification) console.messages << text_of(*verification);
  if (verification && !verification->agrees()) return exit_numerics_failed;
  if (course.outcome.status == Status::done) return exit_done;
  console.messages << "error: " << course.explanation << "\n  " << course.times.size() << " of "
                   << times.size() << " rows were reached and written\n";
  return exit_numerics_failed;
}

}  // namespace

Command simulate_command() { return {simulate_spec(), run_simulate_command}; }

}  // namespace stiffit::internal
