// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/design/candidates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "base/diagnostic.h"
#include "base/fields.h"
#include "base/number.h"
#include "base/option_error.h"
#include "estimation/uncertainty/difference_derivatives.h"

namespace stiffit::internal {
namespace {

constexpr int course_intervals = 24;
constexpr std::size_t most_data_times = 24;     // of an experiment, beside those
constexpr double most_derivatives = 2e6;        // to compute
constexpr std::size_t neighbours_of_error = 5;  // data whose middle error is that of a point

std::vector<const FitProblem*> parts_in(const FitProblem& problem) {
  std::vector<const FitProblem*> parts;
  for (const FitProblem& part : problem.parts) parts.push_back(&part);
  if (parts.empty()) parts.push_back(&problem);
  return parts;
}

FitProblem& part_at(FitProblem& problem, std::size_t index) {
  return problem.parts.empty() ? problem : problem.parts[index];
}

// Species in a formula, through rules and other observables.
void add_species_in(const Model& model, ExprId id, std::set<int>& found) {
  if (id == no_expr) return;
  const ExprNode& node = model.expressions[id];
  if (node.op == Op::call) {
    for (ExprId k = 0; k < node.b; ++k)
      add_species_in(model, model.expressions.arguments(node)[k], found);
    return;
  }
  if (node.op != Op::symbol) {
    if (node.op == Op::number) return;
    for (ExprId operand : {node.a, node.b, node.c}) add_species_in(model, operand, found);
    return;
  }
  if (node.ref.kind == SymbolKind::species) found.insert(node.ref.index);
  if (node.ref.kind == SymbolKind::observable)
    add_species_in(model, model.observables[node.ref.index].value, found);
  for (const Rule& rule : model.rules)
    if (rule.kind == RuleKind::assignment && rule.target == node.ref)
      add_species_in(model, rule.value, found);
}

bool stands_alone(const Model& model, const ProblemObservable& observable, Ref what) {
  const ExprNode& node = model.expressions[model.observables[observable.formula].value];
  return (node.op == Op::symbol && node.ref == what) ||
         (what.kind == SymbolKind::observable && observable.formula == what.index);
}

double median_of(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// Of one part: what its data say of errors.
struct DataErrors {
  std::vector<double> value, error;  // of each measurement of the part, as the objective counts
  std::vector<double> share;         // of the error in the largest value of its observable
};

// As a standard deviation of the value itself. What a Student distribution tells is what a normal
// one of a larger spread does.
double plain_error(const ProblemObservable& o, const Prediction& p) {
  double error = p.noise;
  if (o.transformation != Transformation::none)
    error *=
        std::fabs(p.value) * (o.transformation == Transformation::log10 ? std::numbers::ln10 : 1);
  if (o.noise_kind == NoiseKind::student_t && p.freedom > 0)
    error *= std::sqrt((p.freedom + 3) / (p.freedom + 1));
  return error;
}

DataErrors errors_of(const FitProblem& part, const std::vector<Prediction>& predictions) {
  DataErrors errors;
  std::map<std::string, double> largest;
  for (std::size_t i = 0; i < part.measurements.size(); ++i) {
    const Measurement& m = part.measurements[i];
    const ProblemObservable& o = part.observables[m.observable];
    const Prediction& p = predictions[m.row >= 0 ? static_cast<std::size_t>(m.row) : i];
    errors.value.push_back(std::fabs(p.value));
    errors.error.push_back(plain_error(o, p));
    largest[o.id] = std::max(largest[o.id], std::fabs(p.value));
  }
  for (std::size_t i = 0; i < part.measurements.size(); ++i)
    errors.share.push_back(errors.error[i] /
                           largest[part.observables[part.measurements[i].observable].id]);
  return errors;
}

std::vector<double> times_to_try(const FitProblem& part, std::size_t experiment) {
  std::vector<double> data;
  bool steady = false;
  for (const Measurement& m : part.measurements) {
    if (m.experiment != static_cast<int>(experiment)) continue;
    steady |= std::isinf(m.time);
    if (std::isfinite(m.time)) data.push_back(m.time);
  }
  std::vector<double> times;
  if (!data.empty()) {
    std::sort(data.begin(), data.end());
    data.erase(std::unique(data.begin(), data.end()), data.end());
    double first = part.experiments[experiment].periods.empty() ? 0 : data.front();
    for (const Period& period : part.experiments[experiment].periods)
      if (std::isfinite(period.start)) {
        first = std::min(period.start, data.front());
        break;
      }
    const double last = data.back();
    const std::size_t stride = (data.size() + most_data_times - 1) / most_data_times;
    for (std::size_t k = 0; k < data.size(); k += stride) times.push_back(data[k]);
    // A grid, where no datum is near already: numbers that a person would choose.
    for (int k = 0; k <= course_intervals && last > first; ++k) {
      const double step = (last - first) / course_intervals, time = first + k * step;
      const double near = std::pow(10, std::floor(std::log10(step)));
      const double rounded = std::clamp(std::round(time / near) * near, first, last);
      if (std::none_of(times.begin(), times.end(),
                       [&](double t) { return std::fabs(t - rounded) < 0.25 * step; }))
        times.push_back(parse_number(format_short(rounded, 6)).value_or(rounded));
    }
    std::sort(times.begin(), times.end());
    times.erase(
        std::remove_if(times.begin(), times.end(), [&](double t) { return t < first || t > last; }),
        times.end());
  }
  if (steady) times.push_back(std::numeric_limits<double>::infinity());
  return times;
}

// The datum whose error stands for one at that time: the middle one of those next to it in the same
// experiment, or in others where what is measured does not differ between them. -1: none.
int datum_like(const FitProblem& part, const DataErrors& errors, const std::string& id,
               int experiment, double time) {
  auto distance = [&](std::size_t i) {
    const double t = part.measurements[i].time;
    return t == time ? 0 : std::fabs(t - time);
  };
  std::vector<std::size_t> here, all;
  for (std::size_t i = 0; i < part.measurements.size(); ++i) {
    const Measurement& m = part.measurements[i];
    if (part.observables[m.observable].id != id || m.censoring != Censoring::none) continue;
    all.push_back(i);
    if (m.experiment == experiment) here.push_back(i);
  }
  if (here.empty()) {
    for (std::size_t i : all) {
      const Measurement &a = part.measurements[i], &b = part.measurements[all.front()];
      const ProblemObservable& o = part.observables[a.observable];
      const std::size_t own =
          o.placeholders.size() - static_cast<std::size_t>(o.noise_placeholders);
      for (std::size_t k = 0; k < own; ++k)
        if (a.placeholders[k].parameter != b.placeholders[k].parameter ||
            (a.placeholders[k].parameter < 0 &&
             a.placeholders[k].number != b.placeholders[k].number))
          return -1;
    }
    here = all;
  }
  if (here.empty()) return -1;
  std::stable_sort(here.begin(), here.end(),
                   [&](std::size_t a, std::size_t b) { return distance(a) < distance(b); });
  here.resize(std::min(here.size(), neighbours_of_error));
  std::stable_sort(here.begin(), here.end(),
                   [&](std::size_t a, std::size_t b) { return errors.error[a] < errors.error[b]; });
  return static_cast<int>(here[here.size() / 2]);
}

// What a row of the simulated candidates is.
struct CandidateRow {
  Candidate candidate;
  int species = -1;    // of the model: only to see how large it is
  bool fresh = false;  // without errors of its own
  double least = 0;    // smallest error among the data of the same quantity
};

class CandidateMaker {
 public:
  CandidateMaker(const ProblemObjective& objective, const std::vector<double>& best,
                 const FitStatistics& s, const std::vector<std::string>& measurable)
      : objective_(objective), best_(best), s_(s), measurable_(measurable) {}

  Candidates make(const ObjectiveOptions& options) {
    std::string failure;
    const std::vector<Prediction> data = objective_.predict(best_, failure);
    if (!failure.empty()) return {};
    result_.problem = objective_.problem();
    courses_ = result_.problem;
    const std::size_t parts = parts_in(objective_.problem()).size();
    for (std::size_t p = 0; p < parts; ++p) {
      errors_.push_back(errors_of(*parts_in(objective_.problem())[p], data));
      add_rows(p);
    }
    const std::size_t n = best_.size();
    if (rows_.empty() ||
        static_cast<double>(rows_.size()) * static_cast<double>(n) > most_derivatives)
      return {};
    if (!simulate(options)) return {};
    settle_errors();
    return std::move(result_);
  }

 private:
  // Observables of the part in the places that they have, then new ones.
  void add_rows(std::size_t index) {
    FitProblem &kept = part_at(result_.problem, index), &course = part_at(courses_, index);
    const FitProblem part = kept;
    auto model = std::make_shared<Model>(*part.model);
    const int one = static_cast<int>(model->observables.size());
    model->observables.push_back({"noise of candidates", model->expressions.number(1), {}});
    std::set<int> contained;
    std::vector<char> used(part.observables.size(), 0);
    for (const Measurement& m : part.measurements) used[m.observable] = 1;
    for (std::size_t k = 0; k < part.observables.size(); ++k)
      if (used[k])
        add_species_in(*model, model->observables[part.observables[k].formula].value, contained);
    std::map<int, int> fresh;  // new observables, and species that only their size is wanted of
    auto add = [&](const std::string& id, int formula) {
      ProblemObservable o;
      o.id = id;
      o.formula = formula;
      o.noise = one;
      kept.observables.push_back(std::move(o));
      return static_cast<int>(kept.observables.size() - 1);
    };
    auto formula_of = [&](int species) {
      model->observables.push_back({"candidate " + model->species[species].id,
                                    model->expressions.symbol({SymbolKind::species, species}),
                                    {}});
      return static_cast<int>(model->observables.size() - 1);
    };
    std::vector<std::pair<int, DesignPoint>> named;
    for (const std::string& name : measurable_) {
      const Ref ref = model->find(name);
      if (ref.kind != SymbolKind::species && ref.kind != SymbolKind::observable) continue;
      if (std::any_of(part.observables.begin(), part.observables.end(),
                      [&](const ProblemObservable& o) { return stands_alone(*model, o, ref); }))
        continue;
      DesignPoint point;
      point.quantity = name;
      for (std::size_t k = 0; k < part.observables.size(); ++k) {
        std::set<int> own;
        add_species_in(*model, model->observables[part.observables[k].formula].value, own);
        if (used[k] && ref.kind == SymbolKind::species && own.contains(ref.index) &&
            std::find(point.within.begin(), point.within.end(), part.observables[k].id) ==
                point.within.end())
          point.within.push_back(part.observables[k].id);
      }
      named.emplace_back(
          add(name, ref.kind == SymbolKind::species ? formula_of(ref.index) : ref.index), point);
    }
    std::vector<std::pair<int, int>> sized;  // observables of species that the data contain
    for (int species : contained) sized.emplace_back(add("", formula_of(species)), species);
    kept.model = model;
    course = kept;
    course.unknown_noise = false;
    course.measurements.clear();
    for (ProblemObservable& o : course.observables) {
      o.transformation = Transformation::none;
      o.noise_kind = NoiseKind::normal;
      o.noise = one;
      o.freedom = -1;
    }
    for (std::size_t e = 0; e < part.experiments.size(); ++e)
      for (double time : times_to_try(part, e)) {
        add_known(part, index, static_cast<int>(e), time, used);
        for (const auto& [observable, point] : named) {
          CandidateRow row;
          row.candidate.point = point;
          row.fresh = true;
          add_row(std::move(row), index, observable, static_cast<int>(e), time, {});
        }
        for (const auto& [observable, species] : sized) {
          CandidateRow row;
          row.species = species;
          add_row(std::move(row), index, observable, static_cast<int>(e), time, {});
        }
      }
  }

  // The part's own observables; several of one name differ in their noise alone.
  void add_known(const FitProblem& part, std::size_t index, int experiment, double time,
                 const std::vector<char>& used) {
    std::set<std::string> done;
    for (std::size_t k = 0; k < part.observables.size(); ++k) {
      const ProblemObservable& o = part.observables[k];
      if (!done.insert(o.id).second) continue;
      const bool has_data = std::any_of(
          part.observables.begin(), part.observables.end(), [&](const ProblemObservable& other) {
            return other.id == o.id &&
                   used[static_cast<std::size_t>(&other - &part.observables[0])];
          });
      CandidateRow row;
      row.candidate.point.quantity = o.id;
      row.candidate.point.measured = has_data;
      if (!has_data) {
        if (!o.placeholders.empty() || o.formula < 0) continue;
        // A common noise of unknown size is that of what was measured.
        row.fresh = o.noise < 0 || part.unknown_noise;
        add_row(std::move(row), index, static_cast<int>(k), experiment, time, {});
        continue;
      }
      const DataErrors& errors = errors_[index];
      const int like = datum_like(part, errors, o.id, experiment, time);
      if (like < 0) continue;
      const Measurement& m = part.measurements[static_cast<std::size_t>(like)];
      row.least = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < part.measurements.size(); ++i)
        if (part.observables[part.measurements[i].observable].id == o.id && errors.error[i] > 0)
          row.least = std::min(row.least, errors.error[i]);
      add_row(std::move(row), index, m.observable, experiment, time, m.placeholders);
    }
  }

  void add_row(CandidateRow row, std::size_t index, int observable, int experiment, double time,
               const std::vector<PlaceholderValue>& placeholders) {
    FitProblem& course = part_at(courses_, index);
    Measurement m;
    m.observable = observable;
    m.experiment = experiment;
    m.time = time;
    m.value = 0;
    m.placeholders = placeholders;
    m.row = static_cast<int>(rows_.size());
    course.measurements.push_back(m);
    row.candidate.part = index;
    row.candidate.measurement = m;
    row.candidate.point.experiment = course.experiments[experiment].id;
    row.candidate.point.time = time;
    rows_.push_back(std::move(row));
  }

  // Predictions with derivatives, and the noise by its formulas.
  bool simulate(const ObjectiveOptions& options) {
    const std::size_t n = best_.size();
    courses_.unknown_noise = false;
    for (ProblemParameter& p : courses_.parameters) p.prior = Prior();
    FitProblem noises = courses_;
    for (std::size_t p = 0; p < errors_.size(); ++p) {
      const FitProblem& own = *parts_in(objective_.problem())[p];
      FitProblem& part = part_at(noises, p);
      for (std::size_t k = 0; k < part.observables.size(); ++k) {
        const bool known = k < own.observables.size() && own.observables[k].noise >= 0;
        part.observables[k].formula = known ? own.observables[k].noise : part.observables[k].noise;
      }
    }
    ObjectiveOptions forward = options;
    forward.gradient = GradientMethod::forward;
    const ProblemObjective courses(courses_, forward);
    std::string failure;
    const ResidualDerivatives at = courses.no_derivatives().empty()
                                       ? courses.residual_derivatives(best_, failure)
                                       : difference_derivatives(courses, best_, failure);
    if (!failure.empty()) return false;
    ObjectiveOptions values = options;
    values.derivatives = false;
    const std::vector<Prediction> noise = ProblemObjective(noises, values).predict(best_, failure);
    if (!failure.empty()) return false;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      Candidate& c = rows_[r].candidate;
      c.slopes = Eigen::Map<const Eigen::VectorXd>(at.jacobian.data() + r * n,
                                                   static_cast<Eigen::Index>(n));
      c.measurement.value = at.predictions[r].value;
      Prediction own{at.predictions[r].value, noise[r].value, std::nan("")};
      const FitProblem& part = *parts_in(objective_.problem())[c.part];
      const auto k = static_cast<std::size_t>(c.measurement.observable);
      if (k >= part.observables.size()) continue;
      own.freedom = freedom_of(part, static_cast<int>(k));
      c.error = std::max(plain_error(part.observables[k], own), rows_[r].least);
    }
    return true;
  }

