// SPDX-License-Identifier: Apache-2.0
#include "stiffit/model.h"

#include <algorithm>
#include <cmath>

#include "analysis/pipeline/simulation_fields.h"
#include "analysis/pipeline/simulation_options.h"
#include "analysis/pipeline/verify_course.h"
#include "api/impl.h"
#include "base/inner_threads.h"
#include "base/version.h"
#include "io/files/load_model.h"
#include "model/model_settings.h"
#include "report/pages/report_runs.h"
#include "report/parameter_ensemble_run.h"
#include "report/tables/ensemble_tables.h"
#include "runtime/checkpoint/input_hashes.h"
#include "runtime/checkpoint/sha256.h"

namespace stiffit {
inline namespace api {
namespace {

// Columns with their derivatives apart.
TimeCourse public_course(internal::TimeCourse&& course, const std::vector<std::string>& by) {
  TimeCourse result;
  const std::size_t wide = course.columns.size(), plain = wide / (1 + by.size());
  result.columns.assign(course.columns.begin(), course.columns.begin() + static_cast<long>(plain));
  result.derivative_columns.assign(course.columns.begin() + static_cast<long>(plain),
                                   course.columns.end());
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
  if (!course.below_zero.empty()) result.messages.push_back({"negative", course.below_zero});
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

// As it was before it became public: columns beside their derivatives.
internal::TimeCourse inner_course(const TimeCourse& course) {
  internal::TimeCourse inner;
  inner.columns = course.columns;
  inner.columns.insert(inner.columns.end(), course.derivative_columns.begin(),
                       course.derivative_columns.end());
  inner.times = course.times;
  const std::size_t plain = course.columns.size(), more = course.derivative_columns.size();
  for (std::size_t row = 0; row < course.times.size(); ++row) {
    const auto values = course.values.begin() + static_cast<long>(row * plain);
    inner.values.insert(inner.values.end(), values, values + static_cast<long>(plain));
    const auto derivatives = course.derivatives.begin() + static_cast<long>(row * more);
    inner.values.insert(inner.values.end(), derivatives, derivatives + static_cast<long>(more));
  }
  inner.method = course.method;
  inner.explanation = course.explanation;
  inner.outcome.status = course.done() ? Status::done : Status::not_finite;  // any that is not
  inner.outcome.used = course.used;
  inner.outcome.counters.steps = course.steps;
  return inner;
}

// Progress along the time from start to end.
std::function<void(double)> along(const RunOptions& run, double start, double end) {
  if (!run.progress && !run.stage) return {};
  return [told = run.progress, stage = run.stage, start, end](double time) {
    if (told) told(std::clamp((time - start) / (end - start), 0.0, 1.0));
    if (stage) stage({start, end, time});
  };
}

// What a run's directory knows of the model: its name, and hashes of all that was read.
RunInputs inputs_of(const Model::Impl& inside) {
  RunInputs inputs{inside.name, {{"version", internal::version()}, {"model", inside.name}}};
  if (inside.is_file)
    add_model_hashes(inputs.settings, inside.name);
  else
    inputs.settings["input " + inside.name] = sha256(inside.model->source->text());
  return inputs;
}

Model made(const std::string& name, LoadedModel loaded, bool is_file) {
  auto impl = std::make_shared<Model::Impl>();
  impl->name = name;
  impl->warnings = std::move(loaded.warnings);
  impl->model = std::move(loaded.model);
  impl->is_file = is_file;
  return Model(std::move(impl));
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
  const Source& source = *impl_->model->source;
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

const std::string& Model::name() const { return impl_->name; }
const std::string& Model::title() const { return impl_->model->title; }
const std::string& Model::warnings() const { return impl_->warnings; }
double Model::end() const { return impl_->model->end_time; }

Model::Values Model::species() const {
  Values list;
  for (const Species& s : impl_->model->species) list.emplace_back(s.id, s.initial);
  return list;
}

Model::Values Model::parameters() const {
  Values list;
  for (const Parameter& p : impl_->model->parameters) list.emplace_back(p.id, p.value);
  for (const Compartment& c : impl_->model->compartments) list.emplace_back(c.id, c.size);
  return list;
}

std::vector<std::string> Model::reactions() const {
  std::vector<std::string> list;
  for (const Reaction& r : impl_->model->reactions) list.push_back(r.id);
  return list;
}

TimeCourse Model::simulate(const SimulateOptions& options) const {
  return at_border(options.run.interrupt, interrupted_before_it_began<TimeCourse>(), [&] {
    check_options(options);
    TimeCourseOptions course = course_options(options);
    const std::vector<double> times = output_times(*impl_->model, course);
    course.integration.progress = along(options.run, times.front(), times.back());
    const InnerThreads threads(threads_of(options.run));
    const bool live = options.keep && options.sensitivities.empty() && options.lanes == 1 &&
                      std::isnan(options.assumed_size);  // what may stay compiled
    try {
      if (live) course.set = {};
      TimeCourse result =
          public_course(live ? impl_->courses.simulate(impl_->model, {},
                                                       {course, options.set, options.most_values})
                             : time_course(impl_->model, course),
                        options.sensitivities);
      result.rows_asked = times.size();
      return result;
    } catch (const TooManyValues& error) {
      throw TooLarge(std::string("error: ") + error.what() + "\n");
    }
  });
}

Verification Model::verify(const SimulateOptions& options, const TimeCourse& of) const {
  return at_border(options.run.interrupt, [&] {
    TimeCourseOptions course = course_options(options);
    const std::vector<double> times = output_times(*impl_->model, course);
    course.integration.progress = along(options.run, times.front(), times.back());
    const InnerThreads threads(threads_of(options.run));
    const internal::Verification v = verify_course(impl_->model, course, inner_course(of));
    return Verification{
        v.method,  v.rtol, public_differences(v.difference), v.difference.worst, v.tried,
        v.allowed, v.wrong};
  });
}

std::string Model::page(const SimulateOptions& options, const TimeCourse& of,
                        const CoursePage& more) const {
  // A run that was interrupted has a page as well.
  return at_border(of.done() ? options.run.interrupt : nullptr, [&] {
    const auto model = with_settings(impl_->model, model_settings(options));
    const double start = std::isnan(options.start) ? model->start_time : options.start;
    return course_page({more.name, model, inner_course(of), start, more.csv, more.stats,
                        more.verification, options.run.interrupt, more.provenance});
  });
}

Stiffness Model::stiffness(const StiffnessOptions& options) const {
  return at_border(options.run.interrupt, interrupted_before_it_began<Stiffness>(), [&] {
    check_options(options);
    const ModelStiffness found = model_stiffness(impl_->model, options);
    return public_stiffness(found);
  });
}

std::vector<Spectrum> Model::spectra(const StiffnessOptions& options, int most_states) const {
  return at_border(options.run.interrupt, std::vector<Spectrum>(), [&] {
    check_options(options);
    std::vector<Spectrum> list;
    for (ModelSpectrum& s : model_spectra(impl_->model, course_options(options), most_states))
      list.push_back({s.time, std::move(s.eigenvalues)});
    return list;
  });
}

SteadyState Model::steady(const SteadyOptions& options) const {
  return at_border(options.run.interrupt, interrupted_before_it_began<SteadyState>(), [&] {
    check_options(options);
    const SteadyAnswer a = steady_answer(impl_->model, options);
    SteadyState result;
    result.found = a.steady.found();
    result.status = word_for(a.steady.status);
    result.message = result.found ? a.course : a.steady.detail;
    result.time = a.steady.time;
    result.steps = a.steady.counters.steps;
    if (!result.found) return result;
    result.names = a.names;
    result.kinds = a.kinds;
    result.reached_by_time_course = a.steady.stable_route;
    result.values = a.steady.state;
    result.residual = a.steady.residual;
    result.stability = stability(a);
    result.eigenvalues = a.eigenvalues;
    result.how = how_found(a);
    result.warnings = a.warnings;
    return result;
  });
}

ParameterEnsemble Model::ensemble(const ParameterEnsembleOptions& options) const {
  ParameterEnsemble nothing_yet;
  nothing_yet.interrupted = true;
  return at_border(options.run.interrupt, nothing_yet, [&] {
    check_options(options);
    ParameterEnsemble result;
    const RunContext context = library_context(options.run, result.messages);
    const ParameterEnsembleRun run =
        run_parameter_ensemble(impl_->model, options, inputs_of(*impl_), context);
    result.worker = run.is_worker;
    if (result.worker) return result;
    const Ensemble& ensemble = *run.ensemble;
    result.interrupted = run.interrupted;
    result.columns = ensemble.plan().problem.program->output_names;
    result.times = ensemble.plan().times;
    const Bands& bands = ensemble.bands();
    for (std::size_t i = 0; i < bands.size(); ++i) {
      result.mean.push_back(bands.mean(i));
      result.deviation.push_back(bands.deviation(i));
    }
    for (double share : band_shares)
      for (std::size_t i = 0; i < bands.size(); ++i)
        result.quantiles.push_back(bands.quantile(i, share));
    result.samples_asked = ensemble.plan().samples;
    result.samples = ensemble.done();
    result.failures = ensemble.failures();
    for (const FailedSample& failed : ensemble.failed()) {
      result.failed.push_back(failed.sample);
      result.reasons.push_back(failed.reason);
    }
    result.text = bands_csv(ensemble);
    result.json = ensemble_json(ensemble, run.sampled, run.derived, impl_->name, run.provenance);
    result.derived = run.derived;
    return result;
  });
}

}  // namespace api
}  // namespace stiffit
