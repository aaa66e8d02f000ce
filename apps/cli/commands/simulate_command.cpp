// `stiffit simulate`: a time course as CSV or JSON.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <complex>
#include <optional>
#include <ostream>

#include "analysis/pipeline/time_course.h"
#include "base/diagnostic.h"
#include "base/files/output_file.h"
#include "base/inner_threads.h"
#include "base/interrupt.h"
#include "base/number.h"
#include "cli/commands.h"
#include "cli/run_inputs.h"
#include "cli/run_options.h"
#include "cli/table_option.h"
#include "io/files/load_model.h"
#include "model/model_settings.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/pages/report_runs.h"
#include "report/pages/report_text.h"
#include "report/progress.h"
#include "report/provenance.h"
#include "report/tables/difference_text.h"
#include "report/text_table.h"

namespace stiffit {
namespace {

CommandSpec spec() {
  CommandSpec s;
  s.name = "simulate";
  s.arguments = "MODEL";
  s.summary = "time course of a model";
  s.fewest = s.most = 1;
  s.options = with_general_options({
      {"start", "T0", "time to start at (default: the model's, else 0)", 0, false},
      {"end", "T", "time to end at (default: the model's customary end, else 100)", 0, false},
      {"points", "N", "N + 1 rows, evenly spaced from start to end (default 100)", 0, false},
      {"times", "a,b,c", "rows at exactly these times, ascending, instead of --points", 0, false},
      {"method", "M",
       "an integrator of 'stiffit methods' (default " + std::string(default_method()) + ")", 0,
       false},
      {"rtol", "R", "relative tolerance (default 1e-6)", 0, false},
      {"atol", "A", "absolute tolerance (default: scaled for each species)", 0, false},
      {"step", "H", "fixed steps of this size, without error control", 0, false},
      {"max-order", "N", "largest order, of methods that 'stiffit methods' shows with several", 0,
       false},
      {"eigenvalues", "a,b,...", "that fitted methods are fitted to: -40 or a pair, -5+3i", 0,
       false},
      max_step_option(),
      {"max-steps", "N", "give up after so many steps between events (default 500000)", 0, false},
      set_option(),
      assume_option(),
      {"show", "a,b,...", "columns: names, [S] concentration, amount(S), rate(J), S'", 0, false},
      {"sensitivities", "p,q", "adds columns d(x)/d(p): parameters, compartments, initial values",
       0, false},
      {"amounts", "", "species as amounts, headers amount(S)", 0, false},
      {"verify", "", "again by another method at a hundredth of the tolerance: the error reached",
       0, false},
      {"output", "FILE", "write the CSV to FILE instead of stdout", 'o', false},
      provenance_option(),
      {"report", "FILE.html", "a page with curves, stiffness, model and numbers", 0, false},
      {"stats", "", "method, counters and seconds, on stderr", 0, false},
      {"lanes", "1|4|8", "trajectories computed side by side (default 1)", 0, false},
  });
  s.notes =
      "Columns are what the model shows by itself: its observables, or every species and variable\n"
      "that moves. Numbers are the shortest that read back to the same double. If the numerics\n"
      "fail, the rows reached are written, and the exit code is 3. --verify tells on stderr how "
      "far\n"
      "each column is from that of the second run; the exit code is 3 if that is more than 100\n"
      "times the relative tolerance, or if no other method gets through.";
  s.examples = {
      {"stiffit simulate oregonator", "a model of the library, to its customary end"},
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

std::vector<double> times_option(const Arguments& arguments) {
  std::vector<double> times;
  if (!arguments.has("times")) return times;
  for (const char* other : {"points", "end"})
    if (arguments.has(other))
      throw UsageError(std::string("--times and --") + other + " exclude each other");
  for (const std::string& part : arguments.list("times")) {
    auto time = parse_number(part);
    if (!time || !std::isfinite(*time))
      throw UsageError("--times needs numbers, not '" + part + "'");
    times.push_back(*time);
  }
  if (times.empty()) throw UsageError("--times needs at least one number");
  return times;
}

// -40, or -5+3i and -5-3i for a pair: the sign of the imaginary part does not matter.
std::optional<std::complex<double>> parse_eigenvalue(const std::string& text) {
  if (auto real = parse_number(text)) return *real;
  if (text.size() < 2 || (text.back() != 'i' && text.back() != 'j')) return {};
  const std::string body = text.substr(0, text.size() - 1);
  for (std::size_t k = body.size() - 1; k > 0; --k) {
    if ((body[k] != '+' && body[k] != '-') || body[k - 1] == 'e' || body[k - 1] == 'E') continue;
    const std::string tail = body.substr(k + 1);
    const auto real = parse_number(body.substr(0, k));
    const auto imaginary = tail.empty() ? 1.0 : parse_number(tail);
    if (!real || !imaginary) return {};
    return std::complex<double>(*real, std::fabs(*imaginary));
  }
  return {};
}

std::vector<std::complex<double>> eigenvalues_option(const Arguments& arguments,
                                                     const MethodEntry& method) {
  std::vector<std::complex<double>> values;
  bool pairs = false;
  for (const std::string& part : arguments.list("eigenvalues")) {
    const auto value = parse_eigenvalue(part);
    if (!value || !(value->real() < 0) || !std::isfinite(std::abs(*value)))
      throw UsageError("--eigenvalues needs numbers with negative real parts, not '" + part + "'",
                       "-40 is one, -5+3i a pair");
    values.push_back(*value);
    pairs |= value->imag() != 0;
  }
  const std::string name(method.info.name);
  if (!values.empty() && method.fitted_to == 0)
    throw UsageError("--eigenvalues is for fitted methods; '" + name + "' is none");
  if (pairs && method.fitted_to < 2)
    throw UsageError("method '" + name + "' can be fitted to a real eigenvalue only",
                     methods_listed([](const MethodEntry& m) { return m.fitted_to > 1; }) +
                         " can be fitted to a pair");
  return values;
}

const MethodEntry& method_option(const Arguments& arguments) {
  std::string method = arguments.text("method", std::string(default_method()));
  const MethodEntry& entry = named_method(method);
  require_suitable_step(entry, arguments.has("step"));
  if (!entry.lanes && arguments.count("lanes", 1) != 1)
    throw UsageError("method '" + method + "' runs in one lane only");
  return entry;
}

std::vector<std::string> sensitivities_option(const Arguments& arguments) {
  if (!arguments.has("sensitivities")) return {};
  std::vector<std::string> names = arguments.list("sensitivities");
  if (names.empty()) throw UsageError("--sensitivities needs at least one name");
  if (arguments.count("lanes", 1) != 1)
    throw UsageError("--sensitivities runs in one lane; the lanes hold the derivatives");
  require_sensitivities(arguments.text("method", std::string(default_method())));
  return names;
}

TimeCourseOptions read_options(const Arguments& arguments) {
  constexpr long most_points = 100'000'000;
  TimeCourseOptions o;
  o.start = arguments.number("start", not_set);
  o.end = arguments.number("end", not_set);
  o.points = arguments.count("points", 100);
  if (o.points > most_points)
    throw UsageError("--points is at most " + std::to_string(most_points));
  o.times = times_option(arguments);
  o.set = settings_option(arguments);
  o.show = arguments.list("show");
  o.amounts = arguments.has("amounts");
  o.sensitivities = sensitivities_option(arguments);
  long lanes = arguments.count("lanes", 1);
  if (lanes != 1 && lanes != 4 && lanes != 8) throw UsageError("--lanes is 1, 4 or 8");
  o.lanes = static_cast<int>(lanes);
  arguments.number("seed", 1);
  const MethodEntry& method = method_option(arguments);
  o.integration.method = method.info.name;
  o.integration.rtol = arguments.positive("rtol", o.integration.rtol);
  o.integration.atol = arguments.positive("atol", o.integration.atol);
  o.integration.fixed_step = arguments.positive("step", 0);
  o.integration.max_step = max_step_of(arguments);
  if (o.integration.max_step < o.integration.fixed_step)
    throw UsageError("--step is longer than --max-step");
  const long order = arguments.count("max-order", 0);
  const int largest = method.largest_order;
  if (order > 0 && largest == 0)
    throw UsageError("--max-order: method '" + o.integration.method + "' has one order only");
  if (order > largest)
    throw UsageError("--max-order is at most " + std::to_string(largest) + " for method '" +
                     o.integration.method + "'");
  o.integration.max_order = static_cast<int>(order);
  o.integration.eigenvalues = eigenvalues_option(arguments, method);
  o.integration.max_steps = arguments.count("max-steps", o.integration.max_steps);
  return o;
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
  if (!course.below_zero.empty()) json.member("warning", course.below_zero);
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

int run(const Arguments& arguments, const Console& console) {
  TimeCourseOptions options = read_options(arguments);
  for (const char* option : {"output", "report"})
    if (arguments.has(option)) require_writable(arguments.text(option));
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
  const InnerThreads threads(threads_option(arguments));
  std::vector<double> times = output_times(*loaded.model, options);
  ProgressBar bar(console.messages, console.messages_on_terminal, times.front(), times.back());
  options.integration.progress = [&](double time) { bar.at(time); };
  options.integration.interrupt = console.interrupt;
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
  if (!course.below_zero.empty())
    console.messages << "warning: " << course.below_zero << "\n  a smaller "
                     << (arguments.has("step") ? "--step" : "--rtol")
                     << " tells whether the model itself goes there\n";
  if (verification) console.messages << text_of(*verification);
  if (verification && !verification->agrees()) return exit_numerics_failed;
  if (course.outcome.status == Status::done) return exit_done;
  console.messages << "error: " << course.explanation << "\n  " << course.times.size() << " of "
                   << times.size() << " rows were reached and written\n";
  return exit_numerics_failed;
}

}  // namespace

Command simulate_command() { return {spec(), run}; }

}  // namespace stiffit
