// SPDX-License-Identifier: Apache-2.0
#include "workbench/check_problem.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "io/petab/read_petab.h"
#include "report/json.h"
#include "symbolic/system.h"
#include "workbench/commands.h"
#include "workbench/read_file.h"

namespace stiffit {
namespace {

std::string counted(std::size_t count, const std::string& one, const std::string& many = "") {
  return std::to_string(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

struct Figures {
  std::size_t estimated = 0, fixed = 0, priors = 0;
  std::size_t periods = 0, equilibrated = 0;
  std::size_t log_observables = 0, laplace = 0;
  std::size_t steady = 0, overridden = 0;
};

Figures figures_of(const FitProblem& problem) {
  Figures f;
  for (const ProblemParameter& p : problem.parameters) {
    ++(p.estimated ? f.estimated : f.fixed);
    if (p.prior.kind != PriorKind::none) ++f.priors;
  }
  for (const Experiment& e : problem.experiments) {
    f.periods += e.periods.size();
    if (!e.periods.empty() && std::isinf(e.periods.front().start)) ++f.equilibrated;
  }
  for (const ProblemObservable& o : problem.observables) {
    if (o.transformation != Transformation::none) ++f.log_observables;
    if (o.noise_kind == NoiseKind::laplace) ++f.laplace;
  }
  for (const Measurement& m : problem.measurements) {
    if (std::isinf(m.time)) ++f.steady;
    if (!m.placeholders.empty()) ++f.overridden;
  }
  return f;
}

// The equations of each model must exist; what is wrong arrives rendered.
std::string check_equations(const FitProblem& problem) {
  std::string text;
  if (problem.model) {
    try {
      resolve(problem.model);
    } catch (const InputError& error) {
      text = error.what();
    }
  }
  for (const FitProblem& part : problem.parts) text += check_equations(part);
  return text;
}

void add_summary(const FitProblem& problem, const std::string& indent, std::string& out) {
  Figures f = figures_of(problem);
  const Model& model = *problem.model;
  out += indent + "model " + (model.id.empty() ? "(without a name)" : model.id) + ": " +
         counted(model.species.size(), "species", "species") + ", " +
         counted(model.reactions.size(), "reaction") + ", " +
         counted(model.events.size(), "event") + "\n";
  out += indent + counted(problem.experiments.size(), "experiment") + " with " +
         counted(f.periods, "period");
  if (f.equilibrated) out += ", " + std::to_string(f.equilibrated) + " pre-equilibrated";
  out += "\n" + indent + counted(problem.observables.size(), "observable");
  if (f.log_observables) out += ", " + std::to_string(f.log_observables) + " logarithmic";
  if (f.laplace) out += ", " + std::to_string(f.laplace) + " with Laplace noise";
  out += "\n" + indent + counted(problem.measurements.size(), "measurement");
  if (f.steady) out += ", " + std::to_string(f.steady) + " at the steady state";
  if (f.overridden) out += ", " + std::to_string(f.overridden) + " with their own parameters";
  out += "\n";
}

void write_findings(JsonWriter& json, const PetabReading& reading) {
  for (const Diagnostics& file : reading.findings)
    for (const Diagnostic& d : file.items()) {
      json.begin_object().member("severity", d.severity == Severity::error ? "error" : "warning");
      json.member("file", file.source().name()).member("message", d.message);
      json.member("hint", d.hint);
      if (!d.span.empty()) {
        LineColumn at = file.source().locate(d.span.begin);
        json.member("line", at.line).member("column", at.column);
      }
      json.member("text", render(d, file.source())).end_object();
    }
}

}  // namespace

std::string problem_summary(const FitProblem& problem) {
  Figures f = figures_of(problem);
  std::string out = "problem " + problem.id + "\n  " + counted(f.estimated, "estimated parameter") +
                    ", " + std::to_string(f.fixed) + " fixed";
  if (f.priors) out += ", " + std::to_string(f.priors) + " with a prior";
  out += "\n";
  if (problem.model) add_summary(problem, "  ", out);
  for (const FitProblem& part : problem.parts) add_summary(part, "  ", out);
  return out;
}

int check_petab_problem(const std::string& path, const Arguments& arguments,
                        const Console& console) {
  PetabReading reading = read_petab(path, read_file);
  std::string late = reading.problem ? check_equations(*reading.problem) : "";
  std::ptrdiff_t errors = late.empty() ? 0 : 1, warnings = 0;
  for (const Diagnostics& file : reading.findings)
    for (const Diagnostic& d : file.items()) ++(d.severity == Severity::error ? errors : warnings);
  if (arguments.has("json")) {
    JsonWriter json;
    json.begin_object().member("file", path).member("errors", errors);
    json.member("warnings", warnings).key("findings").begin_array();
    write_findings(json, reading);
    if (!late.empty())
      json.begin_object().member("severity", "error").member("text", late).end_object();
    json.end_array();
    if (reading.problem) json.member("summary", problem_summary(*reading.problem));
    deliver(json.end_object().text(), console);
  } else {
    std::string text = reading.text() + late;
    if (reading.problem) text += problem_summary(*reading.problem);
    deliver(text + path + ": " + std::to_string(errors) + " errors, " + std::to_string(warnings) +
                " warnings\n",
            console);
  }
  return errors ? exit_bad_input : exit_done;
}

}  // namespace stiffit
