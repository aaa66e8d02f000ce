// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/scan.h"

#include <algorithm>

#include "base/interrupt.h"
#include "base/number.h"
#include "base/option_error.h"

namespace stiffit::internal {
namespace {

constexpr double most_runs = 1e7;
constexpr std::size_t block = 512;

// Before the model is compiled.
std::size_t size_of(const std::vector<ScanAxis>& axes) {
  if (axes.empty())
    throw OptionError("scan needs at least one " + option("vary") + " name=lo:hi:n");
  double runs = 1;
  for (const ScanAxis& axis : axes) runs *= static_cast<double>(axis.values.size());
  if (runs > most_runs) throw OptionError("the grid has more than 10 million points");
  return static_cast<std::size_t>(runs);
}

std::vector<std::string> names_of(const std::vector<ScanAxis>& axes) {
  std::vector<std::string> names;
  for (const ScanAxis& axis : axes) names.push_back(axis.name);
  return names;
}

}  // namespace

Scan::Scan(std::shared_ptr<const Model> model, ScanOptions options)
    : options_(std::move(options)), size_(size_of(options_.axes)) {
  const std::vector<std::string> names = names_of(options_.axes);
  course_ = prepare_course(std::move(model), options_.course, names);
  for (const std::string& name : names)
    moved_.push_back(varied_parameter(course_.resolved.system, *course_.model, "vary", name));
}

std::vector<double> Scan::point(std::size_t run) const {
  std::vector<double> values(options_.axes.size());
  for (std::size_t k = values.size(); k-- > 0;) {
    const std::vector<double>& axis = options_.axes[k].values;
    values[k] = axis[run % axis.size()];
    run /= axis.size();
  }
  return values;
}

std::string Scan::place(std::size_t run) const {
  std::string text;
  const std::vector<double> values = point(run);
  for (std::size_t k = 0; k < values.size(); ++k)
    text += (k ? ", " : "") + options_.axes[k].name + " = " + format_number(values[k]);
  return text;
}

std::vector<std::string> Scan::columns() const {
  std::vector<std::string> names;
  for (const Output& column : course_.columns) names.push_back(column.name);
  return names;
}

std::vector<Request> Scan::requests(std::size_t first) const {
  std::vector<Request> requests(std::min(block, size_ - first), course_.request);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].parameters = course_.problem.program->parameter_values;
    const std::vector<double> values = point(first + i);
    for (std::size_t k = 0; k < moved_.size(); ++k) requests[i].parameters[moved_[k]] = values[k];
  }
  return requests;
}

Scan::Outcome Scan::simulate(const Each& each) const {
  Outcome outcome;
  for (std::size_t first = 0; first < size_ && !outcome.interrupted; first += block) {
    const std::vector<Request> next = requests(first);
    std::vector<Trajectory> results;
    try {
      results = simulate_many(course_.problem, next, options_.course.integration, options_.threads);
    } catch (const Interrupted&) {  // before the first step of these
      ++outcome.failures;
      outcome.interrupted = true;
      return outcome;
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      const stiffit::internal::Outcome& end = results[i].outcome;
      const bool interrupted = end.status == Status::interrupted;
      outcome.failures += end.status != Status::done;
      outcome.interrupted |= interrupted;
      each(first + i, results[i].outputs,
           end.status == Status::done ? ""
           : interrupted              ? "interrupted"
                                      : describe(end, course_.problem.program->state_names));
    }
    if (options_.progress) options_.progress(static_cast<double>(first + next.size()));
  }
  return outcome;
}

}  // namespace stiffit::internal
