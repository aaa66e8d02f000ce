// SPDX-License-Identifier: Apache-2.0
#include "stiffit/problem.h"

#include <cmath>

#include "api/impl.h"
#include "base/files/read_file.h"
#include "base/version.h"
#include "estimation/pipeline/evaluate_fields.h"
#include "estimation/pipeline/evaluate_run.h"
#include "io/files/load_problem.h"
#include "io/petab/read_petab.h"
#include "report/tables/simulation_table.h"
#include "runtime/checkpoint/input_hashes.h"
#include "runtime/checkpoint/sha256.h"
#include "runtime/distributed/load_channel.h"

namespace stiffit {
inline namespace api {
namespace {

// Of a problem of that name; `words` are options as provenance has them.
RunInputs inputs_of(const std::string& name, const RunSettings& words) {
  RunInputs inputs{name, words};
  inputs.settings["version"] = internal::version();
  inputs.settings["problem"] = name;
  return inputs;
}

std::string side_by_side(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : " ") + text;
  return all;
}

void require_size(std::size_t size, std::size_t wanted) {
  if (size != wanted)
    throw InputError("error: there are " + std::to_string(wanted) + " unknowns, not " +
                     std::to_string(size) + "\n");
}

// Thetas or values, one by one.
template <class Change>
std::vector<double> changed(const FitProblem& problem, const std::vector<double>& from,
                            Change change) {
  const std::vector<internal::EstimatedParameter> unknowns = unknowns_of(problem);
  require_size(from.size(), unknowns.size());
  std::vector<double> to;
  for (std::size_t i = 0; i < from.size(); ++i) to.push_back(change(from[i], unknowns[i].scale));
  return to;
}

Evaluation public_evaluation(internal::Evaluation e) {
  return {e.value,
          e.llh,
          e.chi2,
          std::move(e.gradient),
          std::move(e.fisher),
          std::move(e.residuals),
          std::move(e.jacobian),
          std::move(e.failure)};
}

const char* word_for(GradientVerdict verdict) {
  return verdict == GradientVerdict::right    ? "right"
         : verdict == GradientVerdict::unsure ? "unsure"
                                              : "wrong";
}

CheckedGradient public_check(const internal::CheckedGradient& checked,
                             const std::vector<EstimatedParameter>& unknowns) {
  CheckedGradient result{{}, checked.between, checked.seconds, checked.experiments};
  for (const internal::CheckedMethod& m : checked.methods) {
    CheckedMethod& method = result.methods.emplace_back();
    method = {m.method, m.adjoint, m.failure, m.gradient, {},
              m.right,  m.unsure,  m.wrong,   m.worst,    m.seconds};
    for (const GradientCheck& e : m.entries)
      method.entries.push_back({unknowns[e.unknown].id, unknowns[e.unknown].scale, e.gradient,
                                e.difference, e.uncertainty, e.error, e.passed,
                                word_for(e.verdict)});
  }
  return result;
}

}  // namespace

bool is_petab(const std::string& name) { return is_petab_name(name); }

Problem Problem::petab(const std::string& path, const RunOptions& run, bool only_beside) {
  return at_border(run.interrupt, [&] {
    LoadedProblem loaded = load_petab(path, only_beside);
    auto impl = std::make_shared<Impl>();
    impl->problem = std::move(loaded.problem);
    impl->warnings = std::move(loaded.warnings);
    impl->inputs = inputs_of(path, {});
    add_model_hashes(impl->inputs.settings, path);
    return Problem(std::move(impl));
  });
}

Problem Problem::from_data(const Model& model, const std::vector<DataTable>& data,
                           const std::vector<std::string>& estimate,
                           const std::vector<std::string>& observe, const RunOptions& run,
                           const NoiseOptions& noise) {
  return at_border(run.interrupt, [&] {
    if (data.empty()) throw internal::OptionError("there are no data");
    auto impl = std::make_shared<Impl>();
    DataRequest request{{}, estimate, observe, noise.formulas, noise.weights, noise.distribution};
    RunSettings words;
    std::vector<std::string> names;
    for (const DataTable& table : data) {
      request.files.push_back(table.text.empty() ? read_data_files({table.name}).front()
                                                 : DataFile{table.name, table.text});
      names.push_back(table.name);
    }
    words["data"] = side_by_side(names);
    if (!estimate.empty()) words["estimate"] = side_by_side(estimate);
    if (!observe.empty()) words["observe"] = side_by_side(observe);
    if (!noise.formulas.empty()) words["noise"] = side_by_side(noise.formulas);
    if (!noise.weights.empty() && noise.weights != "absolute") words["weights"] = noise.weights;
    if (!noise.distribution.empty() && noise.distribution != "normal")
      words["noise-distribution"] = noise.distribution;
    impl->inputs = inputs_of(model.name(), words);
    LoadedProblem loaded = load_data_problem(model.impl().model, request);
    impl->problem = std::move(loaded.problem);
    impl->warnings = model.warnings() + loaded.warnings;
    RunSettings& settings = impl->inputs.settings;
    if (model.impl().is_file) {
      add_model_hashes(settings, model.name());
    } else {
      settings["input " + model.name()] = sha256(model.impl().model->source->text());
    }
    add_file_hashes(settings, names);
    for (const DataTable& table : data)
      if (!table.text.empty()) settings["input " + table.name] = sha256(table.text);
    return Problem(std::move(impl));
  });
}

const std::string& Problem::name() const {
  return impl_->problem.id.empty() ? impl_->inputs.name : impl_->problem.id;
}
const std::string& Problem::warnings() const { return impl_->warnings; }

std::vector<EstimatedParameter> Problem::unknowns() const {
  return public_unknowns(unknowns_of(impl_->problem));
}

std::vector<double> Problem::to_theta(const std::vector<double>& values) const {
  return changed(impl_->problem, values, internal::to_theta);
}

std::vector<double> Problem::to_values(const std::vector<double>& theta) const {
  return changed(impl_->problem, theta, from_theta);
}

Objective Problem::objective(const ObjectiveOptions& options) const {
  return at_border(options.interrupt, [&] {
    check_options(options);
    auto impl = std::make_shared<Objective::Impl>();
    impl->objective =
        std::make_shared<const ProblemObjective>(impl_->problem, objective_options(options));
    impl->unknowns = public_unknowns(impl->objective->unknowns());
    impl->interrupt = options.interrupt;
    return Objective(std::move(impl));
  });
}

PointEvaluation Problem::evaluate(const EvaluateOptions& options) const {
  return at_border(options.objective.interrupt, [&] {
    check_options(options);
    EvaluateRun run = run_evaluate(impl_->problem, options,
                                   [](const std::string& path) { return read_file(path); });
    const ProblemObjective& objective = *run.objective;
    PointEvaluation result;
    result.unknowns = public_unknowns(objective.unknowns());
    result.theta = std::move(run.theta);
    result.n_data = objective.data_count();
    result.evaluation = public_evaluation(std::move(run.evaluation));
    result.rtol = run.rtol;
    result.messages = std::move(run.messages);
    result.compile_seconds = run.compile;
    result.seconds = run.seconds;
    if (run.check) result.check = public_check(*run.check, result.unknowns);
    if (!options.simulations || !result.evaluation.ok()) return result;
    std::string failure;
    const std::vector<Prediction> predictions = objective.predict(result.theta, failure);
    if (failure.empty()) result.simulations = simulation_table(objective.problem(), predictions);
    return result;
  });
}

const std::vector<EstimatedParameter>& Objective::unknowns() const { return impl_->unknowns; }
int Objective::data_count() const { return impl_->objective->data_count(); }
bool Objective::least_squares() const { return impl_->objective->least_squares(); }

Evaluation Objective::evaluate(const std::vector<double>& theta, Need need) const {
  require_size(theta.size(), impl_->unknowns.size());
  const InterruptScope scope(impl_->interrupt);
  const auto wanted = need == Need::value      ? internal::Need::value
                      : need == Need::gradient ? internal::Need::gradient
                                               : internal::Need::fisher;
  return public_evaluation(impl_->objective->evaluate(theta, wanted));
}

std::vector<Evaluation> Objective::values(const std::vector<std::vector<double>>& thetas,
                                          int threads) const {
  for (const std::vector<double>& theta : thetas)
    require_size(theta.size(), impl_->unknowns.size());
  const InterruptScope scope(impl_->interrupt);
  std::vector<Evaluation> list;
  for (internal::Evaluation& e :
       impl_->objective->values(thetas, threads > 0 ? threads : own_cores()))
    list.push_back(public_evaluation(std::move(e)));
  return list;
}

std::vector<Datum> Objective::data(const std::vector<double>& theta) const {
  require_size(theta.size(), impl_->unknowns.size());
  std::string failure;
  std::vector<Datum> data = public_data(*impl_->objective, theta, 1, failure);
  if (!failure.empty()) throw NumericsError(failure, automatic_value);
  return data;
}

}  // namespace api
}  // namespace stiffit
