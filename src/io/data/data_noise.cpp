// The noise of what is measured: columns of errors, formulas of --noise, its distribution.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "io/data/data_reader.h"
#include "io/text/builtin_functions.h"

namespace stiffit::internal {
namespace {

constexpr double usual_share = 0.05;        // of the largest datum: where a noise level starts
constexpr double least = 1e-5, most = 1e3;  // bounds beside that start
constexpr double usual_freedom = 4;
constexpr const char* in_each = "each";

// The text of an option with its left side made a plain name of the same length, so that names of
// columns that are no names of the language can stand there, and places stay what they are.
std::string with_plain_name(const std::string& option, std::size_t equals) {
  std::string text = option;
  for (std::size_t i = 0; i < equals; ++i) text[i] = ' ';
  std::size_t at = option.find_first_not_of(' ');
  text[std::min(at, equals - 1)] = 'N';
  return text;
}

Span trimmed(const std::string& text, std::size_t begin, std::size_t end) {
  while (begin < end && text[begin] == ' ') ++begin;
  while (end > begin && text[end - 1] == ' ') --end;
  return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

std::string text_at(const std::string& text, Span span) {
  return text.substr(span.begin, span.end - span.begin);
}

// A noise formula at one value of one of its parameters, the others zero and every quantity of the
// model as large as the data are. NaN: it cannot be told.
class NoiseSize {
 public:
  NoiseSize(const Model& model, const std::vector<Ref>& own, double data)
      : model_(model), own_(own), data_(data) {}

  double at(ExprId id, Ref parameter, double value) const {
    const ExprNode& node = model_.expressions[id];
    switch (node.op) {
      case Op::number:
        return node.value;
      case Op::symbol:
        return symbol(node.ref, parameter, value);
      case Op::call:
        return not_set;
      default:
        return evaluate(node.op, node.a == no_expr ? 0 : at(node.a, parameter, value),
                        node.b == no_expr ? 0 : at(node.b, parameter, value),
                        node.c == no_expr ? 0 : at(node.c, parameter, value));
    }
  }

  // Where the noise is that large, for a parameter that it is not proportional to, such as a
  // logarithm. NaN: nowhere near.
  double where(ExprId id, Ref parameter, double size) const {
    constexpr double far = 50;
    double low = -far, high = far;
    const double a = at(id, parameter, low) - size, b = at(id, parameter, high) - size;
    if (!(a * b < 0)) return not_set;
    for (int i = 0; i < 60; ++i) {
      const double middle = 0.5 * (low + high);
      ((at(id, parameter, middle) - size) * a > 0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

 private:
  double symbol(Ref ref, Ref parameter, double value) const {
    if (ref == parameter) return value;
    if (std::find(own_.begin(), own_.end(), ref) != own_.end()) return 0;
    if (ref.kind == SymbolKind::parameter && std::isfinite(model_.parameters[ref.index].value))
      return model_.parameters[ref.index].value;
    return data_;
  }

  const Model& model_;
  const std::vector<Ref>& own_;
  double data_;
};

}  // namespace

void DataReader::read_noise_options() {
  if (!request_.weights.empty())
    weights_source_ = &diagnostics_about("--weights", request_.weights);
  if (!request_.weights.empty() && request_.weights != "absolute" && request_.weights != "relative")
    weights_source_->error({}, "unknown weights '" + request_.weights + "'",
                           "absolute or relative");
  relative_ = request_.weights == "relative";
  const std::string& given = request_.noise_distribution;
  std::string kind = given.substr(0, given.find(':'));
  if (kind == "laplace" && kind == given) {
    distribution_ = NoiseKind::laplace;
  } else if (kind == "student-t") {
    distribution_ = NoiseKind::student_t;
    const std::string freedom = kind == given ? "" : given.substr(kind.size() + 1);
    if (kind == given) {
      freedom_ = usual_freedom;
    } else if (freedom != "?") {
      freedom_ = parse_number(freedom).value_or(0);
      if (!(freedom_ > 0) || !std::isfinite(freedom_))
        diagnostics_about("--noise-distribution", given)
            .error({}, "the degrees of freedom are a number above 0, not '" + freedom + "'",
                   "student-t:4, or student-t:? to estimate them");
    }
  } else if (!given.empty() && given != "normal") {
    diagnostics_about("--noise-distribution", given)
        .error({}, "unknown distribution '" + given + "'",
               "normal, laplace, student-t, student-t:FREEDOM or student-t:?");
  }
  for (const std::string& option : request_.noises) {
    Diagnostics& diagnostics = diagnostics_about("--noise", option);
    const std::size_t equals = option.find('=');
    const Span left = trimmed(option, 0, equals == std::string::npos ? 0 : equals);
    if (left.empty()) {
      diagnostics.error({}, "expected NAME = formula", "for instance: A340 = s*A340 + s0");
      continue;
    }
    NoiseFormula noise;
    const std::size_t at = option.rfind('@', equals);
    noise.diagnostics = &diagnostics;
    noise.name = at == std::string::npos ? left : trimmed(option, 0, at);
    noise.place = at == std::string::npos ? Span{} : trimmed(option, at + 1, equals);
    noise.observable = text_at(option, noise.name);
    noise.experiment = text_at(option, noise.place);
    Diagnostics& source = noise_sources_.emplace_back(
        std::make_shared<Source>("--noise", with_plain_name(option, equals)));
    auto formula = parse_formula(source);
    for (const Diagnostic& d : source.items()) diagnostics.error(d.span, d.message, d.hint);
    if (!formula) continue;
    noise.formula = std::move(*formula);
    for (const NoiseFormula& other : noises_)
      if (other.observable == noise.observable && other.experiment == noise.experiment)
        diagnostics.error(noise.name, "a second noise of '" + noise.observable + "'" +
                                          (noise.experiment.empty() ? "" : " there"));
    for (const Word& use : noise.formula.uses) {
      const std::string name(use.text);
      if (name != "time" && !constant_named(name) && model_.find(name).kind == SymbolKind::none)
        noise_names_.insert(name);
    }
    noises_.push_back(std::move(noise));
  }
}

// A parameter of the problem that only noise knows. `said`: what --estimate may call it as well.
int DataReader::add_noise_parameter(const std::string& name, const std::string& said, double start,
                                    bool proportional) {
  for (std::size_t i = 0; i < problem_.parameters.size(); ++i)
    if (problem_.parameters[i].id == name) return static_cast<int>(i);
  Estimate estimate;
  estimate.name = name;
  const Estimate* given = nullptr;
  for (const Estimate& e : estimates_)
    if (e.name == said || e.name == name) given = &e;
  if (given) estimate = *given;
  if (!proportional && !estimate.low) {
    // A logarithm, or what nobody can guess.
    const bool logarithm = std::isfinite(start);
    if (!logarithm) start = 1;
    const double middle = estimate.start.value_or(start);
    estimate.low = logarithm ? middle - 15 : std::min(0.01 * middle, 100 * middle);
    estimate.high = logarithm ? middle + 10 : std::max(0.01 * middle, 100 * middle);
    if (logarithm && !estimate.scale) estimate.scale = Scale::lin;
  } else if (!estimate.low) {
    const double middle = estimate.start && *estimate.start > 0 ? *estimate.start : start;
    estimate.low = least * middle;
    estimate.high = most * middle;
    if (estimate.start && *estimate.start <= 0) estimate.low = estimate.high = std::nullopt;
  }
  Diagnostics& diagnostics = given ? *given->diagnostics : diagnostics_about("--noise", "");
  // Bounds that do not hold the usual start.
  if (given && given->low && !given->start)
    start = *given->low > 0 ? std::sqrt(*given->low * *given->high)
                            : 0.5 * (*given->low + *given->high);
  ProblemParameter p =
      settle_unknown(name, &estimate, {start, true, largest_datum()}, diagnostics, estimate.span);
  p.place = {"--noise", 1, name};
  Parameter parameter;
  parameter.id = name;
  parameter.value = p.nominal;
  model_.parameters.push_back(std::move(parameter));
  problem_.parameters.push_back(std::move(p));
  unknown_targets_.emplace_back();
  unknown_trials_.push_back(-1);
  return static_cast<int>(problem_.parameters.size() - 1);
}

// The level that noise of unknown size is multiplied by, where it cannot be found from the
// residuals alone: it becomes a parameter.
ExprId DataReader::noise_level() {
  if (common_level_ < 0) {
    std::string name = relative_ ? "factor" : distribution_ == NoiseKind::normal ? "sd" : "scale";
    while (model_.find(name).kind != SymbolKind::none) name += "_";
    common_level_ = add_noise_parameter(name, name, relative_ ? 1 : usual_share * largest_datum());
  }
  return model_.expressions.symbol(model_.find(problem_.parameters[common_level_].id));
}

void DataReader::add_distribution(ProblemObservable& observable) {
  observable.noise_kind = distribution_;
  if (distribution_ != NoiseKind::student_t) return;
  ExprId freedom = no_expr;
  if (std::isnan(freedom_)) {
    std::string name = "freedom";
    if (model_.find(name).kind != SymbolKind::none &&
        std::none_of(problem_.parameters.begin(), problem_.parameters.end(),
                     [&](const ProblemParameter& p) { return p.id == name; }))
      name += "_";
    const int index = add_noise_parameter(name, name, usual_freedom);
    ProblemParameter& p = problem_.parameters[index];
    if (std::none_of(estimates_.begin(), estimates_.end(),
                     [&](const Estimate& e) { return e.name == name && e.low; })) {
      p.lower = 1;
      p.upper = 200;  // as good as normal
    }
    freedom = model_.expressions.symbol(model_.find(name));
  } else {
    freedom = model_.expressions.number(freedom_);
  }
  model_.observables.push_back({"freedom(" + observable.id + ")", freedom, {}});
  observable.freedom = static_cast<int>(model_.observables.size() - 1);
}

// Errors: by a formula where there is one, else a number per measurement where the tables give
// them, else all alike and not known.
void DataReader::add_noise() {
  bool errors = false, limits = false;
  for (const Measurement& m : problem_.measurements) {
    errors |= !m.placeholders.empty();
    limits |= m.censoring != Censoring::none;
  }
  if (relative_ && !errors)
    weights_source_->error({}, "no table has errors to be relative", "columns sd(NAME) hold them");
  if (relative_ && !noises_.empty())
    weights_source_->error({}, "relative weights and a noise formula",
                           "a parameter in the formula of --noise is such a factor");
  const bool unknown = noises_.empty() && (!errors || relative_);
  problem_.unknown_noise = unknown && !limits && distribution_ == NoiseKind::normal;
  problem_.relative_errors = relative_;
  const std::size_t observables = problem_.observables.size();
  for (std::size_t o = 0; o < observables; ++o) {
    if (std::any_of(noises_.begin(), noises_.end(), [&](const NoiseFormula& n) {
          return n.observable == problem_.observables[o].id;
        })) {
      add_noise_of(static_cast<int>(o));
      continue;
    }
    ProblemObservable& observable = problem_.observables[o];
    Expressions& e = model_.expressions;
    ExprId noise = no_expr;
    if (errors) {
      Parameter parameter;
      parameter.id = "sd(" + observable.id + ")";
      parameter.value = 1;
      model_.parameters.push_back(parameter);
      noise = e.symbol(
          {SymbolKind::parameter, static_cast<std::int32_t>(model_.parameters.size() - 1)});
      observable.placeholders = {parameter.id};
      observable.noise_placeholders = 1;
      if (relative_ && !problem_.unknown_noise) noise = e.apply(Op::mul, noise_level(), noise);
    } else if (problem_.unknown_noise) {
      noise = e.number(1);
    } else if (noises_.empty()) {
      noise = noise_level();
    } else {  // others have a formula: this one is constant
      const std::string name = "sd(" + observable.id + ")";
      add_noise_parameter(name, name, usual_share * largest_datum());
      noise = e.symbol(model_.find(name));
    }
    model_.observables.push_back({"noise(" + observable.id + ")", noise, {}});
    observable.noise = static_cast<int>(model_.observables.size() - 1);
    add_distribution(problem_.observables[o]);
  }
  for (const NoiseFormula& n : noises_) {
    if (n.used || n.diagnostics->has_errors()) continue;
    std::vector<std::string> names, places;
    for (const Measurement& m : problem_.measurements)
      names.push_back(problem_.observables[m.observable].id);
    for (const Experiment& x : problem_.experiments) places.push_back(x.id);
    if (std::find(names.begin(), names.end(), n.observable) == names.end()) {
      const std::string nearest = n.observable.size() < 2 ? "" : nearest_name(n.observable, names);
      n.diagnostics->error(n.name, "no table has measurements of '" + n.observable + "'",
                           nearest.empty() ? "" : "did you mean '" + nearest + "'?");
      continue;
    }
    const std::string nearest = nearest_name(n.experiment, places);
    n.diagnostics->error(
        n.place, "no experiment '" + n.experiment + "' has measurements of '" + n.observable + "'",
        nearest.empty() ? "" : "did you mean '" + nearest + "'?");
  }
}

// Formulas of one observable. One for a single experiment makes a second observable of the same
// name, which differs in its noise alone.
void DataReader::add_noise_of(int observable) {
  const ProblemObservable plain = problem_.observables[observable];
  double largest = 0;
  for (const Measurement& m : problem_.measurements)
    if (m.observable == observable) largest = std::max(largest, std::abs(m.value));
  if (!(largest > 0)) largest = largest_datum();
  std::vector<std::pair<std::size_t, int>> moved;  // measurements and their new observables
  bool first = true, everywhere = false;
  for (NoiseFormula& n : noises_) {
    if (n.observable != plain.id) continue;
    Diagnostics& diagnostics = *n.diagnostics;
    std::vector<std::size_t> measured;
    for (std::size_t i = 0; i < problem_.measurements.size(); ++i) {
      const Measurement& m = problem_.measurements[i];
      if (m.observable != observable) continue;
      const std::string& id = problem_.experiments[m.experiment].id;
      const bool own = std::any_of(noises_.begin(), noises_.end(), [&](const NoiseFormula& other) {
        return other.observable == plain.id && other.experiment == id;
      });
      if (n.experiment == id || (!own && (n.experiment.empty() || n.experiment == in_each)))
        measured.push_back(i);
      if (!m.placeholders.empty() && !diagnostics.has_errors())
        diagnostics.error(n.name, "'" + plain.id + "' has a column of errors and a noise formula",
                          "one of them says how large its noise is");
    }
    if (measured.empty() || diagnostics.has_errors()) continue;
    n.used = true;
    everywhere |= n.experiment.empty() || n.experiment == in_each;
    // Parameters of its own for each experiment stand for placeholders.
    const bool each = n.experiment == in_each;
    std::vector<std::string> own_names;
    for (const Word& use : n.formula.uses) {
      const std::string name(use.text);
      if (noise_names_.contains(name) &&
          std::find(own_names.begin(), own_names.end(), name) == own_names.end())
        own_names.push_back(name);
    }
    std::vector<Ref> own;
    std::vector<std::size_t> fresh;  // parameters of the model
    for (const std::string& name : own_names) {
      if (each || model_.find(name).kind == SymbolKind::none) {
        Parameter parameter;
        parameter.id = name;
        parameter.value = 1;
        fresh.push_back(model_.parameters.size());
        model_.parameters.push_back(std::move(parameter));
      }
      own.push_back(model_.find(name));
    }
    const ExprId value = build_formula(n.formula, model_, diagnostics);
    if (value == no_expr || diagnostics.has_errors()) continue;
    const NoiseSize size(model_, own, largest);
    std::vector<double> starts;
    std::vector<char> levels;  // it is proportional to them
    for (Ref ref : own) {
      const double one = size.at(value, ref, 1), two = size.at(value, ref, 2);
      const bool proportional =
          one > 0 && std::isfinite(one) && std::abs(two - 2 * one) <= 1e-9 * one;
      levels.push_back(proportional);
      starts.push_back(proportional ? usual_share * largest / one : not_set);
      if (!proportional) starts.back() = size.where(value, ref, usual_share * largest);
    }
    ProblemObservable variant = plain;
    model_.observables.push_back(
        {"noise(" + plain.id + (n.experiment.empty() ? "" : "@" + n.experiment) + ")", value, {}});
    variant.noise = static_cast<int>(model_.observables.size() - 1);
    if (each) {
      for (std::size_t k = 0; k < own.size(); ++k) {
        // Its name is free again for what has it in another formula.
        std::string& id = model_.parameters[own[k].index].id;
        id = own_names[k] + "(" + plain.id + ")";
        variant.placeholders.push_back(id);
        ++variant.noise_placeholders;
      }
      for (std::size_t i : measured) {
        const std::string& id = problem_.experiments[problem_.measurements[i].experiment].id;
        for (std::size_t k = 0; k < own.size(); ++k)
          problem_.measurements[i].placeholders.push_back(
              {add_noise_parameter(trial_name(own_names[k], id), own_names[k], starts[k],
                                   levels[k]),
               not_set});
      }
    } else {
      // The parameter was made for the formula: now it becomes one of the problem.
      for (std::size_t k = 0; k < own.size(); ++k) {
        if (std::find(fresh.begin(), fresh.end(), static_cast<std::size_t>(own[k].index)) ==
            fresh.end())
          continue;
        const std::size_t at = own[k].index;
        add_noise_parameter(own_names[k], own_names[k], starts[k], levels[k]);
        model_.parameters[at].value = model_.parameters.back().value;
        model_.parameters.pop_back();
      }
    }
    add_distribution(variant);
    int index = observable;
    if (first) {
      problem_.observables[observable] = variant;
    } else {
      index = static_cast<int>(problem_.observables.size());
      problem_.observables.push_back(variant);
    }
    first = false;
    for (std::size_t i : measured) moved.emplace_back(i, index);
  }
  if (!everywhere && !first)
    for (std::size_t i = 0; i < problem_.measurements.size(); ++i)
      if (problem_.measurements[i].observable == observable &&
          std::none_of(moved.begin(), moved.end(), [&](const auto& m) { return m.first == i; })) {
        for (NoiseFormula& n : noises_)
          if (n.observable == plain.id && !n.diagnostics->has_errors())
            n.diagnostics->error(n.place,
                                 "nothing says how noisy '" + plain.id + "' is in experiment '" +
                                     problem_.experiments[problem_.measurements[i].experiment].id +
                                     "'",
                                 "--noise \"" + plain.id + " = ...\" holds for all others");
        break;
      }
  for (auto& [measurement, index] : moved) problem_.measurements[measurement].observable = index;
}

}  // namespace stiffit::internal
