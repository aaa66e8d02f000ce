// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/fit_pipeline.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "base/number.h"
#include "base/threads.h"
#include "estimation/direct/linear_starts.h"
#include "estimation/optimizers/trust_region.h"
#include "estimation/pipeline/distributed_objective.h"
#include "estimation/pipeline/evaluate_fields.h"
#include "estimation/pipeline/fit_fields.h"
#include "estimation/pipeline/population_checkpoint.h"
#include "estimation/strategies/staged_descent.h"
#include "estimation/strategies/start_quantiles.h"
#include "runtime/distributed/load_channel.h"

namespace stiffit::internal {
namespace {

// A method whose answers only begin a search: that is by the default one.
api::FitOptions as_searched(api::FitOptions options) {
  const OptimizerTraits& method = named_optimizer(options.method).traits;
  if (!method.as_start) return options;
  options.start_from = options.method;
  options.method = default_optimizer().traits.name;
  return options;
}

HessianKind hessian_of(const std::string& name) {
  return name == "fisher" ? HessianKind::fisher
         : name == "bfgs" ? HessianKind::bfgs
                          : HessianKind::hybrid;
}

Sampling sampling_of(const std::string& name) {
  return name == "sobol"     ? Sampling::sobol
         : name == "uniform" ? Sampling::uniform
                             : Sampling::latin_hypercube;
}

MultiStartOptions start_options(const api::FitOptions& o, const RunContext& context) {
  MultiStartOptions m;
  m.local.hessian = hessian_of(o.hessian);
  m.local.max_iterations = std::min(o.iterations, 1000000);
  m.local.interrupt = context.interrupt;
  m.sampling = sampling_of(o.sampling);
  m.screened = o.screen;
  m.starts = std::max(1, o.starts);
  m.seed = o.seed;
  m.threads = thread_count(o);
  return m;
}

// Of populations; numbers as they have always been kept, so that runs can be resumed.
void add_population_settings(RunSettings& settings, const api::FitOptions& o) {
  settings["generations"] = std::to_string(o.generations);
  settings["parents"] = std::to_string(o.parents);
  settings["offspring"] = std::to_string(o.offspring);
  settings["selection"] = o.selection.empty() ? "comma" : o.selection;
  settings["recombination"] = o.recombination == "intermediate" ? "2"
                              : o.recombination == "discrete"   ? "1"
                                                                : "0";
  settings["restarts"] = std::to_string(o.restarts > 0 ? o.restarts : 2);
  settings["spread"] = format_number(o.spread);
  settings["descent"] = o.descent.value_or(true) ? "yes" : "no";
}

void add_flow_settings(RunSettings& settings, const api::FitOptions& o) {
  settings["flow"] = o.flow == "runge-kutta" ? "2" : o.flow == "stiff" ? "1" : "0";
  settings["degree"] = std::to_string(o.degree > 0 ? o.degree : 2);
}

// Of all populations so far, for the bar and for a run that is interrupted.
struct BestIndividual {
  long generations = 0;
  double value = std::numeric_limits<double>::infinity();
  std::string words;

