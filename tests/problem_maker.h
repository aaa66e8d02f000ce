// Small fitting problems for tests, put together piece by piece.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include "estimation/objective/problem_objective.h"
#include "io/text/read_text.h"

namespace stiffit::internal {

class Maker {
 public:
  explicit Maker(const std::string& text) {
    auto source = std::make_shared<const Source>("model.rxn", text);
    Diagnostics diagnostics(source);
    std::optional<Model> model = read_text(source, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << render(diagnostics);
    model_ = std::make_shared<Model>(std::move(*model));
  }

  ExprId number(double value) { return model_->expressions.number(value); }
  ExprId symbol(const std::string& id) { return model_->expressions.symbol(model_->find(id)); }
  ExprId apply(Op op, ExprId a, ExprId b) { return model_->expressions.apply(op, a, b); }

  void parameter(const std::string& id, double nominal, Scale scale = Scale::log10) {
    if (model_->find(id).kind == SymbolKind::none) added(id);
    ProblemParameter p;
    p.id = id;
    p.nominal = nominal;
    p.scale = scale;
    p.lower = 1e-5;
    p.upper = 1e5;
    problem.parameters.push_back(p);
  }
  void added(const std::string& id) {
    Parameter own;
    own.id = id;
    own.value = 1;
    model_->parameters.push_back(own);
  }
  int observable(const std::string& id, ExprId formula, ExprId noise,
                 Transformation transformation = Transformation::none,
                 NoiseKind kind = NoiseKind::normal, std::vector<std::string> placeholders = {}) {
    ProblemObservable o;
    o.id = id;
    o.formula = static_cast<int>(model_->observables.size());
    model_->observables.push_back({id, formula, {}});
    o.noise = static_cast<int>(model_->observables.size());
    model_->observables.push_back({"noise_" + id, noise, {}});
    o.transformation = transformation;
    o.noise_kind = kind;
    o.placeholders = std::move(placeholders);
    problem.observables.push_back(o);
    return static_cast<int>(problem.observables.size()) - 1;
  }
  Period period(double start, const std::vector<std::pair<std::string, ExprId>>& changes = {}) {
    Period p;
    p.start = start;
    for (auto& [id, value] : changes) p.assignments.push_back({model_->find(id), value, {}});
    return p;
  }
  void experiment(std::vector<Period> periods) {
    problem.experiments.push_back(
        {"e" + std::to_string(problem.experiments.size()), std::move(periods)});
  }
  void measure(int observable, double time, double value,
               std::vector<PlaceholderValue> placeholders = {}) {
    Measurement m;
    m.observable = observable;
    m.experiment = static_cast<int>(problem.experiments.size()) - 1;
    m.time = time;
    m.value = value;
    m.placeholders = std::move(placeholders);
    m.row = static_cast<int>(problem.measurements.size());
    problem.measurements.push_back(m);
  }
  const FitProblem& problem_ready() {
    problem.model = model_;
    return problem;
  }
  static ObjectiveOptions options() {
    ObjectiveOptions options;
    options.integration.rtol = 1e-11;
    return options;
  }
  ProblemObjective make() { return ProblemObjective(problem_ready(), options()); }
  ProblemObjective make_with(ObjectiveOptions its_options) {
    return ProblemObjective(problem_ready(), std::move(its_options));
  }

  FitProblem problem;

 private:
  std::shared_ptr<Model> model_;
};

}  // namespace stiffit::internal
