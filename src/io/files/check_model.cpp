// SPDX-License-Identifier: Apache-2.0
#include "io/files/check_model.h"

#include <cmath>
#include <optional>

#include "base/files/read_file.h"
#include "io/petab/read_petab.h"
#include "model/fit_problem.h"
#include "symbolic/checks/check_start.h"
#include "symbolic/checks/check_units.h"
#include "symbolic/resolve_run.h"
#include "symbolic/system.h"

namespace stiffit::internal {
namespace {

void add(std::vector<Finding>& findings, const Diagnostics& diagnostics, bool always_name_file) {
  const Source& source = diagnostics.source();
  for (const Diagnostic& d : diagnostics.items()) {
    Finding f{d.severity, d.message, d.hint, "", 0, 0, render(d, source)};
    if (always_name_file) f.file = source.name();
    if (!d.span.empty()) {
      if (!always_name_file) f.file = source.name_at(d.span.begin);
      const LineColumn at = source.locate(d.span.begin);
      f.line = at.line;
      f.column = at.column;
    }
    findings.push_back(std::move(f));
  }
  if (diagnostics.full())
    findings.back().text +=
        "too many errors; the first " + std::to_string(Diagnostics::limit) + " are shown\n";
}

// A finding about the equations, which arrives rendered: its first line is the message.
Finding rendered(const std::string& text) {
  Finding f;
  f.message = text.substr(0, text.find('\n'));
  if (f.message.starts_with("error: ")) f.message.erase(0, 7);
  f.text = text;
  f.rendered_only = true;
  return f;
}

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

// A few lines that say what a problem holds: model, parameters, experiments, observables, data.
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

}  // namespace

std::vector<Finding> check_model(const ReadModel& read) {
  std::vector<Finding> findings;
  add(findings, read.diagnostics, false);
  if (!read.model) return findings;
  Diagnostics later(read.diagnostics.shared_source());
  check_units(*read.model, later);
  std::optional<Finding> obstacle;
  try {
    ResolvedSystem resolved = resolve_run(read.model);
    check_start(*read.model, resolved, later);
  } catch (const InputError& error) {
    obstacle = rendered(error.what());
  }
  add(findings, later, false);
  if (obstacle) findings.push_back(std::move(*obstacle));
  return findings;
}

CheckedProblem check_petab(const std::string& path) {
  const PetabReading reading = read_petab(path, read_file);
  CheckedProblem checked;
  for (const Diagnostics& file : reading.findings) add(checked.findings, file, true);
  if (!reading.problem) return checked;
  if (const std::string late = check_equations(*reading.problem); !late.empty())
    checked.findings.push_back(rendered(late));
  checked.summary = problem_summary(*reading.problem);
  return checked;
}

}  // namespace stiffit::internal