  void note(double found, std::span<const double> x,
            const std::vector<EstimatedParameter>& unknowns) {
    ++generations;
    if (!(found < value)) return;
    value = found;
    words = "the best individual so far: objective " + format_short(value, 8) + " at";
    for (std::size_t i = 0; i < x.size(); ++i)
      words += (i == 0 ? " " : ", ") + unknowns[i].id + " = " +
               format_short(from_theta(x[i], unknowns[i].scale), 6);
  }
};

}  // namespace

ObjectiveOptions accuracy_of(const api::FitOptions& options) { return accuracy_in(options); }

int thread_count(const api::FitOptions& options) {
  return std::min(options.run.threads > 0 ? options.run.threads : own_cores(), 1024);
}

FitPipeline::FitPipeline(FitProblem problem, const api::FitOptions& options,
                         const RunInputs& inputs, const RunContext& context, bool break_off)
    : options_(as_searched(options)),
      inputs_(inputs),
      context_(context),
      method_(named_optimizer(options_.method)),
      accuracy_(accuracy_of(options_)) {
  if (!method_.make)
    throw OptionError("'" + options_.method + "' does not search, and a search is needed");
  optimizer_ = method_.make(options_);
  if (break_off) accuracy_.integration.interrupt = context.interrupt;
  request_.problem = problem.id.empty() ? inputs.name : problem.id;
  request_.method = options_.method;
  request_.level = options_.level;
  request_.options = start_options(options_, context);
  LevelOptions levels{accuracy_, options_.projection, options_.growing,
                      options_.start_from == "random" || request_.options.starts > 1};
  levels_ = objective_levels(std::move(problem), method_.traits, levels);
  place_starts();
}

// Where the starts come from: the first from what is given or nominal, the others sampled.
void FitPipeline::place_starts() {
  MultiStartOptions& m = request_.options;
  const ProblemObjective& objective = *levels_->whole;
  const std::vector<EstimatedParameter>& unknowns = objective.unknowns();
  m.quantile = start_quantiles(objective.problem(), unknowns);
  std::vector<double> point;
  const OptimizerEntry* linear = find_optimizer(options_.start_from);
  if (options_.start_from == "nominal") {
    std::vector<double> nominal = objective.nominal();
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      point.push_back(unknowns[i].start);
      if (std::isinf(nominal[i]))
        context_.say("warning: " + unknowns[i].id +
                     " is zero on a logarithmic scale; the fit starts it at its lower bound " +
                     format_number(from_theta(unknowns[i].lower, unknowns[i].scale)));
      if (std::isnan(point.back())) {
        point.clear();
        break;
      }
    }
  } else if (linear && !linear->traits.linearity.empty()) {
    m.given = linear_starts(
        objective.limit_count() > 0 ? without_limits(objective.problem()) : objective.problem(),
        unknowns, linear->traits.linearity);
    m.starts = std::max(m.starts, m.given.size());
    return;
  } else if (options_.start_from != "random") {
    point = parameter_point(objective, options_.start_from, 1, context_.read_file);
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (!std::isnan(point[i])) continue;
      throw InputError("error: " + options_.start_from + " gives no value for " + unknowns[i].id +
                       ", and there is no nominal one");
    }
  }
  for (std::size_t i = 0; i < point.size(); ++i)
    point[i] = std::clamp(point[i], unknowns[i].lower, unknowns[i].upper);
  if (!point.empty()) m.given = {point};
  if (options_.starts == 0 && point.empty()) m.starts = 20;
  if (m.starts > m.given.size() && options_.start_from == "nominal")
    for (std::vector<double>& start : linear_start()) m.given.push_back(std::move(start));
}

// Where a linear fit along the data applies: its answer. Else nothing.
std::vector<std::vector<double>> FitPipeline::linear_start() const {
  constexpr std::size_t largest = 500;  // species of a model for which that takes no time
  const ProblemObjective& objective = *levels_->whole;
  if (!objective.problem().model || objective.problem().model->species.size() > largest) return {};
  try {
    return linear_starts(
        objective.limit_count() > 0 ? without_limits(objective.problem()) : objective.problem(),
        objective.unknowns(), {{LinearMethod::integral}});
  } catch (const InputError&) {
    return {};  // it does not apply
  }
}

RunSettings FitPipeline::settings() const {
  RunSettings s;
  add_provenance(fit_fields(), options_, s);
  s["starts"] = std::to_string(request_.options.starts);
  s["iterations"] = std::to_string(request_.options.local.max_iterations);
  if (method_.traits.population) add_population_settings(s, options_);
  if (method_.traits.path) add_flow_settings(s, options_);
  for (auto& [name, value] : inputs_.settings) s[name] = value;
  return s;
}

// Sets the method of the request, whose starts are placed and directory is open.
void FitPipeline::use_method(
    std::function<void(double, std::span<const double>, const std::vector<EstimatedParameter>&)>
        watch) {
  MultiStartOptions& options = request_.options;
  if (method_.traits.population) {
    PopulationSearch search{optimizer_, options_.descent.value_or(true), options_.seed,
                            std::move(watch)};
    // Several populations are spread as they are, the individuals of a single one.
    if (request_.workers && options.starts <= 1) {
      search.evaluated =
          std::make_shared<const DistributedObjective>(*levels_->rough, *request_.workers);
      request_.workers = nullptr;
    }
    if (directory_) search.states = std::make_shared<PopulationCheckpoint>(*directory_);
    options = with_population_search(std::move(options), levels_, std::move(search));
  } else if (levels_->reduced) {
    options = with_staged_descent(std::move(options), levels_);
  } else {
    if (method_.traits.path) paths_ = std::make_shared<FlowPaths>();
    options.method = [optimizer = optimizer_, paths = paths_](const Objective& objective,
                                                              std::span<const double> start,
                                                              const LocalOptions& local) {
      SearchHooks hooks;
      std::vector<FlowPoint> path;
      if (paths) hooks.on_point = [&](const FlowPoint& point) { path.push_back(point); };
      LocalFit fit = optimizer->minimize(objective, start, local, hooks);
      if (paths) paths->keep(fit.start, std::move(path));
      return fit;
    };
  }
}

