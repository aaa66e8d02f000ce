// `stiffit simulate`: a time course as CSV or JSON.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <optional>
#include <ostream>
#include <span>

#include "base/files/output_file.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "cli/commands.h"
#include "cli/console_run.h"
#include "cli/field_options.h"
#include "cli/run_inputs.h"
#include "cli/run_options.h"
#include "cli/table_option.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/pages/report_text.h"
#include "report/provenance.h"
#include "report/tables/difference_text.h"
#include "report/text_table.h"
#include "stiffit/model.h"

namespace stiffit::internal {
namespace {

CommandSpec simulate_spec() {
  CommandSpec s;
  s.name = "simulate";
  s.arguments = "MODEL";
  s.summary = "time course of a model";
  s.fewest = s.most = 1;
  s.options = option_specs<api::SimulateOptions>();
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
      {"stiffit simulate net.net --method " + method_in_role("large stiff") + " --stats --json",
       "everything in one JSON document"},
      {"stiffit simulate vdp1000 --verify -o vdp.csv", "how accurate each column is"},
      {"stiffit simulate oregonator --report oregonator.html", "a page with pictures"},
  };
  return s;
}

// Below this a relative tolerance asks for digits that a double does not have.
constexpr double smallest_rtol = 1e-14;

std::string unreachable_tolerance(const api::SimulateOptions& o) {
  if (o.step > 0 || o.rtol >= smallest_rtol || o.atol > 0) return {};
  return "error: the relative tolerance " + format_number(o.rtol) +
         " cannot be reached: numbers carry about 16 digits\n  the smallest that makes sense is "
         "--rtol " +
         format_number(smallest_rtol) + "\n";
}

// A table of it: columns beside their derivatives.
class CourseTable {
 public:
  explicit CourseTable(const api::TimeCourse& course) : course_(course) {}

  std::vector<std::string> header() const {
    std::vector<std::string> names{"time"};
    names.insert(names.end(), course_.columns.begin(), course_.columns.end());
    names.insert(names.end(), course_.derivative_columns.begin(), course_.derivative_columns.end());
    return names;
  }
  // Until the next one is asked for.
  std::span<const double> row(std::size_t i) {
    const std::size_t plain = course_.columns.size(), more = course_.derivative_columns.size();
    const auto values = std::span(course_.values).subspan(i * plain, plain);
    if (more == 0) return values;
    const auto derivatives = std::span(course_.derivatives).subspan(i * more, more);
    row_.assign(values.begin(), values.end());
    row_.insert(row_.end(), derivatives.begin(), derivatives.end());
    return row_;
  }

