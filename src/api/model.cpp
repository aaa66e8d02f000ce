// SPDX-License-Identifier: Apache-2.0
#include "stiffit/model.h"

#include <algorithm>
#include <cmath>

#include "analysis/pipeline/ensemble_plan.h"
#include "analysis/pipeline/method_choice.h"
#include "analysis/pipeline/model_stiffness.h"
#include "analysis/pipeline/steady_answer.h"
#include "api/inside.h"
#include "api/option_checks.h"
#include "base/inner_threads.h"
#include "io/files/load_model.h"

namespace stiffit::api {
namespace {

constexpr std::size_t most_values = 2'000'000'000;  // of one time course

TimeCourseOptions course_options(const SimulateOptions& o) {
  check_numbers(o.start, o.end, o.points, o.rtol, o.atol);
  check_values(o.set);
  require(std::all_of(o.times.begin(), o.times.end(), [](double t) { return std::isfinite(t); }),
          "times are finite numbers");
  require(o.times.empty() || std::isnan(o.end), "times and end exclude each other");
  require(std::isfinite(o.step) && o.step >= 0, "step is a number from 0 on");
  require(o.max_steps >= 1, "max_steps is a whole number from 1 on");
  require_suitable_step(named_method(o.method), o.step > 0);
  if (!o.sensitivities.empty()) require_sensitivities(o.method);
  TimeCourseOptions course;
  course.start = o.start;
  course.end = o.end;
  course.points = o.points;
  course.times = o.times;
  course.show = o.show;
  course.amounts = o.amounts;
  course.sensitivities = o.sensitivities;
  course.integration.method = o.method;
  course.integration.rtol = o.rtol;
  course.integration.atol = o.atol;
  course.integration.fixed_step = o.step;
  course.integration.max_step = longest_step(o.max_step);
  course.integration.max_steps = o.max_steps;
  course.integration.interrupt = o.run.interrupt;
  return course;
}

// Columns with their derivatives apart.
TimeCourse public_course(stiffit::TimeCourse&& course, const std::vector<std::string>& by) {
  TimeCourse result;
  const std::size_t wide = course.columns.size(), plain = wide / (1 + by.size());
  result.columns.assign(course.columns.begin(), course.columns.begin() + static_cast<long>(plain));
  result.times = std::move(course.times);
  result.by = by;
  if (by.empty()) {
    result.values = std::move(course.values);
  } else {
    for (std::size_t row = 0; row < result.times.size(); ++row) {
      const auto first = course.values.begin() + static_cast<long>(row * wide);
      const auto middle = first + static_cast<long>(plain);
      result.values.insert(result.values.end(), first, middle);
      result.derivatives.insert(result.derivatives.end(), middle, first + static_cast<long>(wide));
    }
  }
  const Outcome& outcome = course.outcome;
  result.status = word_for(outcome.status);
  if (!course.warnings.empty()) result.messages.push_back({"warning", course.warnings});
  for (std::string& note : course.notes) result.messages.push_back({"note", std::move(note)});
  if (!course.explanation.empty()) result.messages.push_back({"error", course.explanation});
  result.explanation = std::move(course.explanation);
  result.reached = outcome.time;
  result.method = std::move(course.method);
  result.used = outcome.used;
  const Counters& c = outcome.counters;
  result.steps = c.steps, result.rejected = c.rejected;
  result.f = c.f, result.j = c.j, result.lu = c.lu, result.newton = c.newton;
  result.compile_seconds = course.seconds.compile;
  result.integrate_seconds = course.seconds.integrate;
  return result;
}

// Progress along the time from start to end.
std::function<void(double)> along(const RunOptions& run, double start, double end) {
  if (!run.progress) return {};
  return [told = run.progress, start, end](double time) {
    told(std::clamp((time - start) / (end - start), 0.0, 1.0));
  };
}

std::vector<std::pair<std::string, double>> pairs(const std::vector<Share>& shares) {
  std::vector<std::pair<std::string, double>> list;
  for (const Share& share : shares) list.emplace_back(share.name, share.share);
  return list;
}

Model made(const std::string& name, LoadedModel loaded, bool is_file) {
  auto inside = std::make_shared<Model::Inside>();
  inside->name = name;
  inside->warnings = std::move(loaded.warnings);
  inside->model = std::move(loaded.model);
  inside->is_file = is_file;
  return Model(std::move(inside));
}

}  // namespace

std::vector<double> TimeCourse::column(const std::string& name) const {
  const auto at = std::find(columns.begin(), columns.end(), name);
  if (at == columns.end()) {
    const std::string nearest = nearest_name(name, columns);
    throw InputError("error: there is no column '" + name + "'\n" +
                     (nearest.empty() ? "" : "  did you mean '" + nearest + "'?\n"));
  }
  std::vector<double> result;
  const auto k = static_cast<std::size_t>(at - columns.begin());
  for (std::size_t i = k; i < values.size(); i += columns.size()) result.push_back(values[i]);
  return result;
}

Model Model::load(const std::string& name, const RunOptions& run) {
  return at_border(run.interrupt, [&] { return made(name, load_model(name), true); });
}

Model Model::from_text(const std::string& text, const std::string& name, const RunOptions& run) {
  return at_border(run.interrupt, [&] { return made(name, load_model_text(name, text), false); });
}

Model::Written Model::written() const {
  const Source& source = *inside_->model->source;
  const Span first = source.file(0);
  Written written{std::string(source.text().substr(first.begin, first.end - first.begin)),
                  source.name(), ""};
  // A model of a file that holds several is called FILE#MODEL.
  if (name().size() > written.name.size() + 1 && name().starts_with(written.name + "#"))
    written.submodel = name().substr(written.name.size() + 1);
  // Whether that is all of it shows when it is read like that.
  try {
    from_written(written);
  } catch (const InputError& error) {
    throw InputError("error: '" + name() +
                     "' cannot be written down alone: it reads other files\n  load it again from "
                     "its file where it is needed\n" +
                     error.what());
  }
  return written;
}

Model Model::from_written(const Written& written, const RunOptions& run) {
  const std::string name = written.name + (written.submodel.empty() ? "" : "#" + written.submodel);
  return at_border(run.interrupt, [&] {
    return made(name, load_model_text(written.name, written.text, written.submodel), false);
  });
}

const std::string& Model::name() const { return inside_->name; }
const std::string& Model::warnings() const { return inside_->warnings; }
double Model::end() const { return inside_->model->end_time; }

Model::Values Model::species() const {
  Values list;
  for (const Species& s : inside_->model->species) list.emplace_back(s.id, s.initial);
  return list;
}

Model::Values Model::parameters() const {
  Values list;
  for (const Parameter& p : inside_->model->parameters) list.emplace_back(p.id, p.value);
  for (const Compartment& c : inside_->model->compartments) list.emplace_back(c.id, c.size);
  return list;
}

std::vector<std::string> Model::reactions() const {
  std::vector<std::string> list;
  for (const Reaction& r : inside_->model->reactions) list.push_back(r.id);
  return list;
}

TimeCourse Model::simulate(const SimulateOptions& options) const {
  return at_border(options.run.interrupt, interrupted_before_it_began<TimeCourse>(), [&] {
    LiveRequest request{course_options(options), options.set, most_values};
    TimeCourseOptions& course = request.options;
    const std::vector<double> times = output_times(*inside_->model, course);
    course.integration.progress = along(options.run, times.front(), times.back());
    const InnerThreads threads(threads_of(options.run));
    if (options.sensitivities.empty())
      return public_course(inside_->courses.simulate(inside_->model, {}, request), {});
    course.set = model_settings(options.set);
    return public_course(time_course(inside_->model, course), options.sensitivities);
  });
}

Stiffness Model::stiffness(const StiffnessOptions& options) const {
  return at_border(options.run.interrupt, interrupted_before_it_began<Stiffness>(), [&] {
    check_numbers(options.start, options.end, options.points, 1, 1);
    require(std::isnan(options.span) || options.span > 0, "span is a number above 0");
    TimeCourseOptions course;
    course.start = options.start;
    course.end = options.end;
    course.points = options.points;
    course.integration.max_step = longest_step(options.max_step);
    course.integration.interrupt = options.run.interrupt;
    const auto model = with_settings(inside_->model, model_settings(options.set));
    const ModelStiffness found = model_stiffness(model, course, options.span);
    const stiffit::Stiffness& s = found.stiffness;
    Stiffness result;
    for (const StiffnessRow& row : s.rows) {
      result.times.push_back(row.time);
      result.index.push_back(row.index);
      result.tau.push_back(row.tau);
      result.lambda_min.push_back(row.lambda_min);
      result.lambda_max.push_back(row.lambda_max);
      result.fastest.push_back(
          row.fastest < 0 ? "" : found.names[static_cast<std::size_t>(row.fastest)]);
    }
    result.span = found.span;
    result.max_index = s.max_index;
    result.peak_time = s.peak.time;
    result.peak_index = s.peak.index;
    result.explicit_steps = s.explicit_steps;
    result.verdict = word(s.verdict);
    result.recommended = s.recommended;
    result.species = pairs(s.species);
    result.reactions = pairs(s.reactions);
    result.eigenvalues = s.at_peak;
    result.status = word_for(s.outcome.status);
    if (s.outcome.status != Status::done) result.explanation = describe(s.outcome, found.names);
    return result;
  });
}

SteadyState Model::steady(const SteadyOptions& options) const {
  return at_border(options.run.interrupt, interrupted_before_it_began<SteadyState>(), [&] {
    check_numbers(0, 1, 1, options.rtol, options.atol);
    stiffit::SteadyOptions steady;
    steady.integration.rtol = options.rtol;
    steady.integration.atol = options.atol;
    steady.integration.interrupt = options.run.interrupt;
    steady.integration.max_step = longest_step(options.max_step);
    steady.max_steps = options.max_steps;
    const SteadyAnswer a =
        steady_answer(with_settings(inside_->model, model_settings(options.set)), steady);
    SteadyState result;
    result.found = a.steady.found();
    result.status = word_for(a.steady.status);
    result.message = result.found ? a.course : a.steady.detail;
    if (!result.found) return result;
    result.names = a.names;
    result.values = a.steady.state;
    result.residual = a.steady.residual;
    result.stability = stability(a);
    result.eigenvalues = a.eigenvalues;
    result.how = how_found(a);
    return result;
  });
}

Cloud Model::ensemble(const CloudOptions& options) const {
  Cloud nothing_yet;
  nothing_yet.interrupted = true;
  return at_border(options.run.interrupt, nothing_yet, [&] {
    check_numbers(options.start, options.end, options.points, options.rtol, options.atol);
    require(options.samples >= 1, "samples is a whole number from 1 on");
    std::vector<ParameterDistribution> sampled;
    for (const auto& [name, distribution] : options.sample)
      sampled.push_back(parameter_distribution(name, distribution));
    require_names_once(sampled, "sample");
    require(!sampled.empty(),
            "ensemble needs something to sample, for instance k1 from "
            "lognormal(1,0.2)");
    const MethodEntry& method = named_method(options.method);
    require_suitable_step(method, false);
    TimeCourseOptions course;
    course.start = options.start;
    course.end = options.end;
    course.points = options.points;
    course.set = model_settings(options.set);
    course.show = options.show;
    course.integration.method = options.method;
    course.integration.rtol = options.rtol;
    course.integration.atol = options.atol;
    course.integration.max_step = longest_step(options.max_step);
    course.integration.interrupt = options.run.interrupt;
    course.lanes = method.any_lanes ? 0 : 1;
    PlannedEnsemble planned = plan_ensemble(inside_->model, course, sampled);
    planned.plan.samples = options.samples;
    planned.plan.seed = options.seed;
    planned.plan.threads = threads_of(options.run);
    Ensemble ensemble(std::move(planned.plan));
    Cloud cloud;
    while (!ensemble.finished() && !cloud.interrupted) {
      cloud.interrupted = !ensemble.advance();
      if (options.run.progress)
        options.run.progress(static_cast<double>(ensemble.done()) /
                             static_cast<double>(options.samples));
    }
    cloud.columns = ensemble.plan().problem.program->output_names;
    cloud.times = ensemble.plan().times;
    const Bands& bands = ensemble.bands();
    for (std::size_t i = 0; i < bands.size(); ++i) {
      cloud.mean.push_back(bands.mean(i));
      cloud.deviation.push_back(bands.deviation(i));
    }
    for (double share : band_shares)
      for (std::size_t i = 0; i < bands.size(); ++i)
        cloud.quantiles.push_back(bands.quantile(i, share));
    cloud.samples_asked = options.samples;
    cloud.samples = ensemble.done();
    cloud.failures = ensemble.failures();
    for (const FailedSample& failed : ensemble.failed()) cloud.reasons.push_back(failed.reason);
    return cloud;
  });
}

}  // namespace stiffit::api
