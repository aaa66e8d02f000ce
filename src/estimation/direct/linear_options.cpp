// SPDX-License-Identifier: Apache-2.0
#include "estimation/direct/linear_options.h"

#include <cmath>
#include <map>
#include <optional>

#include "base/diagnostic.h"
#include "base/fields.h"
#include "base/number.h"
#include "estimation/optimizers/optimizer.h"
#include "io/text/read_formula.h"
#include "symbolic/system.h"

namespace stiffit::internal {
namespace {

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// "a" or "a,b": one row with itself, or two.
std::pair<std::string, std::string> pair_of(const std::string& text, const std::string& option) {
  const std::vector<std::string> names = split_at_commas(text);
  if (names.empty() || names.size() > 2 || trimmed(names[0]).empty())
    throw OptionError(stiffit::internal::option(option) + " names one row or two, not '" + text +
                      "'");
  const std::string first = trimmed(names[0]);
  return {first, names.size() == 2 ? trimmed(names[1]) : first};
}

// A formula of one variable: the time, or one of that name.
std::function<double(double)> function_of(const std::string& variable, const std::string& formula,
                                          const std::string& option) {
  Diagnostics diagnostics(
      std::make_shared<Source>(stiffit::internal::option(option), option + " = " + formula));
  const std::optional<Formula> parsed = parse_formula(diagnostics);
  auto model = std::make_shared<Model>();
  if (variable != "time") model->parameters.push_back({variable, 1, true, {}, {}});
  if (parsed) {
    for (const Word& use : parsed->uses)
      if (use.text != variable && use.text != "time")
        diagnostics.error(use.span, "unknown name '" + std::string(use.text) + "'",
                          "it is a function of " + variable + " alone");
    if (!diagnostics.has_errors())
      model->observables.push_back({"formula", build_formula(*parsed, *model, diagnostics), {}});
  }
  if (diagnostics.has_errors()) {
    std::string text = render(diagnostics);
    if (text.starts_with("error: ")) text.erase(0, 7);
    while (text.ends_with('\n')) text.pop_back();
    throw OptionError(text);
  }
  SystemOptions varied;
  varied.varied.insert(variable);
  auto resolved = std::make_shared<ResolvedSystem>(resolve(model, varied));
  const NodeId node = resolved->find("formula")->node;
  return [resolved, node](double at) {
    return resolved->system.graph.value(node, [at](Leaf, int) { return at; });
  };
}

// "w = signal, kernel(age)".
Memory memory_of(const std::string& text) {
  const auto equals = text.find('=');
  const std::vector<std::string> parts = equals == std::string::npos
                                             ? std::vector<std::string>{}
                                             : split_at_commas(text.substr(equals + 1));
  if (parts.size() != 2 || trimmed(text.substr(0, equals)).empty())
    throw OptionError(option("memory") + " is \"NAME = SIGNAL, KERNEL\", not '" + text + "'",
                      "for instance: \"w = S, exp(-age/3)/3\"");
  return {trimmed(text.substr(0, equals)), trimmed(parts[0]),
          function_of("age", parts[1], "memory")};
}

void read_weights(const api::FitOptions& options, Weighting& weighting) {
  std::map<std::pair<std::string, std::string>, std::function<double(double)>> given;
  for (const std::string& text : options.weight) {
    const auto equals = text.find('=');
    if (equals == std::string::npos)
      throw OptionError(option("weight") + " is \"ROW = formula\" or \"ROW,ROW = formula\", not '" +
                        text + "'");
    auto [a, b] = pair_of(text.substr(0, equals), "weight");
    weighting.names.push_back(a);
    weighting.names.push_back(b);
    given[{a, b}] = given[{b, a}] = function_of("time", text.substr(equals + 1), "weight");
  }
  if (!given.empty())
    weighting.q = [given](const std::string& a, const std::string& b, double time) {
      auto found = given.find({a, b});
      return found != given.end() ? found->second(time) : a == b ? 1.0 : 0.0;
    };
  for (const std::string& text : options.point_weight) {
    const auto at = text.find('@'), equals = text.find('=');
    std::optional<double> time, weight;
    if (at != std::string::npos && equals != std::string::npos && at < equals) {
      time = parse_number(trimmed(text.substr(at + 1, equals - at - 1)));
      weight = parse_number(trimmed(text.substr(equals + 1)));
    }
    if (!time || !weight || !std::isfinite(*time) || !std::isfinite(*weight))
      throw OptionError(option("point-weight") + " is \"ROW @ TIME = NUMBER\", not '" + text + "'");
    auto [a, b] = pair_of(text.substr(0, at), "point-weight");
    weighting.points.push_back({*time, a, b, *weight});
  }
}

}  // namespace

const char* curve_name(Curve curve) {
  return curve == Curve::linear ? "trapezoid" : curve == Curve::cubic ? "cubic" : "spline";
}

std::vector<OptimizerEntry> linear_entries() {
  using enum LinearMethod;
  return {{{.name = method_name(integral), .linearity = {integral}}},
          {{.name = method_name(derivative), .linearity = {derivative}}},
          {{.name = method_name(rational), .linearity = {rational}}},
          {{.name = "combined", .linearity = {integral, derivative}, .as_start = true}}};
}

LinearFitOptions linear_options(const api::FitOptions& options, LinearMethod method) {
  LinearFitOptions o;
  o.method = method;
  for (Curve curve : {Curve::linear, Curve::cubic, Curve::smooth})
    if (options.quadrature == curve_name(curve)) o.curve = curve;
  o.correct_bias = options.bias_correction == "analytic";
  o.simulate = options.bias_correction == "yes";
  o.not_negative = options.nonnegative;
  read_weights(options, o.weighting);
  for (const std::string& text : options.memory) o.memories.push_back(memory_of(text));
  return o;
}

}  // namespace stiffit::internal
