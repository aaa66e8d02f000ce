// SPDX-License-Identifier: Apache-2.0
#include "model/simulation_table.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/number.h"

namespace stiffit::internal {
namespace {

// A measurement and the problem, or part of one, that it belongs to.
struct Entry {
  const FitProblem* problem;
  const Measurement* measurement;
};

std::vector<Entry> entries_of(const FitProblem& problem) {
  std::vector<Entry> entries;
  for (const Measurement& m : problem.measurements) entries.push_back({&problem, &m});
  if (problem.parts.empty()) return entries;
  for (const FitProblem& part : problem.parts)
    for (const Measurement& m : part.measurements) entries.push_back({&part, &m});
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.measurement->row < b.measurement->row; });
  return entries;
}

struct Fields {
  bool equilibration = false, models = false, observable_parameters = false,
       noise_parameters = false, datasets = false, replicates = false;
};

const ProblemObservable& observable_of(const Entry& e) {
  return e.problem->observables[e.measurement->observable];
}

const Experiment& experiment_of(const Entry& e) {
  return e.problem->experiments[e.measurement->experiment];
}

bool is_equilibrated(const Experiment& experiment) {
  return experiment.periods.size() > 1 && std::isinf(experiment.periods.front().start);
}

// Placeholders [begin, end) as they stand in the measurement table.
std::string overrides(const Entry& e, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    const PlaceholderValue& value = e.measurement->placeholders[i];
    if (i > begin) text += ";";
    text += value.parameter >= 0 ? e.problem->parameters[value.parameter].id
                                 : format_number(value.number);
  }
  return text;
}

std::size_t observable_placeholders(const Entry& e) {
  return e.measurement->placeholders.size() -
         static_cast<std::size_t>(observable_of(e).noise_placeholders);
}

Fields fields_of(const FitProblem& problem, const std::vector<Entry>& entries) {
  Fields f;
  f.models = problem.petab_version == 2 && !problem.parts.empty();
  for (const Entry& e : entries) {
    f.equilibration |= is_equilibrated(experiment_of(e));
    f.observable_parameters |= observable_placeholders(e) > 0;
    f.noise_parameters |= observable_of(e).noise_placeholders > 0;
    f.datasets |= !e.measurement->dataset.empty();
    f.replicates |= !e.measurement->replicate.empty();
  }
  return f;
}

std::string condition_of(const Experiment& experiment) {
  if (experiment.periods.empty() || experiment.periods.back().name.empty()) return experiment.id;
  return experiment.periods.back().name;
}

}  // namespace

std::string simulation_table(const FitProblem& problem, std::span<const double> simulated) {
  std::vector<Entry> entries = entries_of(problem);
  if (entries.size() != simulated.size())
    throw std::logic_error("a simulation table needs one value per measurement");
  Fields f = fields_of(problem, entries);
  bool v2 = problem.petab_version == 2;
  std::string out;
  if (f.models) out += "modelId\t";
  out += "observableId";
  if (!v2 && f.equilibration) out += "\tpreequilibrationConditionId";
  out += v2 ? "\texperimentId" : "\tsimulationConditionId";
  out += "\ttime\tsimulation";
  if (f.observable_parameters) out += "\tobservableParameters";
  if (f.noise_parameters) out += "\tnoiseParameters";
  if (f.datasets) out += "\tdatasetId";
  if (f.replicates) out += "\treplicateId";
  out += "\n";
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Entry& e = entries[i];
    const Experiment& experiment = experiment_of(e);
    if (f.models) out += e.problem->id + "\t";
    out += observable_of(e).id;
    if (!v2 && f.equilibration)
      out += "\t" + (is_equilibrated(experiment) ? experiment.periods.front().name : "");
    out += "\t" + (v2 ? experiment.id : condition_of(experiment));
    out += "\t" + format_number(e.measurement->time) + "\t" + format_number(simulated[i]);
    std::size_t split = observable_placeholders(e);
    if (f.observable_parameters) out += "\t" + overrides(e, 0, split);
    if (f.noise_parameters) out += "\t" + overrides(e, split, e.measurement->placeholders.size());
    if (f.datasets) out += "\t" + e.measurement->dataset;
    if (f.replicates) out += "\t" + e.measurement->replicate;
    out += "\n";
  }
  return out;
}

}  // namespace stiffit::internal
