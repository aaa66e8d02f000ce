// `stiffit conform`: the field's own test suites.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <ctime>
#include <map>
#include <ostream>

#include "base/files/output_file.h"
#include "base/number.h"
#include "cli/commands.h"
#include "cli/console_run.h"
#include "cli/run_inputs.h"
#include "cli/run_options.h"
#include "cli/table_option.h"
#include "report/json.h"
#include "stiffit/conform.h"

namespace stiffit::internal {
namespace {

CommandSpec conform_spec() {
  CommandSpec s;
  s.name = "conform";
  s.arguments = "sbml|petab DIR";
  s.summary = "runs the SBML semantic test suite, or the PEtab test suite, in DIR";
  s.fewest = s.most = 2;
  s.options = with_general_options(
      {{"cases", "a-b,c", "of SBML: only these cases (default: all)", 0, false},
       {"output", "FILE.tsv", "a row for every model or problem: result, reason, times", 'o',
        false},
       provenance_option()});
  s.notes =
      "SBML: a case is a folder NNNNN. It passes if every value of every level and version that is "
      "there is right:\n"
      "|result - expected| <= absolute + relative*|expected|, tolerances as the case says.\n"
      "The CPU time of the suite, and of libSBML's parsing within it, is told on stderr.\n"
      "A case is skipped if the model of a level names a file that the suite does not hold.\n"
      "PEtab: a case is _NNNN.yaml with _NNNN_solution.yaml. It passes if llh, chi2, simulations\n"
      "and, where stated, the posterior are within the case's tolerances.\n"
      "The exit code is 1 if a case fails.";
  s.examples = {{"stiffit conform sbml semantic", "all cases of the folder"},
                {"stiffit conform sbml semantic --cases 1-100,1250", "some of them"},
                {"stiffit conform petab petabtests/v1.0.0", "the PEtab suite"}};
  return s;
}

struct Tally {
  int passed = 0, failed = 0, skipped = 0;
};

Tally tally(const std::vector<api::SbmlSuiteResult>& results) {
  struct Levels {
    bool failed = false, skipped = false;
  };
  std::map<std::string, Levels> cases;
  for (const api::SbmlSuiteResult& r : results) {
    Levels& levels = cases[r.case_id];
    levels.failed |= !r.passed && !r.skipped;
    levels.skipped |= r.skipped;
  }
  Tally t;
  for (auto& [id, levels] : cases)
    ++(levels.failed ? t.failed : levels.skipped ? t.skipped : t.passed);
  return t;
}

std::string result_of(const api::SbmlSuiteResult& r) {
  return r.passed ? "passed" : r.skipped ? "skipped" : "failed";
}

std::string as_table(const std::vector<api::SbmlSuiteResult>& results) {
  std::string text = "case\tlevel\tresult\treason\tparse\tread\tcompile\tintegrate\n";
  for (const api::SbmlSuiteResult& r : results)
    text += r.case_id + "\t" + r.level + "\t" + result_of(r) + "\t" + r.reason + "\t" +
            format_number(r.parse) + "\t" + format_number(r.read) + "\t" +
            format_number(r.compile) + "\t" + format_number(r.integrate) + "\n";
  return text;
}

struct Cost {
  double cpu = 0, parse = 0;  // seconds; of all threads, and of that in libSBML's parser
};

std::string in_words(const Cost& cost) {
  char text[100];
  std::snprintf(text, sizeof text, "CPU time %.1f s, of which libSBML's parsing %.1f s\n", cost.cpu,
                cost.parse);
  return text;
}

std::string as_json(const std::vector<api::SbmlSuiteResult>& results, const Tally& t,
                    const Cost& c) {
  JsonWriter json;
  json.begin_object().member("passed", t.passed).member("failed", t.failed);
  json.member("skipped", t.skipped);
  json.member("cpu_seconds", c.cpu).member("parse_seconds", c.parse);
  json.key("failures").begin_array();
  for (const api::SbmlSuiteResult& r : results)
    if (!r.passed)
      json.begin_object()
          .member("case", r.case_id)
          .member("level", r.level)
          .member("result", result_of(r))
          .member("reason", r.reason)
          .end_object();
  return json.end_array().end_object().text();
}

int run_petab_suite(const Arguments& arguments, const Console& console) {
  if (arguments.has("output")) require_writable(arguments.text("output"));
  check_provenance_option(arguments);
  const auto results = api::conform_petab(arguments.positional()[1], reading(console));
  int passed = 0, failed = 0;
  std::string table = "case\tresult\treason\tllh\tchi2\tseconds\n", text;
  JsonWriter json;
  json.begin_object().key("failures").begin_array();
  for (const api::PetabSuiteResult& r : results) {
    ++(r.passed ? passed : failed);
    table += r.case_id + "\t" + (r.passed ? "passed" : "failed") + "\t" + r.reason + "\t" +
             format_number(r.llh) + "\t" + format_number(r.chi2) + "\t" + format_number(r.seconds) +
             "\n";
    if (r.passed) continue;
    text += r.case_id + ": " + r.reason + "\n";
    json.begin_object().member("case", r.case_id).member("reason", r.reason).end_object();
  }
  json.end_array().member("passed", passed).member("failed", failed).member("skipped", 0);
  deliver_table(arguments, run_provenance("conform", arguments), table);
  if (arguments.has("json"))
    deliver(json.end_object().text(), console);
  else
    deliver(text + std::to_string(passed) + " passed, " + std::to_string(failed) +
                " failed, 0 skipped\n",
            console);
  return failed ? exit_bad_input : exit_done;
}

int run_conform_command(const Arguments& arguments, const Console& console) {
  const std::string& suite = arguments.positional()[0];
  if (suite == "petab") return run_petab_suite(arguments, console);
  if (suite != "sbml")
    throw UsageError("there is no suite '" + suite + "'", "'sbml' and 'petab' are there");
  if (arguments.has("output")) require_writable(arguments.text("output"));
  check_provenance_option(arguments);
  api::CaseRanges cases;
  if (arguments.has("cases")) cases = api::case_ranges(arguments.text("cases"));
  api::RunOptions options = reading(console);
  options.threads = threads_option(arguments);
  if (console.messages_on_terminal)
    options.stage = [&](const api::Progress& p) {
      console.messages << "\r" << p.at << " of " << p.last << " cases" << (p.ended ? "\n" : "")
                       << std::flush;
    };
  const std::clock_t before = std::clock();
  std::vector<api::SbmlSuiteResult> results =
      api::conform_sbml(arguments.positional()[1], cases, options);
  Cost cost{static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC, 0};
  for (const api::SbmlSuiteResult& r : results) cost.parse += r.parse;
  deliver_table(arguments, run_provenance("conform", arguments), as_table(results));
  const Tally t = tally(results);
  if (arguments.has("json")) {
    deliver(as_json(results, t, cost), console);
  } else {
    std::string text;
    for (const api::SbmlSuiteResult& r : results)
      if (!r.passed)
        text += r.case_id + " " + r.level + ": " + (r.skipped ? "skipped: " : "") + r.reason + "\n";
    deliver(text + std::to_string(t.passed) + " passed, " + std::to_string(t.failed) + " failed, " +
                std::to_string(t.skipped) + " skipped\n",
            console);
    console.messages << in_words(cost);
  }
  return t.failed ? exit_bad_input : exit_done;
}

}  // namespace

Command conform_command() { return {conform_spec(), run_conform_command}; }

}  // namespace stiffit::internal
