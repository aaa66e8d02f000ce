// SPDX-License-Identifier: Apache-2.0
#include "workbench/fit_options.h"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "base/diagnostic.h"
#include "base/files/output_file.h"
#include "base/number.h"
#include "base/version.h"
#include "cli/problem_option.h"
#include "cli/run_inputs.h"
#include "cli/run_options.h"
#include "estimation/objective/growing_data.h"
#include "workbench/linear_methods.h"
#include "workbench/parameter_point.h"
#include "workbench/projected_fit.h"
#include "workbench/start_quantiles.h"

namespace stiffit {
namespace {

// Of the integrations that sampled starts are screened and first fitted by.
constexpr double rough_rtol = 1e-5;
// A point that needs more is not worth its time; there are others.
constexpr long rough_steps = 10000;
// Of those that populations are compared by.
constexpr double population_rtol = 1e-6;

std::string method_option(const Arguments& arguments) {
  std::string method = arguments.text("method", "trust-region");
  std::vector<std::string> names = fit_method_names();
  for (std::string& name : linear_method_names()) names.push_back(std::move(name));
  if (std::find(names.begin(), names.end(), method) != names.end()) return method;
  std::string nearest = nearest_name(method, names);
  throw UsageError("unknown method '" + method + "'", nearest.empty()
                                                          ? "'stiffit fit --help' lists them"
                                                          : "did you mean '" + nearest + "'?");
}

HessianKind hessian_option(const Arguments& arguments) {
  std::string kind = arguments.text("hessian", "hybrid");
  if (kind == "hybrid") return HessianKind::hybrid;
  if (kind == "fisher") return HessianKind::fisher;
  if (kind == "bfgs") return HessianKind::bfgs;
  throw UsageError("--hessian is hybrid, fisher or bfgs, not '" + kind + "'");
}

Sampling sampling_option(const Arguments& arguments) {
  std::string kind = arguments.text("sampling", "latin");
  if (kind == "latin") return Sampling::latin_hypercube;
  if (kind == "sobol") return Sampling::sobol;
  if (kind == "uniform") return Sampling::uniform;
  throw UsageError("--sampling is latin, sobol or uniform, not '" + kind + "'");
}

// Where a linear fit along the data applies, its answer is worth one of many starts.
void add_linear_start(MultiStartOptions& options, const ProblemObjective& objective) {
  constexpr std::size_t largest = 500;  // species of a model for which that takes no time
  if (!objective.problem().model || objective.problem().model->species.size() > largest) return;
  try {
    for (std::vector<double>& point :
         linear_starts(objective.problem(), objective.unknowns(), "integral"))
      options.given.push_back(std::move(point));
  } catch (const InputError&) {
    // It does not apply.
  }
}

}  // namespace

std::vector<OptionSpec> fitting_options() {
  std::vector<OptionSpec> options = problem_options();
  for (OptionSpec& o : std::vector<OptionSpec>{
           {"method", "M",
            "trust-region (default), gauss-newton, multiple-shooting, gradient-flow, evolution, "
            "cma-es, differential-evolution, integral, derivative, rational, combined",
            0, false},
           {"starts", "N", "descents from N starts (default 1, or 20 without start values)", 0,
            false},
           {"start-from", "WHAT",
            "nominal, random, integral, derivative, rational, combined, or a table of values", 0,
            false},
           {"screen", "N", "candidates for each random start (default 50)", 0, false},
           {"sampling", "S", "of random starts: latin, sobol or uniform (default latin)", 0, false},
           {"hessian", "H", "of trust-region: hybrid, fisher or bfgs (default hybrid)", 0, false},
           {"projection", "yes|no", "solve for linear unknowns inside (default yes)", 0, false},
           {"growing", "yes|no", "fit the beginning of oscillating data first (default yes)", 0,
            false},
           {"iterations", "N", "of one descent at most (default 500)", 0, false},
           integrator_option(),
           {"rtol", "R", "relative tolerance of the integrations", 0, false},
           {"atol", "A", "absolute tolerance (default: scaled for each species)", 0, false},
           max_step_option(),
           {"max-steps", "N", "of one integration", 0, false},
           {"output", "DIR", "folder for the results and the state of the run", 'o', false},
           {"resume", "", "go on with the run in DIR", 0, false},
           {"report", "FILE.html", "a page with everything; DIR gets it as report.html", 0, false},
       })
    options.push_back(std::move(o));
  for (OptionSpec& o : population_option_specs()) options.push_back(std::move(o));
  for (OptionSpec& o : flow_option_specs()) options.push_back(std::move(o));
  return with_general_options(std::move(options));
}

FittingOptions read_fitting_options(const Arguments& arguments, const Console& console) {
  FittingOptions o;
  o.request.method = method_option(arguments);
  MultiStartOptions& m = o.request.options;
  m.local.hessian = hessian_option(arguments);
  m.local.max_iterations = static_cast<int>(std::min(arguments.count("iterations", 500), 1000000L));
  m.local.interrupt = console.interrupt;
  m.sampling = sampling_option(arguments);
  m.screened = static_cast<std::size_t>(arguments.count("screen", 50));
  o.starts_given = arguments.has("starts");
  m.starts = static_cast<std::size_t>(arguments.count("starts", 1));
  m.seed = seed_option(arguments);
  m.threads = threads_option(arguments);
  o.population = read_population_options(arguments, o.request.method, m.seed);
  o.flow = read_flow_options(arguments, o.request.method);
  std::string projection = arguments.text("projection", "yes");
  if (projection != "yes" && projection != "no") throw UsageError("--projection is yes or no");
  o.projection = projection == "yes";
  std::string growing = arguments.text("growing", "yes");
  if (growing != "yes" && growing != "no") throw UsageError("--growing is yes or no");
  o.growing = growing == "yes";
  o.start_from = arguments.text("start-from", "nominal");
  if (arguments.has("report")) require_writable(arguments.text("report"));
  if (arguments.has("resume") && !arguments.has("output"))
    throw UsageError("--resume needs the folder of the run, -o DIR");
  IntegrationOptions& integration = o.objective.integration;
  integration.method = integrator_of(arguments, integration.method);
  integration.rtol = arguments.positive("rtol", integration.rtol);
  integration.atol = arguments.positive("atol", integration.atol);
  integration.max_step = max_step_of(arguments);
  integration.max_steps = arguments.count("max-steps", integration.max_steps);
  return o;
}

void place_starts(FittingOptions& options, const ProblemObjective& objective,
                  const Console& console) {
  MultiStartOptions& m = options.request.options;
  const std::vector<Unknown>& unknowns = objective.unknowns();
  m.quantile = start_quantiles(objective.problem(), unknowns);
  std::vector<double> point;
  if (options.start_from == "nominal") {
    std::vector<double> nominal = objective.nominal();
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      point.push_back(unknowns[i].start);
      if (std::isinf(nominal[i]))
        console.messages << "warning: " << unknowns[i].id
                         << " is zero on a logarithmic scale; the fit starts it at its lower bound "
                         << format_number(from_theta(unknowns[i].lower, unknowns[i].scale)) << "\n";
      if (std::isnan(point.back())) {
        point.clear();
        break;
      }
    }
  } else if (is_linear_method(options.start_from)) {
    m.given = linear_starts(objective.problem(), unknowns, options.start_from);
    m.starts = std::max(m.starts, m.given.size());
    return;
  } else if (options.start_from != "random") {
    point = parameter_point(objective, options.start_from);
    for (std::size_t i = 0; i < point.size(); ++i) {
      if (!std::isnan(point[i])) continue;
      throw InputError("error: " + options.start_from + " gives no value for " + unknowns[i].id +
                       ", and there is no nominal one");
    }
  }
  for (std::size_t i = 0; i < point.size(); ++i)
    point[i] = std::clamp(point[i], unknowns[i].lower, unknowns[i].upper);
  if (!point.empty()) m.given = {point};
  if (!options.starts_given && point.empty()) m.starts = 20;
  if (m.starts > m.given.size() && options.start_from == "nominal") add_linear_start(m, objective);
}