  // Of the data of that observable; any of them has the same.
  double freedom_of(const FitProblem& part, int observable) {
    if (part.observables[static_cast<std::size_t>(observable)].noise_kind != NoiseKind::student_t)
      return std::nan("");
    if (data_.empty()) {
      std::string failure;
      data_ = objective_.predict(best_, failure);
    }
    for (const Measurement& m : part.measurements)
      if (m.observable == observable && static_cast<std::size_t>(m.row) < data_.size())
        return data_[static_cast<std::size_t>(m.row)].freedom;
    return std::nan("");
  }

  // New quantities have the middle relative error of the data, beside their own largest value, and
  // never less than the data's smallest one beside the largest species that was measured.
  void settle_errors() {
    std::vector<double> shares;
    for (const DataErrors& errors : errors_)
      for (double share : errors.share)
        if (share > 0 && std::isfinite(share)) shares.push_back(share);
    const double middle = median_of(shares);
    const double least = shares.empty() ? 0 : *std::min_element(shares.begin(), shares.end());
    std::map<std::size_t, double> measured;  // by part
    std::map<std::pair<std::size_t, int>, double> largest;
    for (const CandidateRow& row : rows_) {
      const double size = std::fabs(row.candidate.measurement.value);
      if (row.species >= 0) {
        double& most = measured[row.candidate.part];
        most = std::max(most, size);
      }
      double& own = largest[{row.candidate.part, row.candidate.measurement.observable}];
      own = std::max(own, size);
    }
    const double unit = s_.unknown_noise ? std::sqrt(s_.variance) : 1;
    std::set<std::string> refused;
    for (CandidateRow& row : rows_) {
      Candidate& c = row.candidate;
      if (row.species >= 0) continue;
      const double own = largest[{c.part, c.measurement.observable}];
      if (row.fresh) {
        const double floor = least * measured[c.part];
        c.error = std::max(middle * own, floor);
        if (!(own > unit * c.error)) {
          if (own >= 0 && refused.insert(c.point.quantity).second)
            result_.refused.push_back(c.point.quantity + ": it stays below " +
                                      format_short(own, 2) + ", which is less than the error of " +
                                      format_short(unit * c.error, 2) +
                                      " to be expected of it from these data");
          continue;
        }
      }
      if (!(c.error > 0) || !std::isfinite(c.error) || !c.slopes.allFinite()) continue;
      if (c.slopes.isZero(0)) continue;
      c.point.error = unit * c.error;
      result_.list.push_back(std::move(c));
    }
  }

