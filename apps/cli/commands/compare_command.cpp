// `stiffit compare`: what each method needs to reach a given true error.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>

#include "base/files/output_file.h"
#include "base/number.h"
#include "cli/commands.h"
#include "cli/console_run.h"
#include "cli/field_options.h"
#include "cli/run_inputs.h"
#include "cli/table_option.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/pages/compare_report.h"
#include "report/pages/report_text.h"
#include "report/provenance.h"
#include "report/text_table.h"
#include "stiffit/model.h"

namespace stiffit::internal {
namespace {

std::string a_few(std::initializer_list<const char*> roles) {
  std::string text;
  for (const char* role : roles) text += (text.empty() ? "" : ",") + method_in_role(role);
  return text;
}

CommandSpec compare_spec() {
  CommandSpec s;
  s.name = "compare";
  s.arguments = "MODEL";
  s.summary = "work against precision: what each method needs for a given error";
  s.fewest = s.most = 1;
  s.options = option_specs<api::CompareOptions>();
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
  s.examples = {
      {"stiffit compare oregonator --methods " + a_few({"stiff", "large stiff", "reference"}),
       "three methods, three errors"},
      {"stiffit compare vdp1 --methods all --errors 1e-2,1e-6 -o vdp1.csv", "every method"},
      {"stiffit compare water-stiff --methods " + a_few({"stiff", "large stiff", "non-stiff"}) +
           " --report water.html",
       "with pictures of the work and of the stability regions"},
  };
  return s;
}

const std::vector<std::string> header{"method", "error",    "achieved", "setting",
                                      "steps",  "rejected", "f",        "J",
                                      "lu",     "newton",   "seconds"};

std::vector<std::string> cells(const api::Comparison::Row& c, bool exact) {
  auto number = [&](double v) { return exact ? format_number(v) : format_short(v, 3); };
  std::vector<std::string> row{c.method, number(c.error)};
  if (!c.best) {
    row.resize(header.size());
    row[2] = exact ? "nan" : c.reason;
    return row;
  }
  const api::Work& n = *c.best;
  row.insert(row.end(), {number(n.achieved), number(n.setting)});
  for (long count : {n.steps, n.rejected, n.f, n.j, n.lu, n.newton})
    row.push_back(std::to_string(count));
  row.push_back(number(n.seconds));
  return row;
}

std::string csv_of(const api::Comparison& result) {
  std::string text;
  for (std::size_t i = 0; i < header.size(); ++i) text += (i ? "," : "") + header[i];
  for (const api::Comparison::Row& c : result.table) {
    text += "\n";
    const std::vector<std::string> row = cells(c, true);
    for (std::size_t i = 0; i < row.size(); ++i) text += (i ? "," : "") + csv_cell(row[i]);
  }
  return text + "\n";
}

void point(JsonWriter& json, const api::Work& p) {
  json.member("setting", p.setting).member("achieved", p.achieved);
  json.member("steps", p.steps).member("rejected", p.rejected);
  json.member("f", p.f).member("j", p.j).member("lu", p.lu);
  json.member("newton", p.newton).member("seconds", p.seconds);
}

std::string json_of(const api::Comparison& result, const Provenance& provenance) {
  JsonWriter json;
  json.begin_object()
      .member("reference_agreement", result.reference_agreement)
      .key("table")
      .begin_array();
  for (const api::Comparison::Row& c : result.table) {
    json.begin_object().member("method", c.method).member("error", c.error);
    json.member("reached", c.best.has_value());
    if (c.best)
      point(json, *c.best);
    else
      json.member("reason", c.reason);
    json.end_object();
  }
  json.end_array().key("curves").begin_object();
  for (const auto& [method, runs] : result.curves) {
    json.key(method).begin_array();
    for (const api::Work& p : runs) {
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
  const std::vector<api::ListedMethod> methods = api::methods();
  for (const std::string& name : names) {
    if (std::none_of(methods.begin(), methods.end(),
                     [&](const api::ListedMethod& m) { return m.name == name && m.fixed_steps; }))
      continue;
    const api::StabilityLimits limits = api::stability_limits(name);
    rows.push_back({name, format_short(limits.real), format_short(limits.imaginary)});
  }
  return "\n" +
         text_table({"method", "stable to -h*lambda", "stable to h*|lambda|, imaginary"}, rows);
}

std::vector<std::vector<std::string>> rows_of(const api::Comparison& result) {
  std::vector<std::vector<std::string>> rows;
  for (const api::Comparison::Row& c : result.table) rows.push_back(cells(c, false));
  return rows;
}

void write_pictures(const Arguments& arguments, const api::Comparison& result) {
  const std::string shown = shown_name(arguments.positional().front());
  const std::vector<Plot> work = work_pictures(shown, result);
  const std::vector<Plot> regions = stability_pictures(result);
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
      format_short(result.reference_agreement, 2) +
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
  page.download("compare.json", "application/json",
                json_of(result, run_provenance("compare", arguments)));
  add_provenance(page);
  write_file(arguments.text("report"), page.text());
}

int run_compare_command(const Arguments& arguments, const Console& console) {
  auto options = read_options<api::CompareOptions>(arguments);
  require_writable_files(arguments);
  check_provenance_option(arguments);
  const api::Model model = api::Model::load(arguments.positional().front(), reading(console));
  console.messages << model.warnings();
  ConsoleRun shown(console, options.run);
  options.steps = arguments.has("plot") || arguments.has("report");
  const api::Comparison result = model.compare(options);
  shown.clear();
  console.messages << result.warnings;
  if (!result.explanation.empty()) {
    console.messages << "error: " << result.explanation << "\n";
    return exit_numerics_failed;
  }
  if (result.methods.empty()) throw api::Interrupted();  // before it began
  if (!result.doubt.empty()) console.messages << "warning: " << result.doubt << "\n";

  if (arguments.has("output"))
    deliver_table(arguments, run_provenance("compare", arguments), csv_of(result));
  if (arguments.has("plot") || arguments.has("report")) write_pictures(arguments, result);
  if (arguments.has("json")) {
    deliver(json_of(result, run_provenance("compare", arguments)), console);
  } else {
    std::string text = text_table(header, rows_of(result));
    if (arguments.has("stability")) text += stability_table(result.methods);
    deliver(text, console);
  }
  return exit_done;
}

}  // namespace

Command compare_command() { return {compare_spec(), run_compare_command}; }

}  // namespace stiffit::internal
