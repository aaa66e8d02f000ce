// `stiffit compare`: what each method needs to reach a given true error.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <ostream>

#include "analysis/compare/stability.h"
#include "analysis/pipeline/comparison.h"
#include "analysis/pipeline/simulation_fields.h"
#include "analysis/pipeline/simulation_options.h"
#include "base/files/output_file.h"
#include "base/number.h"
#include "cli/commands.h"
#include "cli/field_options.h"
#include "cli/run_inputs.h"
#include "cli/table_option.h"
#include "io/files/load_model.h"
#include "ode/method_registry.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/pages/compare_report.h"
#include "report/pages/report_text.h"
#include "report/progress.h"
#include "report/provenance.h"
#include "report/text_table.h"

namespace stiffit::internal {
namespace {

std::string a_few(std::initializer_list<MethodRole> roles) {
  std::string text;
  for (const MethodRole role : roles) text += (text.empty() ? "" : ",") + method_name(role);
  return text;
}

CommandSpec compare_spec() {
  CommandSpec s;
  s.name = "compare";
  s.arguments = "MODEL";
  s.summary = "work against precision: what each method needs for a given error";
  s.fewest = s.most = 1;
  s.options = option_specs(compare_fields());
  s.options.insert(
      s.options.end(),
      {{"stability", "", "also how far along both axes each method is stable", 0, false},
       {"output", "FILE", "write the table as CSV to FILE", 'o', false, false},
       provenance_option(),
       plot_option("pictures: work against precision, stability regions with h*lambda"),
       report_option("a page with the pictures, the table and every run")});
  s.options = with_general_options(std::move(s.options));
  s.notes =
      "The error is the largest deviation of any species at any of the times, over that species'\n"
      "maximum, from a reference at rtol 1e-12 on which two methods agree. Tolerances are tried\n"
      "in half decades, and the run with the fewest steps that reaches the error counts.";
  using enum MethodRole;
  s.examples = {
      {"stiffit compare oregonator --methods " + a_few({stiff, large_stiff, reference}),
       "three methods, three errors"},
      {"stiffit compare vdp1 --methods all --errors 1e-2,1e-6 -o vdp1.csv", "every method"},
      {"stiffit compare water-stiff --methods " + a_few({stiff, large_stiff, non_stiff}) +
           " --report water.html",
       "with pictures of the work and of the stability regions"},
  };
  return s;
}

const std::vector<std::string> header{"method", "error",    "achieved", "setting",
                                      "steps",  "rejected", "f",        "J",
                                      "lu",     "newton",   "seconds"};

std::vector<std::string> cells(const Comparison& c, bool exact) {
  auto number = [&](double v) { return exact ? format_number(v) : format_short(v, 3); };
  std::vector<std::string> row{c.method, number(c.target)};
  if (!c.best) {
    row.resize(header.size());
    row[2] = exact ? "nan" : c.why_not;
    return row;
  }
  const Counters& n = c.best->counters;
  row.insert(row.end(), {number(c.best->error), number(c.best->setting)});
  for (long count : {n.steps, n.rejected, n.f, n.j, n.lu, n.newton})
    row.push_back(std::to_string(count));
  row.push_back(number(c.best->seconds));
  return row;
}

std::string csv_of(const CompareResult& result) {
  std::string text;
  for (std::size_t i = 0; i < header.size(); ++i) text += (i ? "," : "") + header[i];
  for (const Comparison& c : result.table) {
    text += "\n";
    const std::vector<std::string> row = cells(c, true);
    for (std::size_t i = 0; i < row.size(); ++i) text += (i ? "," : "") + csv_cell(row[i]);
  }
  return text + "\n";
}

void point(JsonWriter& json, const WorkPoint& p) {
  json.member("setting", p.setting).member("achieved", p.error);
  json.member("steps", p.counters.steps).member("rejected", p.counters.rejected);
  json.member("f", p.counters.f).member("j", p.counters.j).member("lu", p.counters.lu);
  json.member("newton", p.counters.newton).member("seconds", p.seconds);
}

std::string json_of(const CompareResult& result, const CompareOptions& options, double agreement,
                    const Provenance& provenance) {
  JsonWriter json;
  json.begin_object().member("reference_agreement", agreement).key("table").begin_array();
  for (const Comparison& c : result.table) {
    json.begin_object().member("method", c.method).member("error", c.target);
    json.member("reached", c.best.has_value());
    if (c.best)
      point(json, *c.best);
    else
      json.member("reason", c.why_not);
    json.end_object();
  }
  json.end_array().key("curves").begin_object();
  for (std::size_t m = 0; m < result.curves.size(); ++m) {
    json.key(options.methods[m]).begin_array();
    for (const WorkPoint& p : result.curves[m]) {
      json.begin_object();
      point(json, p);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
  write_provenance(json, provenance);
  return json.end_object().text();
}

std::string stability_table(const std::vector<std::string>& names) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& name : names) {
    if (!find_method(name)->fixed_steps) continue;
    StabilityTrial trial(name);
    rows.push_back({name, format_short(trial.real_limit()), format_short(trial.imaginary_limit())});
  }
  return "\n" +
         text_table({"method", "stable to -h*lambda", "stable to h*|lambda|, imaginary"}, rows);
}

std::vector<std::vector<std::string>> rows_of(const CompareResult& result) {
  std::vector<std::vector<std::string>> rows;
  for (const Comparison& c : result.table) rows.push_back(cells(c, false));
  return rows;
}

void write_pictures(const Arguments& arguments, const Problem& problem,
                    const ReferenceSolution& reference, const CompareResult& result,
                    const CompareOptions& options) {
  const std::string shown = shown_name(arguments.positional().front());
  const std::vector<Plot> work = work_pictures(shown, result, options);
  const std::vector<Plot> regions = stability_pictures(problem, reference, result, options);
  if (arguments.has("plot")) {
    std::vector<Plot> all = work;
    all.insert(all.end(), regions.begin(), regions.end());
    write_file(arguments.text("plot"), svg_of(all, page_width));
  }
  if (!arguments.has("report")) return;
  HtmlPage page("Methods compared on " + shown);
  page.paragraph(
      "The error is the largest deviation of any species, over its own maximum, from a "
      "reference that two methods agree on to " +
      format_short(reference.agreement, 2) +
      ". For each method the run with the fewest steps that reaches the error counts.");
  page.table(header, rows_of(result));
  page.picture(work, page_width, "work-precision");
  if (!regions.empty()) {
    page.heading("Where the methods are stable");
    page.paragraph(
        "Found by running each method's own step on y' = lambda y. The points are "
        "eigenvalues of the model's Jacobian along the solution times the step that the "
        "method took there.");
    page.picture(regions, page_width, "stability");
  }
  page.heading("The numbers");
  page.download("compare.csv", "text/csv", csv_of(result));
  page.download(
      "compare.json", "application/json",
      json_of(result, options, reference.agreement, run_provenance("compare", arguments)));
  add_provenance(page);
  write_file(arguments.text("report"), page.text());
}

int run_compare_command(const Arguments& arguments, const Console& console) {
  api::CompareOptions asked;
  read_fields(compare_fields(), arguments, asked);
  check_options(asked);
  asked.run.interrupt = console.interrupt;
  CompareOptions options = compare_options(asked);
  require_writable_files(arguments);
  check_provenance_option(arguments);
  LoadedModel loaded = load_model(arguments.positional().front());
  console.messages << loaded.warnings;
  ProgressBar bar(console.messages, console.messages_on_terminal, 0, 100, "percent");
  options.progress = [&](int done, int of) { bar.at(100.0 * done / of); };
  const ModelComparison found = compare_on_model(loaded.model, course_options(asked), options);
  bar.clear();
  console.messages << found.warnings;
  if (!found.failure.empty()) {
    console.messages << "error: " << found.failure << "\n";
    return exit_numerics_failed;
  }
  if (!found.doubt.empty()) console.messages << "warning: " << found.doubt << "\n";
  const CompareResult& result = found.result;
  const ReferenceSolution& reference = found.reference;

  if (arguments.has("output"))
    deliver_table(arguments, run_provenance("compare", arguments), csv_of(result));
  if (arguments.has("plot") || arguments.has("report"))
    write_pictures(arguments, found.problem, reference, result, options);
  if (arguments.has("json")) {
    deliver(json_of(result, options, reference.agreement, run_provenance("compare", arguments)),
            console);
  } else {
    std::string text = text_table(header, rows_of(result));
    if (arguments.has("stability")) text += stability_table(options.methods);
    deliver(text, console);
  }
  return exit_done;
}

}  // namespace

Command compare_command() { return {compare_spec(), run_compare_command}; }

}  // namespace stiffit::internal
