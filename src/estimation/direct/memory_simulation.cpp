// SPDX-License-Identifier: Apache-2.0
#include "estimation/direct/memory_simulation.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "estimation/direct/series_track.h"
#include "io/text/read_formula.h"

namespace stiffit::internal {
namespace {

constexpr int intervals = 160;  // straight lines of a memory
constexpr int most_rounds = 100;
constexpr double agreed = 1e-8;  // beside the largest value

// The curve through these values at `grid` as an expression of time.
class KnotCurve {
 public:
  KnotCurve(const std::vector<double>& grid, const std::vector<ExprId>& values, Expressions& e)
      : grid_(grid), values_(values), e_(e), time_(e.symbol({SymbolKind::time, 0})) {}
  ExprId build() { return between(0, grid_.size() - 2); }

 private:
  ExprId between(std::size_t first, std::size_t last) {
    if (first == last) return line(first);
    const std::size_t middle = first + (last - first) / 2;
    const ExprId before = between(first, middle), after = between(middle + 1, last);
    const ExprId condition = e_.apply(Op::lt, time_, e_.number(grid_[middle + 1]));
    return e_.apply(Op::select, before, condition, after);
  }
  ExprId line(std::size_t k) {
    const ExprId share = e_.apply(Op::mul, e_.apply(Op::sub, time_, e_.number(grid_[k])),
                                  e_.number(1 / (grid_[k + 1] - grid_[k])));
    const ExprId rise = e_.apply(Op::sub, values_[k + 1], values_[k]);
    return e_.apply(Op::add, values_[k], e_.apply(Op::mul, rise, share));
  }

