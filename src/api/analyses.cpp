// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "analysis/compare/stability.h"
#include "analysis/pipeline/comparison.h"
#include "analysis/pipeline/simulation_fields.h"
#include "analysis/pipeline/simulation_options.h"
#include "api/impl.h"
#include "base/number.h"
#include "io/files/check_model.h"
#include "io/files/convert_model.h"
#include "io/petab/read_petab.h"
#include "io/text/writer/write_text.h"
#include "ode/method_registry.h"
#include "stiffit/analysis.h"
#include "symbolic/text/model_equations.h"

namespace stiffit {
inline namespace api {
namespace {

Work public_work(const WorkPoint& p) {
  const Counters& c = p.counters;
  return {p.setting, p.error, c.steps, c.rejected, c.f, c.j, c.lu, c.newton, p.seconds};
}

std::string how_word(QuasiSteadyRow::How how) {
  return how == QuasiSteadyRow::How::solved      ? "solved"
         : how == QuasiSteadyRow::How::algebraic ? "algebraic"
                                                 : "conserved";
}

std::vector<MethodSteps> steps_met(const ModelComparison& found,
                                   const internal::CompareOptions& options) {
  std::vector<MethodSteps> list;
  for (const std::string& method : options.methods) {
    const MethodEntry& entry = *find_method(method);
    // With fixed steps the standard is another of the list.
    if (!entry.fixed_steps || entry.role == MethodRole::standard) continue;
    const internal::Comparison* loosest = nullptr;
    for (const internal::Comparison& c : found.result.table)
      if (c.method == method && c.best && (!loosest || c.target > loosest->target)) loosest = &c;
    MethodSteps& steps = list.emplace_back();
    steps.method = method;
    if (!loosest) continue;
    steps.error = loosest->target;
    steps.eigenvalues =
        steps_times_eigenvalues(found.problem, found.reference, method, *loosest->best, options);
  }
  return list;
}

Conversion converted(const std::shared_ptr<const internal::Model>& model, const std::string& to) {
  return at_border(nullptr, [&] {
    Writing writing = model_format(to).write(model);
    return Conversion{std::move(writing.text), std::move(writing.left_out)};
  });
}

bool stopped(const RunOptions& run) { return run.interrupt && run.interrupt->load(); }

}  // namespace

std::vector<Finding> public_findings(const std::vector<internal::Finding>& findings) {
  std::vector<Finding> list;
  for (const internal::Finding& f : findings) list.push_back(public_finding(f));
  return list;
}

CheckedInput check_input(const std::string& name, const RunOptions& run) {
  return at_border(run.interrupt, [&] {
    if (!is_petab_name(name))
      return CheckedInput{public_findings(check_model(read_model(name))), {}};
    const CheckedProblem checked = check_petab(name);
    return CheckedInput{public_findings(checked.findings), checked.summary};
  });
}

std::vector<Finding> check(const std::string& name, const RunOptions& run) {
  return check_input(name, run).findings;
}

std::vector<Finding> check_text(const std::string& text, const std::string& name,
                                const RunOptions& run) {
  return at_border(run.interrupt,
                   [&] { return public_findings(check_model(read_model_text(name, text))); });
}

std::vector<double> grid(double low, double high, long count, bool log) {
  try {
    return grid_values(low, high, static_cast<double>(count), log);
  } catch (const std::invalid_argument& error) {
    throw InputError(std::string("error: ") + error.what() + "\n");
  }
}

std::size_t Scan::runs() const {
  std::size_t count = axes.empty() ? 0 : 1;
  for (const ScanAxis& axis : axes) count *= axis.values.size();
  return count;
}

std::vector<double> Scan::point(std::size_t run) const {
  std::vector<double> at(axes.size());
  for (std::size_t k = axes.size(); k-- > 0;) {
    at[k] = axes[k].values[run % axes[k].values.size()];
    run /= axes[k].values.size();
  }
  return at;
}

std::string Scan::place(std::size_t run) const {
  std::string text;
  const std::vector<double> values_there = point(run);
  for (std::size_t k = 0; k < axes.size(); ++k)
    text += (k ? ", " : "") + axes[k].name + " = " + format_number(values_there[k]);
  return text;
}

Scan Model::scan(const ScanOptions& options) const {
  Scan nothing_yet;
  nothing_yet.interrupted = true;
  return at_border(options.run.interrupt, nothing_yet, [&] {
    check_options(options);
    internal::ScanOptions scan = scan_options(options);
    Scan result;
    result.axes = options.vary;
    const RunOptions& run = options.run;
    scan.progress = [&](double done) {
      const auto all = static_cast<double>(result.runs());
      if (run.progress) run.progress(done / all);
      if (run.stage) run.stage({0, all, done, "runs"});
    };
    const internal::Scan runs(impl_->model, std::move(scan));
    result.columns = runs.columns();
    result.times = runs.times();
    result.warnings = runs.warnings();
    const std::size_t cells = result.times.size() * result.columns.size();
    // Runs that an interrupted scan never began are NaN as well.
    result.values.assign(runs.size() * cells, std::numeric_limits<double>::quiet_NaN());
    const auto outcome = runs.simulate(
        [&](std::size_t at, const std::vector<double>& values, const std::string& failure) {
          std::copy(values.begin(), values.end(),
                    result.values.begin() + static_cast<std::ptrdiff_t>(at * cells));
          if (!failure.empty()) result.failures.push_back({at, failure});
          result.reached = at + 1;
        });
    result.interrupted = outcome.interrupted;
    return result;
  });
}

Comparison Model::compare(const CompareOptions& options) const {
  return at_border(options.run.interrupt, interrupted_before_it_began<Comparison>(), [&] {
    check_options(options);
    internal::CompareOptions compare = compare_options(options);
    compare.progress = [&run = options.run](int done, int of) {
      if (run.progress) run.progress(static_cast<double>(done) / of);
      if (run.stage) run.stage({0, 100, 100.0 * done / of, "percent"});
    };
    const ModelComparison found = compare_on_model(impl_->model, course_options(options), compare);
    Comparison result;
    for (const internal::Comparison& c : found.result.table) {
      Comparison::Row row{c.method, c.target, std::nullopt, c.why_not};
      if (c.best) row.best = public_work(*c.best);
      result.table.push_back(std::move(row));
    }
    for (std::size_t m = 0; m < found.result.curves.size(); ++m) {
      auto& [method, curve] = result.curves.emplace_back();
      method = compare.methods[m];
      for (const WorkPoint& p : found.result.curves[m]) curve.push_back(public_work(p));
    }
    result.methods = compare.methods;
    if (options.steps && found.failure.empty()) result.steps = steps_met(found, compare);
    result.reference_agreement = found.reference.agreement;
    result.warnings = found.warnings;
    result.doubt = found.doubt;
    result.status = stopped(options.run)    ? "interrupted"
                    : found.failure.empty() ? "done"
                                            : "failed";
    result.explanation = found.failure;
    return result;
  });
}

Reduction Model::reduce(const ReduceOptions& options) const {
  return at_border(options.run.interrupt, [&] {
    check_options(options);
    internal::Reduction r = reduce_model(impl_->model, reduction_options(options));
    std::string text = write_text(*r.model).text;
    // Read as whoever gets the text will read it, so that it has a source like other models.
    Reduction result{from_text(text, name() + " reduced", options.run)};
    result.text = std::move(text);
    result.convert = [model = r.model](const std::string& to) { return converted(model, to); };
    result.fast = std::move(r.fast);
    result.constant = std::move(r.constant);
    result.fastest = std::move(r.fastest);
    for (const QuasiSteadyRow& row : r.rows)
      result.rows.push_back({row.name, how_word(row.how), row.formula});
    if (r.polynomial) {
      const auto& p = *r.polynomial;
      for (std::size_t i = 0; i < p.names.size(); ++i)
        result.variables.push_back({p.names[i], p.meaning[i], p.initial[i]});
      result.states = p.states;
      result.polynomial_variables = p.polynomial_variables;
      result.polynomial_degree = p.polynomial_degree;
      result.degree = p.degree;
      result.held = p.strength;
      result.not_quadratic = p.not_quadratic;
    }
    result.differences = public_differences(r.difference);
    result.worst = r.difference.worst;
    result.warnings = std::move(r.warnings);
    result.explanation = r.difference.done() ? r.strays() : r.difference.complaint;
    result.status = stopped(options.run)         ? "interrupted"
                    : result.explanation.empty() ? "done"
                                                 : "failed";
    return result;
  });
}

Equations Model::equations() const {
  return at_border(nullptr, [&] {
    const ModelEquations equations = model_equations(impl_->model);
    Equations result;
    for (const ModelEquations::Row& row : equations.rows)
      result.rows.push_back({row.state, row.derivative});
    result.conserved = equations.conserved;
    result.size = equations.size;
    result.jacobian_nonzeros = static_cast<long>(equations.nonzeros);
    return result;
  });
}

Conversion Model::convert(const std::string& to) const { return converted(impl_->model, to); }

std::string language_to_write(const std::string& to, const std::string& file) {
  return at_border(nullptr, [&] {
    return std::string((to.empty() ? model_format_of(file) : model_format(to)).name);
  });
}

StabilityLimits stability_limits(const std::string& method) {
  return at_border(nullptr, [&] {
    StabilityTrial trial(method);
    return StabilityLimits{trial.real_limit(), trial.imaginary_limit()};
  });
}

}  // namespace api
}  // namespace stiffit