void FitPipeline::serve(const Objective* sampled) const {
  FitPipeline own = *this;
  own.use_method({});
  std::map<std::string, WorkerTask> works;
  add_fit_work(works, *levels_->whole, own.request_);
  add_profile_work(works, *levels_->whole, own.request_.options.local);
  if (sampled)
    DistributedObjective::add_work(works, *sampled);
  else if (method_.traits.population)
    DistributedObjective::add_work(works, *levels_->rough);
  context_.workers->serve(works, own.request_.options.threads);
}

void FitPipeline::open_directory(const char* kind, const RunSettings& settings) {
  if (options_.output.empty()) return;
  directory_ = std::make_shared<RunDirectory>(options_.output, kind, settings, options_.resume);
  if (!directory_->warning().empty()) context_.say(directory_->warning());
}

FitSummary FitPipeline::search(bool watched) {
  request_.folder = directory_.get();
  request_.workers = method_.traits.distributable ? context_.workers : nullptr;
  const bool population = method_.traits.population;
  BestIndividual individual;
  RunProgress progress{0, 1, population ? "generations" : "starts"};
  auto tell = [&](double done) {
    if (!watched) return;
    progress.done = done;
    context_.at(progress);
  };
  if (watched)
    use_method([&](double value, std::span<const double> best,
                   const std::vector<EstimatedParameter>& unknowns) {
      individual.note(value, best, unknowns);
      tell(static_cast<double>(individual.generations));
    });
  else
    use_method({});
  FitRequest request = request_;
  progress.total = static_cast<double>(request.options.starts) *
                   (population ? static_cast<double>(optimizer_->most_generations()) : 1.0);
  tell(0);
  if (!population) request.progress = [&](std::size_t done) { tell(static_cast<double>(done)); };
  SearchWatch watch;
  if (watched && context_.watch) {
    watch = context_.watch(*levels_->whole, accuracy_,
                           std::max(request.options.starts, request.options.given.size()));
    request.finished = watch.finished;
    request.options.local.on_step = watch.step;
  }
  FitSummary fit = run_starts(*levels_->whole, request);
  progress.ended = true;
  if (watched) context_.at(progress);
  if (fit.interrupted && individual.generations > 0) fit.messages.push_back(individual.words);
  return fit;
}

void FitPipeline::look_for_rivals(FitSummary& fit) {
  constexpr std::size_t by_default = 8;
  constexpr double clearly_better = 0.01;  // units of the objective
  if (!fit.found() || fit.interrupted || options_.rivals == 0) return;
  if (method_.traits.population || method_.traits.path) return;
  const MultiStartOptions& made = request_.options;
  const bool asked = options_.rivals > 0;
  // Whoever says how many starts there are to be has said it.
  if (!asked && (options_.starts > 0 || made.starts > by_default)) return;
  const ProblemObjective& objective = *levels_->whole;
  const StartResult& first = fit.best();
  const double before = first.fit.at.value;
  const double seconds = objective.reckoned_seconds(first.fit.x);
  const long evaluations = first.values + first.gradients;
  const std::size_t wanted = asked ? static_cast<std::size_t>(options_.rivals)
                                   : affordable_rivals(by_default, seconds, evaluations);
  RivalSearch& search = fit.rival_search;
  if (wanted == 0) {
    search.skipped =
        "other minima were not looked for, which would take longer than the fit; --starts N does "
        "that";
    return;
  }
  std::vector<std::vector<double>> points;
  const bool used = options_.start_from != "nominal" && find_optimizer(options_.start_from);
  if (!used) points = linear_start();
  if (points.size() > wanted) points.resize(wanted);
  search.from_linear = !points.empty();
  const std::size_t random = wanted - points.size();
  const double allowed = static_cast<double>(wanted) * seconds * static_cast<double>(evaluations);
  std::vector<StartResult> found =
      search_rivals(objective, made, std::move(points), random, fit.starts.size(), allowed, search);
  if (context_.interrupt && context_.interrupt->load()) {
    fit.interrupted = true;
    fit.rival_search = {};
    InterruptScope::heard();
    return;
  }
  const std::size_t own = fit.starts.size();
  for (StartResult& s : found) fit.starts.push_back(std::move(s));
  rank_starts(objective, fit);
  for (std::size_t k = own; k < fit.starts.size(); ++k) {
    search.agreed += fit.minimum[k] == 0;
    search.elsewhere += fit.minimum[k] > 0;
  }
  const LocalFit& best = fit.best().fit;
  if (fit.order.front() >= own &&
      before - best.at.value > clearly_better * value_unit(objective, best.at))
    fit.messages.push_back("from the given start the search ended at objective " +
                           format_short(before, 8) +
                           "; a better minimum was found from another start");
}