  const ProblemObjective& objective_;
  const std::vector<double>& best_;
  const FitStatistics& s_;
  const std::vector<std::string>& measurable_;
  Candidates result_;
  FitProblem courses_;
  std::vector<DataErrors> errors_;  // of each part
  std::vector<CandidateRow> rows_;
  std::vector<Prediction> data_;
};

}  // namespace

void check_measurable(const std::vector<std::string>& names, const FitProblem& problem) {
  std::vector<std::string> known;
  for (const FitProblem* part : parts_in(problem)) {
    for (const Species& species : part->model->species)
      if (!species.constant) known.push_back(species.id);
    for (const ProblemObservable& o : part->observables) known.push_back(o.id);
    for (const Observable& o : part->model->observables) known.push_back(o.id);
  }
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    bool constant = false;
    for (const FitProblem* part : parts_in(problem))
      constant |= part->model->find(name).kind == SymbolKind::species;
    if (constant)
      throw OptionError(option("measurable") + ": '" + name + "' is constant, which tells nothing");
    const std::string nearest = nearest_name(name, known);
    throw OptionError(option("measurable") + ": there is no species or observable '" + name + "'",
                      nearest.empty() ? "" : "did you mean '" + nearest + "'?");
  }
}

Candidates design_candidates(const ProblemObjective& objective, const std::vector<double>& best,
                             const FitStatistics& s, const std::vector<std::string>& measurable,
                             const ObjectiveOptions& options) {
  return CandidateMaker(objective, best, s, measurable).make(options);
}

FitProblem with_design(const Candidates& candidates, const std::vector<std::size_t>& chosen) {
  FitProblem problem = candidates.problem;
  int row = 0;
  for (const FitProblem* part : parts_in(problem))
    row += static_cast<int>(part->measurements.size());
  for (std::size_t k : chosen) {
    const Candidate& c = candidates.list[k];
    FitProblem& part = part_at(problem, c.part);
    auto model = std::make_shared<Model>(*part.model);
    ProblemObservable o = part.observables[c.measurement.observable];
    o.transformation = Transformation::none;
    o.noise_kind = NoiseKind::normal;
    o.freedom = -1;
    o.noise = static_cast<int>(model->observables.size());
    model->observables.push_back(
        {"error of a further measurement", model->expressions.number(c.error), {}});
    part.model = std::move(model);
    Measurement m = c.measurement;
    m.observable = static_cast<int>(part.observables.size());
    m.row = row++;
    part.observables.push_back(std::move(o));
    part.measurements.push_back(std::move(m));
  }
  return problem;
}

}  // namespace stiffit::internal