void join_method(FittingOptions& options, FittingObjective& objective) {
  FitRequest& request = options.request;
  if (request.method == "gradient-flow") {
    objective.paths = std::make_unique<FlowPaths>();
    request.options.method = objective.paths->method(options.flow);
  }
  if (!is_population_method(request.method)) return;
  // Several populations are spread as they are, the individuals of a single one.
  if (request.crew && request.options.starts <= 1) {
    objective.spread = std::make_unique<CrewObjective>(*objective.rough, *request.crew);
    request.crew = nullptr;
  }
  options.population.evaluated = objective.spread.get();
  use_population(request.options, {{}, objective.rough.get(), nullptr, objective.whole.get()},
                 options.population,
                 request.folder ? std::make_shared<KeptPopulations>(*request.folder) : nullptr);
}

Crew* crew_of(const FittingOptions& options, const Console& console) {
  // The paths of a flow are kept beside the starts, in this process.
  return options.request.method == "gradient-flow" ? nullptr : console.crew;
}

int serve_fit(FittingOptions& options, FittingObjective& objective, const Console& console,
              const Objective* sampled) {
  join_method(options, objective);
  std::map<std::string, CrewWork> works;
  add_fit_work(works, *objective.whole, options.request);
  add_profile_work(works, *objective.whole, options.request.options.local);
  if (sampled)
    CrewObjective::add_work(works, *sampled);
  else if (is_population_method(options.request.method))
    CrewObjective::add_work(works, *objective.rough);
  console.crew->serve(works, options.request.options.threads);
  return exit_done;
}