std::string FitPipeline::settle(FitSummary& fit) {
  std::string words;
  if (!unless_interrupted([&] { words = settled(fit); }) ||
      (context_.interrupt && context_.interrupt->load())) {
    fit.interrupted = true;  // the starts are as they were
    InterruptScope::heard();
  }
  return words;
}

// Changes the fit at the end, when all is there.
std::string FitPipeline::settled(FitSummary& fit) {
  constexpr double matters = 0.01;  // units of the objective
  if (!fit.found() || fit.interrupted || options_.rtol != api::FitOptions().rtol) return {};
  const StartResult& best = fit.best();
  if (best.fit.outcome != FitOutcome::converged && best.fit.outcome != FitOutcome::stalled)
    return {};
  ObjectiveOptions tight = accuracy_;
  tight.integration.rtol /= 100;
  auto objective = std::make_shared<const ProblemObjective>(levels_->whole->problem(), tight);
  LocalOptions local = request_.options.local;
  local.on_step = {};
  local.value_tolerance = matters;
  const LocalFit first = fit_trust_region(*objective, best.fit.x, local);
  if (!first.usable() || first.outcome == FitOutcome::interrupted) return {};
  // A descent begins a little inside of bounds, so that its own start does not count.
  const double gain = objective->evaluate(best.fit.x, Need::value).value - first.at.value;
  if (!(gain > matters * value_unit(*objective, first.at))) return {};
  // What the tolerance asked for sees as well is not its fault: a new descent has found its way.
  const Evaluation as_searched = levels_->whole->evaluate(first.x, Need::value);
  if (as_searched.ok() && best.fit.at.value - as_searched.value > gain / 2) return {};
  local.value_tolerance = request_.options.local.value_tolerance;
  LocalFit last = fit_trust_region(*objective, first.x, local);
  if (!last.usable() || last.outcome == FitOutcome::interrupted) return {};
  last.start = best.fit.start;
  last.start_value = best.fit.start_value;
  std::vector<StartResult> starts = fit.starts;
  const std::size_t at = fit.order.front();
  starts[at].fit = std::move(last);
  // Values of two tolerances are not to be ranked against each other.
  for_each_index(starts.size(), request_.options.threads, [&](std::size_t k) {
    LocalFit& other = starts[k].fit;
    if (k != at && other.usable()) other.at = objective->evaluate(other.x, Need::fisher);
  });
  if (context_.interrupt && context_.interrupt->load()) return {};
  fit.starts = std::move(starts);
  std::string words = "at rtol " + format_short(accuracy_.integration.rtol, 3) +
                      " errors of the integration are not small beside what is left of the "
                      "measurements: the best start went on at rtol " +
                      format_short(tight.integration.rtol, 3);
  settled_ = std::move(objective);
  accuracy_ = tight;
  rank_starts(*settled_, fit);
  return words;
}

std::string FitPipeline::path_table(const FitSummary& fit) const {
  return paths_ && fit.found() ? paths_->table(fit.best().fit.start, fit.unknowns) : "";
}

FitProblem without_limits(FitProblem problem) {
  std::erase_if(problem.measurements,
                [](const Measurement& m) { return m.censoring != Censoring::none; });
  for (std::size_t i = 0; i < problem.measurements.size(); ++i)
    problem.measurements[i].row = static_cast<int>(i);
  return problem;
}

std::string nothing_found(const FitSummary& fit) {
  std::string words = "the model could not be evaluated at any start";
  if (!fit.starts.empty()) words += "\n  " + fit.starts.front().fit.message;
  return words;
}

std::string unfitted(const FitSummary& fit) {
  return fit.interrupted ? "interrupted before the fit was done" : "error: " + nothing_found(fit);
}

}  // namespace stiffit::internal
