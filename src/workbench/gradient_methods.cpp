// SPDX-License-Identifier: Apache-2.0
#include "workbench/gradient_methods.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>
#include <random>

#include "base/number.h"
#include "report/text_table.h"

namespace stiffit {
namespace {

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::right:
      return "right";
    case Verdict::unsure:
      return "unsure";
    default:
      return "WRONG";
  }
}

void count(CheckedMethod& m) {
  for (const GradientCheck& c : m.entries) {
    ++(c.verdict == Verdict::right ? m.right : c.verdict == Verdict::wrong ? m.wrong : m.unsure);
    m.worst = std::max(m.worst, c.error);
  }
}

// In the measure of GradientCheck.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<Difference> exact;
  for (double x : b) exact.push_back({exact.size(), x, 0});
  double worst = 0;
  for (const GradientCheck& c : compare_gradient(a, exact)) worst = std::max(worst, c.error);
  return worst;
}

// Empty: all.
std::vector<std::size_t> sample(std::size_t count, const CheckOptions& check) {
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (check.sample == 0 || check.sample >= count) return all;
  std::mt19937_64 random(check.seed);
  for (std::size_t k = 0; k < check.sample; ++k) std::swap(all[k], all[k + random() % (count - k)]);
  all.resize(check.sample);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace

bool CheckedGradient::passed() const {
  return std::all_of(methods.begin(), methods.end(),
                     [](const CheckedMethod& m) { return m.passed(); });
}

CheckedGradient check_methods(const ProblemObjective& objective, const ObjectiveOptions& options,
                              const std::vector<double>& theta, const CheckOptions& check) {
  CheckedGradient result;
  result.experiments = objective.experiment_count();
  for (GradientMethod method : {GradientMethod::forward, GradientMethod::adjoint}) {
    CheckedMethod m;
    m.method = method == GradientMethod::forward ? "forward" : "adjoint";
    ObjectiveOptions own = options;
    own.gradient = method;
    const ProblemObjective other(objective.problem(), own);
    const double began = processor_seconds();
    const Evaluation e = other.evaluate(theta, Need::gradient);
    m.seconds = processor_seconds() - began;
    m.adjoint = other.adjoint_count() - static_cast<int>(other.adjoint_retreats().forward);
    m.failure = e.failure;
    m.gradient = e.gradient;
    result.methods.push_back(std::move(m));
  }
  const auto good = std::find_if(result.methods.begin(), result.methods.end(),
                                 [](const CheckedMethod& m) { return m.failure.empty(); });
  if (good == result.methods.end()) return result;
  ObjectiveOptions tight = options;
  tight.derivatives = false;
  tight.integration.rtol =
      check.difference_rtol > 0 ? check.difference_rtol : std::min(tight.integration.rtol, 1e-11);
  const double began = processor_seconds();
  const std::vector<Difference> differences =
      central_differences(ProblemObjective(objective.problem(), tight), theta, good->gradient, 1e-4,
                          sample(theta.size(), check));
  result.seconds = processor_seconds() - began;
  for (CheckedMethod& m : result.methods)
    if (m.failure.empty()) {
      m.entries = compare_gradient(m.gradient, differences);
      count(m);
    }
  if (result.methods[0].failure.empty() && result.methods[1].failure.empty())
    result.between = distance(result.methods[0].gradient, result.methods[1].gradient);
  return result;
}

std::string as_text(const CheckedGradient& checked, const std::vector<Unknown>& unknowns) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> header{"parameter", "scale", "difference", "uncertainty"};
  for (const CheckedMethod& m : checked.methods)
    if (m.failure.empty()) header.insert(header.end(), {m.method, "error", ""});
  std::size_t count = 0;
  for (const CheckedMethod& m : checked.methods) count = std::max(count, m.entries.size());
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<std::string> row;
    for (const CheckedMethod& m : checked.methods) {
      if (!m.failure.empty()) continue;
      const GradientCheck& c = m.entries[k];
      const Unknown& unknown = unknowns[c.unknown];
      if (row.empty())
        row = {unknown.id, scale_name(unknown.scale), format_number(c.difference),
               format_short(c.uncertainty, 2)};
      row.insert(row.end(),
                 {format_number(c.gradient), format_short(c.error, 2), verdict_name(c.verdict)});
    }
    if (!row.empty()) rows.push_back(std::move(row));
  }
  std::string text = rows.empty() ? "" : text_table(header, rows) + "\n";
  rows.clear();
  for (const CheckedMethod& m : checked.methods)
    rows.push_back({m.method,
                    std::to_string(m.adjoint) + " of " + std::to_string(checked.experiments),
                    std::to_string(m.right), std::to_string(m.unsure), std::to_string(m.wrong),
                    format_short(m.worst, 2), format_short(m.seconds, 3)});
  text += text_table({"method", "backwards", "right", "unsure", "wrong", "worst", "CPU s"}, rows);
  return text + "forward against adjoint: " + format_short(checked.between, 2) + "\n";
}

void add_json(const CheckedGradient& checked, const std::vector<Unknown>& unknowns,
              JsonWriter& json) {
  json.key("check").begin_array();
  for (const CheckedMethod& m : checked.methods) {
    json.begin_object().member("method", m.method);
    if (!m.failure.empty()) json.member("failure", m.failure);
    json.member("adjoint_experiments", m.adjoint).member("right", m.right);
    json.member("unsure", m.unsure).member("wrong", m.wrong).member("worst", m.worst);
    json.member("seconds", m.seconds).key("entries").begin_array();
    for (const GradientCheck& c : m.entries)
      json.begin_object()
          .member("parameter", unknowns[c.unknown].id)
          .member("gradient", c.gradient)
          .member("difference", c.difference)
          .member("uncertainty", c.uncertainty)
          .member("error", c.error)
          .member("verdict", verdict_name(c.verdict))
          .member("passed", c.passed)
          .end_object();
    json.end_array().end_object();
  }
  json.end_array().member("experiments", checked.experiments);
  json.member("forward_against_adjoint", checked.between);
  json.member("difference_seconds", checked.seconds);
}

std::string complaint(const CheckedGradient& checked) {
  std::string text;
  for (const CheckedMethod& m : checked.methods) {
    if (!m.failure.empty())
      text += "error: no gradient by " + m.method + " sensitivities\n  " + m.failure + "\n";
    else if (m.wrong > 0)
      text += "error: " + std::to_string(m.wrong) + " of " + std::to_string(m.entries.size()) +
              " entries of the gradient by " + m.method +
              " sensitivities do not agree with differences\n";
    else if (m.unsure > 0)
      text += "error: " + std::to_string(m.unsure) + " of " + std::to_string(m.entries.size()) +
              " differences are too noisy to check the gradient by " + m.method +
              " sensitivities\n";
  }
  return text;
}

}  // namespace stiffit