RunSettings fitting_settings(const FittingOptions& options, const Arguments& arguments) {
  const MultiStartOptions& m = options.request.options;
  const IntegrationOptions& integration = options.objective.integration;
  RunSettings s{{"version", version()},
                {"problem", arguments.positional().front()},
                {"method", options.request.method},
                {"starts", std::to_string(m.starts)},
                {"start-from", options.start_from},
                {"screen", std::to_string(m.screened)},
                {"sampling", arguments.text("sampling", "latin")},
                {"hessian", arguments.text("hessian", "hybrid")},
                {"iterations", std::to_string(m.local.max_iterations)},
                {"projection", options.projection ? "yes" : "no"},
                {"growing", options.growing ? "yes" : "no"},
                {"seed", std::to_string(m.seed)},
                {"rtol", format_number(integration.rtol)},
                {"atol", format_number(integration.atol)},
                {"max-steps", std::to_string(integration.max_steps)}};
  if (is_population_method(options.request.method)) add_population_settings(s, options.population);
  if (options.request.method == "gradient-flow") add_flow_settings(s, options.flow);
  add_options(s, arguments, {"data", "estimate", "observe", "integrator", "max-step"});
  for (const std::string& name : linear_option_names()) add_options(s, arguments, {name.c_str()});
  add_input_hashes(s, arguments);
  return s;
}

FittingObjective fitting_objective(FitProblem problem, FittingOptions& options) {
  FittingObjective objective;
  const bool population = is_population_method(options.request.method);
  const bool shoots = options.request.method == "multiple-shooting";
  const bool search =
      population || (options.projection && (options.request.method == "trust-region" || shoots));
  FitProblem again = search ? problem : FitProblem();
  objective.whole = std::make_shared<const ProblemObjective>(std::move(problem), options.objective);
  const std::vector<Unknown>& unknowns = objective.whole->unknowns();
  if (unknowns.empty()) throw InputError("error: nothing is to be estimated in this problem");
  if (objective.whole->data_count() == 0) throw InputError("error: this problem has no data");
  if (!search) return objective;
  if (population) {
    ObjectiveOptions rough = options.objective;
    rough.integration.rtol = std::max(rough.integration.rtol, population_rtol);
    rough.derivatives = false;
    objective.rough = std::make_unique<ProjectedObjective>(
        std::make_shared<const ProblemObjective>(std::move(again), rough), options.projection);
    return objective;
  }
  objective.projected = std::make_unique<ProjectedObjective>(objective.whole);
  const bool sampled =
      options.start_from == "random" || options.request.options.starts > 1 ||
      std::any_of(unknowns.begin(), unknowns.end(), [](auto& u) { return std::isnan(u.start); });
  ObjectiveOptions rough = options.objective;
  rough.integration.rtol = std::max(rough.integration.rtol, rough_rtol);
  rough.integration.max_steps = std::min(rough.integration.max_steps, rough_steps);
  auto roughly = [&](FitProblem part) {
    return std::make_unique<ProjectedObjective>(
        std::make_shared<const ProblemObjective>(std::move(part), rough));
  };
  if (sampled || shoots) objective.rough = roughly(again);
  if (shoots) {
    objective.shooting = ShootingFit::make(again, cut_times(again), rough, *objective.rough);
    if (!objective.shooting)
      throw InputError(
          "error: method multiple-shooting is for models without events, delays, algebraic rules "
          "and fast reactions, and experiments of one period with several times of measurement\n"
          "  --method trust-region serves this problem");
  } else if (sampled && options.growing) {
    for (double end : growing_ends(again)) objective.easier.push_back(roughly(until(again, end)));
    if (!objective.easier.empty())
      objective.shooting = ShootingFit::make(again, cut_times(again), rough, *objective.rough);
  }
  FitLevels levels{{},
                   objective.rough.get(),
                   objective.projected.get(),
                   objective.whole.get(),
                   objective.shooting.get(),
                   shoots};
  for (auto& easier : objective.easier) levels.easier.push_back(easier.get());
  use_projection(options.request.options, levels);
  return objective;
}

}  // namespace stiffit
