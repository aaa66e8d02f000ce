// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/profiles/predicted_value.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "base/fields.h"
#include "base/listed.h"
#include "base/number.h"
#include "base/option_error.h"

namespace stiffit::internal {
namespace {

std::vector<const FitProblem*> parts_of(const FitProblem& problem) {
  std::vector<const FitProblem*> parts;
  for (const FitProblem& part : problem.parts) parts.push_back(&part);
  if (parts.empty()) parts.push_back(&problem);
  return parts;
}

// Position among the species, or -1.
int species_named(const Model& model, const std::string& name) {
  for (std::size_t i = 0; i < model.species.size(); ++i)
    if (model.species[i].id == name) return static_cast<int>(i);
  return -1;
}

// Position among the observables whose formula each measurement does not change, or -1.
int observable_named(const FitProblem& part, const std::string& name) {
  for (std::size_t k = 0; k < part.observables.size(); ++k) {
    const ProblemObservable& o = part.observables[k];
    if (o.id == name && o.placeholders.size() <= static_cast<std::size_t>(o.noise_placeholders))
      return static_cast<int>(k);
  }
  return -1;
}

bool predicts(const FitProblem& part, const std::string& quantity) {
  return species_named(*part.model, quantity) >= 0 || observable_named(part, quantity) >= 0;
}

[[noreturn]] void unknown_name(const std::string& what, const std::string& name,
                               const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(name, names);
  throw OptionError(option("predict") + ": there is no " + what + " '" + name + "'",
                    nearest.empty() ? "" : "did you mean '" + nearest + "'?");
}

}  // namespace

std::string PredictedValue::words(bool several) const {
  return quantity + (std::isinf(time) ? " at the steady state" : " at " + format_short(time, 6)) +
         (several ? " in " + experiment : "");
}

PredictedValue predicted_value(const std::string& text, const FitProblem& problem) {
  const std::size_t at = text.rfind(" at ");
  const std::string wanted =
      "\"" + text + "\" is not of the form \"P at 300\" or \"P at 300 in EXPERIMENT\"";
  if (at == std::string::npos) throw OptionError(option("predict") + ": " + wanted);
  auto trimmed = [](std::string part) {
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    return part;
  };
  PredictedValue value;
  value.quantity = trimmed(text.substr(0, at));
  std::string rest = trimmed(text.substr(at + 4));
  if (const std::size_t in = rest.find(" in "); in != std::string::npos) {
    value.experiment = trimmed(rest.substr(in + 4));
    rest = trimmed(rest.substr(0, in));
  }
  const std::optional<double> time = parse_number(rest);
  if (!time || std::isnan(*time) || *time == -INFINITY || value.quantity.empty())
    throw OptionError(option("predict") + ": " + wanted);
  value.time = *time;
  std::vector<std::string> quantities, experiments;
  std::string first;  // of the quantity's part
  bool known = false;
  for (const FitProblem* part : parts_of(problem)) {
    for (const Species& s : part->model->species) quantities.push_back(s.id);
    for (const ProblemObservable& o : part->observables) quantities.push_back(o.id);
    if (!predicts(*part, value.quantity)) continue;
    known = true;
    for (const Experiment& e : part->experiments) experiments.push_back(e.id);
  }
  if (!known) unknown_name("species or observable", value.quantity, quantities);
  if (value.experiment.empty()) {
    if (experiments.size() > 1)
      throw OptionError(option("predict") + " \"" + text + "\": the problem has the experiments " +
                            listed(experiments),
                        "say which: \"" + text + " in " + experiments.front() + "\"");
    value.experiment = experiments.empty() ? "" : experiments.front();
  } else if (std::find(experiments.begin(), experiments.end(), value.experiment) ==
             experiments.end()) {
    unknown_name("experiment", value.experiment, experiments);
  }
  return value;
}

FitProblem prediction_problem(const FitProblem& problem, const PredictedValue& value) {
  FitProblem whole = problem;
  whole.unknown_noise = false;
  for (ProblemParameter& p : whole.parameters) p.prior = Prior();
  std::vector<FitProblem*> parts;
  for (FitProblem& part : whole.parts) parts.push_back(&part);
  if (parts.empty()) parts.push_back(&whole);
  bool placed = false;
  for (FitProblem* part : parts) {
    part->unknown_noise = false;
    part->measurements.clear();
    const auto experiment =
        std::find_if(part->experiments.begin(), part->experiments.end(),
                     [&](const Experiment& e) { return e.id == value.experiment; });
    if (placed || experiment == part->experiments.end() || !predicts(*part, value.quantity))
      continue;
    placed = true;
    auto model = std::make_shared<Model>(*part->model);
    ProblemObservable o;
    o.id = value.quantity;
    o.noise = static_cast<int>(model->observables.size());
    model->observables.push_back({"noise of a prediction", model->expressions.number(1), {}});
    if (const int known = observable_named(*part, value.quantity); known >= 0) {
      o.formula = part->observables[known].formula;
    } else {
      o.formula = static_cast<int>(model->observables.size());
      model->observables.push_back(
          {"prediction of " + value.quantity,
           model->expressions.symbol({SymbolKind::species, species_named(*model, value.quantity)}),
           {}});
    }
    part->model = std::move(model);
    part->observables = {o};
    Measurement m;
    m.observable = 0;
    m.experiment = static_cast<int>(experiment - part->experiments.begin());
    m.time = value.time;
    m.value = 0;
    m.row = 0;
    part->measurements = {m};
  }
  return whole;
}

}  // namespace stiffit::internal
