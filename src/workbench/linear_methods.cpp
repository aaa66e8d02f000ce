// SPDX-License-Identifier: Apache-2.0
#include "workbench/linear_methods.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/diagnostic.h"
#include "base/number.h"
#include "io/text/read_formula.h"
#include "symbolic/system.h"

namespace stiffit {
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
    throw UsageError("--" + option + " names one row or two, not '" + text + "'");
  const std::string first = trimmed(names[0]);
  return {first, names.size() == 2 ? trimmed(names[1]) : first};
}

// A formula of one variable: the time, or one of that name.
std::function<double(double)> function_of(const std::string& variable, const std::string& formula,
                                          const std::string& option) {
  Diagnostics diagnostics(std::make_shared<Source>("--" + option, option + " = " + formula));
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
    throw UsageError(text);
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
    throw UsageError("--memory is \"NAME = SIGNAL, KERNEL\", not '" + text + "'",
                     "for instance: \"w = S, exp(-age/3)/3\"");
  return {trimmed(text.substr(0, equals)), trimmed(parts[0]),
          function_of("age", parts[1], "memory")};
}

void read_weights(const Arguments& arguments, Weighting& weighting) {
  std::map<std::pair<std::string, std::string>, std::function<double(double)>> given;
  for (const std::string& text : arguments.all("weight")) {
    const auto equals = text.find('=');
    if (equals == std::string::npos)
      throw UsageError("--weight is \"ROW = formula\" or \"ROW,ROW = formula\", not '" + text +
                       "'");
    auto [a, b] = pair_of(text.substr(0, equals), "weight");
    given[{a, b}] = given[{b, a}] = function_of("time", text.substr(equals + 1), "weight");
  }
  if (!given.empty())
    weighting.q = [given](const std::string& a, const std::string& b, double time) {
      auto found = given.find({a, b});
      return found != given.end() ? found->second(time) : a == b ? 1.0 : 0.0;
    };
  for (const std::string& text : arguments.all("point-weight")) {
    const auto at = text.find('@'), equals = text.find('=');
    std::optional<double> time, weight;
    if (at != std::string::npos && equals != std::string::npos && at < equals) {
      time = parse_number(trimmed(text.substr(at + 1, equals - at - 1)));
      weight = parse_number(trimmed(text.substr(equals + 1)));
    }
    if (!time || !weight || !std::isfinite(*time) || !std::isfinite(*weight))
      throw UsageError("--point-weight is \"ROW @ TIME = NUMBER\", not '" + text + "'");
    auto [a, b] = pair_of(text.substr(0, at), "point-weight");
    weighting.points.push_back({*time, a, b, *weight});
  }
}

bool yes_or_no(const Arguments& arguments, const std::string& option, bool fallback) {
  const std::string text = arguments.text(option, fallback ? "yes" : "no");
  if (text != "yes" && text != "no") throw UsageError("--" + option + " is yes or no");
  return text == "yes";
}

// The estimates of one linear fit, by parameter of the problem; NaN where it gives none.
std::vector<double> estimates(const FitProblem& problem, LinearMethod method) {
  LinearFitOptions options;
  options.method = method;
  options.curve = Curve::smooth;
  const LinearFit fit(problem, options);
  const LinearFitResult result = fit.solve({}, false);
  std::vector<double> values(problem.parameters.size(), std::nan(""));
  for (std::size_t u = 0; u < fit.unknowns().size(); ++u)
    values[static_cast<std::size_t>(fit.unknowns()[u])] =
        result.values(static_cast<Eigen::Index>(u));
  return values;
}

}  // namespace

std::vector<std::string> linear_method_names() {
  return {"integral", "derivative", "rational", "combined"};
}

bool is_linear_method(const std::string& name) {
  const std::vector<std::string> names = linear_method_names();
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<OptionSpec> linear_options() {
  return {
      {"quadrature", "Q",
       "of integral fits: trapezoid, cubic, or spline (smoothing, by cross-validation)", 0, false},
      {"bias-correction", "yes|no", "of integral fits: take off what noise adds (default no)", 0,
       false},
      {"nonnegative", "", "of integral fits: no rate below zero", 0, false},
      {"weight", "FORMULA", "of integral fits: Q(t), \"x1 = 1+time\" or \"x1,x2 = 0.5\"", 0, true},
      {"memory", "M", "of integral fits: an integral over the past, \"w = S, exp(-age/3)/3\"", 0,
       true},
      {"point-weight", "W", "of integral fits: one moment, \"x1 @ 0.3 = 10\"", 0, true},
  };
}

std::vector<std::string> linear_option_names() {
  std::vector<std::string> names;
  for (const OptionSpec& option : linear_options()) names.push_back(option.name);
  return names;
}

LinearFitOptions read_linear_options(const Arguments& arguments, const std::string& method) {
  LinearFitOptions options;
  options.method = method == "derivative" ? LinearMethod::derivative
                   : method == "rational" ? LinearMethod::rational
                                          : LinearMethod::integral;
  const std::string curve = arguments.text("quadrature", "trapezoid");
  if (curve == "trapezoid")
    options.curve = Curve::linear;
  else if (curve == "cubic")
    options.curve = Curve::cubic;
  else if (curve == "spline")
    options.curve = Curve::smooth;
  else
    throw UsageError("--quadrature is trapezoid, cubic or spline, not '" + curve + "'");
  options.correct_bias = yes_or_no(arguments, "bias-correction", false);
  options.not_negative = arguments.has("nonnegative");
  read_weights(arguments, options.weighting);
  for (const std::string& text : arguments.all("memory"))
    options.memories.push_back(memory_of(text));
  return options;
}

std::vector<std::vector<double>> linear_starts(const FitProblem& problem,
                                               const std::vector<Unknown>& unknowns,
                                               const std::string& method) {
  std::vector<std::vector<double>> found;
  if (method != "derivative" && method != "rational")
    found.push_back(estimates(problem, LinearMethod::integral));
  if (method == "derivative" || method == "combined")
    found.push_back(estimates(problem, LinearMethod::derivative));
  if (method == "rational") found.push_back(estimates(problem, LinearMethod::rational));
  if (found.size() == 2) {
    // One tends to be too large, the other too small.
    std::vector<double> mean = found[0];
    for (std::size_t p = 0; p < mean.size(); ++p) mean[p] = (mean[p] + found[1][p]) / 2;
    found.insert(found.begin(), std::move(mean));
  }
  std::vector<std::vector<double>> starts;
  for (const std::vector<double>& values : found) {
    std::vector<double> point;
    std::size_t u = 0;
    for (std::size_t p = 0; p < problem.parameters.size(); ++p) {
      if (!problem.parameters[p].estimated) continue;
      const Unknown& unknown = unknowns[u++];
      const double value = values[p];
      double theta = unknown.scale != Scale::lin && !(value > 0) ? std::nan("")
                                                                 : to_theta(value, unknown.scale);
      if (!(theta > unknown.lower && theta < unknown.upper)) theta = unknown.start;
      if (std::isnan(theta)) {
        if (std::isnan(value))
          throw InputError("error: a linear fit gives no value for " + unknown.id +
                           ", and there is no nominal one");
        theta = unknown.scale != Scale::lin && !(value > 0)
                    ? unknown.lower
                    : std::clamp(to_theta(value, unknown.scale), unknown.lower, unknown.upper);
      }
      point.push_back(theta);
    }
    starts.push_back(std::move(point));
  }
  return starts;
}

}  // namespace stiffit