 private:
  const api::TimeCourse& course_;
  std::vector<double> row_;
};

std::string csv_of(const api::TimeCourse& course) {
  CourseTable table(course);
  CsvWriter csv;
  csv.header(table.header());
  for (std::size_t i = 0; i < course.times.size(); ++i) csv.row(course.times[i], table.row(i));
  return csv.text();
}

std::vector<std::string> said(const api::TimeCourse& course, std::string_view kind) {
  std::vector<std::string> texts;
  for (const api::Message& m : course.messages)
    if (m.kind == kind) texts.push_back(m.text);
  return texts;
}

std::string json_of(const api::TimeCourse& course, double load_seconds,
                    const std::optional<api::Verification>& verification,
                    const Provenance& provenance) {
  CourseTable table(course);
  JsonWriter json;
  json.begin_object().member("columns", table.header()).key("rows").begin_array();
  for (std::size_t i = 0; i < course.times.size(); ++i) {
    json.begin_array().value(course.times[i]);
    for (double value : table.row(i)) json.value(value);
    json.end_array();
  }
  json.end_array().member("method", course.method);
  json.member("status", course.status);
  json.member("reached", course.reached).member("message", course.explanation);
  if (const auto notes = said(course, "note"); !notes.empty()) json.member("notes", notes);
  if (const auto warnings = said(course, "negative"); !warnings.empty())
    json.member("warning", warnings.front());
  json.key("stats").begin_object().member("method", course.method);
  if (!course.used.empty()) json.member("used", course.used);
  json.member("steps", course.steps).member("rejected", course.rejected).member("f", course.f);
  json.member("j", course.j).member("lu", course.lu).member("newton", course.newton);
  json.key("seconds").begin_object().member("load", load_seconds);
  json.member("compile", course.compile_seconds).member("integrate", course.integrate_seconds);
  json.end_object().end_object();
  if (verification) {
    json.key("verify");
    write_verification(json, *verification);
  }
  write_provenance(json, provenance);
  return json.end_object().text();
}

std::string stats_of(const api::TimeCourse& c, double load_seconds) {
  return text_table({}, {{"method", c.method + (c.used.empty() ? "" : " (" + c.used + ")")},
                         {"steps", std::to_string(c.steps)},
                         {"rejected", std::to_string(c.rejected)},
                         {"f", std::to_string(c.f)},
                         {"J", std::to_string(c.j)},
                         {"lu", std::to_string(c.lu)},
                         {"newton", std::to_string(c.newton)},
                         {"load", format_number(load_seconds) + " s"},
                         {"compile", format_number(c.compile_seconds) + " s"},
                         {"integrate", format_number(c.integrate_seconds) + " s"}});
}

int run_simulate_command(const Arguments& arguments, const Console& console) {
  auto options = read_options<api::SimulateOptions>(arguments);
  seed_option(arguments);
  options.keep = false;  // there is no next one
  require_writable_files(arguments);
  check_provenance_option(arguments);

  auto began = std::chrono::steady_clock::now();
  const api::Model model = api::Model::load(arguments.positional().front(), reading(console));
  const double load_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  console.messages << model.warnings();

  if (std::string complaint = unreachable_tolerance(options); !complaint.empty()) {
    console.messages << complaint;
    return exit_numerics_failed;
  }
  ConsoleRun shown(console, options.run);
  const api::TimeCourse course = model.simulate(options);
  if (course.rows_asked == 0) throw api::Interrupted();  // before it began
  if (course.status == "interrupted") InterruptScope::heard();
  std::optional<api::Verification> verification;
  if (arguments.has("verify") && course.done()) verification = model.verify(options, course);
  shown.clear();
  for (const api::Message& m : course.messages)
    if (m.kind == "warning") console.messages << m.text;
  const Provenance provenance = run_provenance("simulate", arguments);

  if (arguments.has("output")) deliver_table(arguments, provenance, csv_of(course));
  if (arguments.has("report"))
    write_file(arguments.text("report"),
               model.page(options, course,
                          {shown_name(arguments.positional().front()), csv_of(course),
                           stats_of(course, load_seconds), verification, provenance}));
  if (arguments.has("json"))
    deliver(json_of(course, load_seconds, verification, provenance), console);
  else if (!arguments.has("output"))
    deliver(csv_of(course), console);
  if (arguments.has("stats"))
    console.messages << stats_of(course, load_seconds) << "\n" << provenance_text(provenance);
  for (const std::string& note : said(course, "note")) console.messages << "note: " << note << "\n";
  for (const std::string& warning : said(course, "negative"))
    console.messages << "warning: " << warning << "\n  a smaller "
                     << (arguments.has("step") ? "--step" : "--rtol")
                     << " tells whether the model itself goes there\n";
  if (verification) console.messages << verification_text(*verification);
  if (verification && !verification->agrees()) return exit_numerics_failed;
  if (course.done()) return exit_done;
  console.messages << "error: " << course.explanation << "\n  " << course.times.size() << " of "
                   << course.rows_asked << " rows were reached and written\n";
  return exit_numerics_failed;
}

}  // namespace

Command simulate_command() { return {simulate_spec(), run_simulate_command}; }

}  // namespace stiffit::internal