  const std::vector<double>& grid_;
  const std::vector<ExprId>& values_;
  Expressions& e_;
  ExprId time_;
};

double start_of(const Experiment& e, const Model& model) {
  return e.periods.empty() ? model.start_time : e.periods.front().start;
}

Ref add_constant(Model& model, const std::string& id, double value) {
  Parameter parameter;
  parameter.id = id;
  parameter.value = value;
  model.parameters.push_back(std::move(parameter));
  return {SymbolKind::parameter, static_cast<std::int32_t>(model.parameters.size() - 1)};
}

}  // namespace

MemorySimulation::MemorySimulation(const FitProblem& problem, std::vector<Memory> memories,
                                   const ObjectiveOptions& accuracy)
    : problem_(problem), memories_(std::move(memories)) {
  place_grid();
  values_.assign(values(), 0);
  ObjectiveOptions plain = accuracy;
  plain.derivatives = false;
  objective_ = std::make_unique<const ProblemObjective>(built(true), plain);
}

void MemorySimulation::place_grid() {
  double first = INFINITY, last = -INFINITY;
  for (const Measurement& m : problem_.measurements) {
    first = std::min(first, start_of(problem_.experiments[m.experiment], *problem_.model));
    if (std::isfinite(m.time)) last = std::max(last, m.time);
  }
  if (!(last > first)) throw InputError("error: nothing was measured after the start");
  for (int k = 0; k <= intervals; ++k) grid_.push_back(first + (last - first) * k / intervals);
}

// `open`: the memories are unknowns at the end, and the signals are measured; else they are what
// was found.
FitProblem MemorySimulation::built(bool open) const {
  FitProblem p = problem_;
  auto model = std::make_shared<Model>(*problem_.model);
  int row = 0;
  for (std::size_t m = 0; m < p.measurements.size(); ++m) {
    if (p.measurements[m].row < 0) p.measurements[m].row = static_cast<int>(m);
    row = std::max(row, p.measurements[m].row + 1);
  }
  for (Experiment& e : p.experiments)
    if (e.periods.empty()) e.periods.push_back({model->start_time, "", {}});
  std::vector<std::vector<Ref>> knot(memories_.size());
  for (std::size_t k = 0; k < memories_.size(); ++k) {
    const Ref memory = model->find(memories_[k].name);
    std::vector<ExprId> symbols;
    for (std::size_t j = 0; j < knots(); ++j) {
      knot[k].push_back(add_constant(*model, memories_[k].name + "(" + std::to_string(j) + ")", 0));
      symbols.push_back(model->expressions.symbol(knot[k].back()));
    }
    Rule rule;
    rule.target = memory;
    rule.value = KnotCurve(grid_, symbols, model->expressions).build();
    model->rules.push_back(rule);
    model->parameters[memory.index].constant = false;
  }
  for (std::size_t e = 0; e < p.experiments.size(); ++e)
    for (std::size_t k = 0; k < memories_.size(); ++k)
      for (std::size_t j = 0; j < knots(); ++j) {
        const double value = values_[(e * memories_.size() + k) * knots() + j];
        ExprId set = model->expressions.number(value);
        if (open) {
          ProblemParameter unknown;
          unknown.id = memories_[k].name + "(" + std::to_string(e) + "," + std::to_string(j) + ")";
          unknown.nominal = 0;
          set = model->expressions.symbol(add_constant(*model, unknown.id, 0));
          p.parameters.push_back(std::move(unknown));
        }
        p.experiments[e].periods.front().assignments.push_back({knot[k][j], set, {}});
      }
  for (std::size_t k = 0; open && k < memories_.size(); ++k) {
    Diagnostics diagnostics(
        std::make_shared<Source>("--memory", memories_[k].name + " = " + memories_[k].signal));
    const std::optional<Formula> formula = parse_formula(diagnostics);
    ProblemObservable signal;
    signal.id = "signal of " + memories_[k].name;
    if (formula)
      model->observables.push_back({signal.id, build_formula(*formula, *model, diagnostics), {}});
    if (diagnostics.has_errors()) throw InputError(render(diagnostics));
    signal.formula = static_cast<int>(model->observables.size() - 1);
    model->observables.push_back({"noise(" + signal.id + ")", model->expressions.number(1), {}});
    signal.noise = static_cast<int>(model->observables.size() - 1);
    p.observables.push_back(std::move(signal));
    for (std::size_t e = 0; e < p.experiments.size(); ++e)
      for (double time : grid_) {
        if (time < start_of(p.experiments[e], *model)) continue;
        Measurement m;
        m.observable = static_cast<int>(p.observables.size() - 1);
        m.experiment = static_cast<int>(e);
        m.time = time;
        m.value = 0;
        m.row = row++;
        p.measurements.push_back(std::move(m));
      }
  }
  p.model = std::move(model);
  return p;
}

std::vector<double> MemorySimulation::remembered(const std::vector<Prediction>& predicted) const {
  constexpr double at[3] = {0.1127016653792583, 0.5, 0.8872983346207417};
  constexpr double share[3] = {5.0 / 18, 8.0 / 18, 5.0 / 18};
  std::vector<double> result(values(), 0);
  const FitProblem& open = objective_->problem();
  const int first = static_cast<int>(problem_.observables.size());
  for (std::size_t e = 0; e < problem_.experiments.size(); ++e)
    for (std::size_t k = 0; k < memories_.size(); ++k) {
      std::vector<SeriesTrack::Knot> points;
      for (const Measurement& m : open.measurements)
        if (m.observable == first + static_cast<int>(k) && m.experiment == static_cast<int>(e))
          points.push_back({m.time, predicted[m.row].value});
      if (points.size() < 2) continue;
      const std::vector<SeriesTrack::Knot> signal = points;
      const SeriesTrack track(std::move(points), Curve::cubic);
      for (std::size_t j = 0; j < knots(); ++j) {
        double sum = 0;
        for (std::size_t a = 0; a + 1 < signal.size() && signal[a].time < grid_[j]; ++a) {
          const double h = signal[a + 1].time - signal[a].time;
          for (int i = 0; i < 3; ++i) {
            const double then = signal[a].time + h * at[i];
            sum += h * share[i] * memories_[k].kernel(grid_[j] - then) * track.value(then);
          }
        }
        result[(e * memories_.size() + k) * knots() + j] = sum;
      }
    }
  return result;
}

std::vector<Prediction> MemorySimulation::predict(std::span<const double> theta,
                                                  std::string& failure) {
  std::vector<double> whole(theta.begin(), theta.end());
  whole.resize(theta.size() + values());
  for (int round = 0; round < most_rounds; ++round) {
    std::copy(values_.begin(), values_.end(), whole.begin() + theta.size());
    std::vector<Prediction> predicted = objective_->predict(whole, failure);
    if (!failure.empty()) {
      std::fill(values_.begin(), values_.end(), 0.0);
      return {};
    }
    std::vector<double> next = remembered(predicted);
    double change = 0, size = 0;
    for (std::size_t i = 0; i < next.size(); ++i) {
      change = std::max(change, std::abs(next[i] - values_[i]));
      size = std::max(size, std::abs(next[i]));
    }
    values_ = std::move(next);
    if (change <= agreed * size || size == 0) {
      predicted.resize(problem_.measurements.size());
      return predicted;
    }
    if (!std::isfinite(size)) break;
  }
  failure = "the memory and the signal that it is made of do not come to agree";
  std::fill(values_.begin(), values_.end(), 0.0);
  return {};
}

}  // namespace stiffit::internal
