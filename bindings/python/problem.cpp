// Fitting problems and their objectives.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <thread>

#include "convert.h"
#include "options.h"
#include "run.h"

namespace stiffit::internal::python {
namespace {

// Each field of the results of a list, as a list.
template <class Item, class Field>
py::list column(const std::vector<Item>& items, Field Item::*field) {
  py::list list;
  for (const Item& item : items) list.append(item.*field);
  return list;
}

py::dict unknowns_of(const std::vector<api::EstimatedParameter>& unknowns) {
  py::dict result;
  result["id"] = column(unknowns, &api::EstimatedParameter::id);
  result["scale"] = column(unknowns, &api::EstimatedParameter::scale);
  result["lower"] = column(unknowns, &api::EstimatedParameter::lower);
  result["upper"] = column(unknowns, &api::EstimatedParameter::upper);
  result["start"] = column(unknowns, &api::EstimatedParameter::start);
  return result;
}

py::dict data_of(const std::vector<api::Datum>& data) {
  py::dict result;
  result["experiment"] = column(data, &api::Datum::experiment);
  result["observable"] = column(data, &api::Datum::observable);
  result["time"] = column(data, &api::Datum::time);
  result["measurement"] = column(data, &api::Datum::measurement);
  result["simulation"] = column(data, &api::Datum::simulation);
  result["noise"] = column(data, &api::Datum::noise);
  result["residual"] = column(data, &api::Datum::residual);
  result["limit"] = column(data, &api::Datum::limit);
  return result;
}

// An objective that Ctrl-C stops. What it was compiled with points to the flag.
class Objective {
  // The flag is one for all threads, but only the main thread is stopped; the others begin again
  // when it is taken back, which happens after the last moment at which a signal can raise it.
  struct TakenBack {
    Objective& of;
    ~TakenBack() {
      if (!CtrlC::in_main_thread() || !of.stop_.load()) return;
      ++of.stops_;
      of.stop_.store(false);
    }
  };

  template <class F, class Good>
  auto run(F&& compute, Good&& good) {
    const TakenBack afterwards{*this};
    CtrlC watched(stop_);
    py::gil_scoped_release without;
    for (;;) {
      const long before = stops_.load();
      auto result = compute();
      if (CtrlC::in_main_thread() || good(result) || (!stop_.load() && before == stops_.load()))
        return result;
      while (stop_.load()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

 public:
  Objective(const api::Problem& problem, const py::dict& options) {
    api::ObjectiveOptions o;
    set_all(options, o);
    o.interrupt = &stop_;
    CtrlC watched(stop_);
    py::gil_scoped_release without;
    objective_ = std::make_unique<api::Objective>(problem.objective(o));
  }

  const api::Objective& compiled() const { return *objective_; }

  py::dict evaluate(const std::vector<double>& theta, int need) {
    api::Evaluation e = run([&] { return objective_->evaluate(theta, api::Need(need)); },
                            [](const api::Evaluation& at) { return at.ok(); });
    if (!e.ok() && PyErr_CheckSignals() != 0) throw py::error_already_set();
    const py::ssize_t n = count_of(theta), residuals = count_of(e.residuals);
    py::dict result;
    result["value"] = e.value;
    result["llh"] = e.llh;
    result["chi2"] = e.chi2;
    result["failure"] = e.failure;
    if (!e.gradient.empty()) result["gradient"] = array(std::move(e.gradient));
    if (!e.fisher.empty()) result["fisher"] = array(std::move(e.fisher), {n, n});
    if (!e.jacobian.empty()) result["jacobian"] = array(std::move(e.jacobian), {residuals, n});
    if (!e.residuals.empty()) result["residuals"] = array(std::move(e.residuals));
    return result;
  }

  py::array_t<double> values(const std::vector<std::vector<double>>& thetas, int threads) {
    auto all = run([&] { return objective_->values(thetas, threads); },
                   [](const std::vector<api::Evaluation>& list) {
                     for (const api::Evaluation& e : list)
                       if (!e.ok()) return false;
                     return true;
                   });
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    std::vector<double> values;
    for (const api::Evaluation& e : all)
      values.push_back(e.ok() ? e.value : std::numeric_limits<double>::infinity());
    return array(std::move(values));
  }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<long> stops_{0};  // how often it was set
  std::unique_ptr<api::Objective> objective_;
};

py::dict fit(const api::Problem& problem, const py::dict& options) {
  Run run(options);
  api::FitOptions o;
  set_all(options, o);
  o.run = run.options();
  const api::Fit f = run([&] { return problem.fit(o); });
  py::dict result, parameters, starts;
  using P = api::FittedParameter;
  parameters["id"] = column(f.parameters, &P::id);
  parameters["scale"] = column(f.parameters, &P::scale);
  parameters["estimate"] = column(f.parameters, &P::estimate);
  parameters["standard_error"] = column(f.parameters, &P::standard_error);
  parameters["low"] = column(f.parameters, &P::low);
  parameters["high"] = column(f.parameters, &P::high);
  parameters["theta"] = column(f.parameters, &P::theta);
  parameters["theta_error"] = column(f.parameters, &P::theta_error);
  parameters["limits_by"] = column(f.parameters, &P::limits_by);
  parameters["noise"] = column(f.parameters, &P::noise);
  parameters["at_bound"] = column(f.parameters, &P::at_bound);
  parameters["determination"] = column(f.parameters, &P::determination);
  parameters["verdict"] = column(f.parameters, &P::verdict);
  using S = api::FittedStart;
  starts["index"] = column(f.starts, &S::index);
  starts["outcome"] = column(f.starts, &S::outcome);
  starts["message"] = column(f.starts, &S::message);
  starts["objective"] = column(f.starts, &S::objective);
  starts["theta"] = column(f.starts, &S::theta);
  result["status"] = f.status;
  result["outcome"] = f.outcome;
  result["message"] = f.message;
  result["objective"] = f.objective;
  result["llh"] = f.llh;
  result["chi2"] = f.chi2;
  result["n_data"] = f.n_data;
  result["level"] = f.level;
  result["parameters"] = parameters;
  result["starts"] = starts;
  result["free"] = f.free;
  const py::ssize_t m = count_of(f.free);
  result["covariance"] = array(f.covariance, {m, m});
  result["correlation"] = array(f.correlation, {m, m});
  result["data"] = data_of(f.data);
  result["words"] = f.words;
  result["messages"] = f.messages;
  result["json"] = f.json;
  result["keyboard"] = run.keyboard();
  return result;
}

py::list intervals(const std::vector<api::Interval>& from) {
  py::list list;
  for (const api::Interval& i : from) list.append(py::make_tuple(i.low, i.high));
  return list;
}

py::list predictions(const api::Profiles& p) {
  py::list list;
  for (const api::PredictionProfile& one : p.predictions) {
    py::dict item;
    item["what"] = one.what;
    item["estimate"] = one.estimate;
    item["standard_error"] = one.deviation;
    item["low"] = one.low;
    item["high"] = one.high;
    item["low_stop"] = one.low_stop;
    item["high_stop"] = one.high_stop;
    item["verdict"] = one.verdict;
    item["values"] = array(one.values);
    item["objective"] = array(one.objective);
    item["ratio"] = array(one.ratio);
    list.append(item);
  }
  return list;
}

py::list pairs(const api::Profiles& p) {
  py::list list;
  for (const api::PairRegion& one : p.pairs) {
    py::dict item;
    item["first"] = one.first;
    item["second"] = one.second;
    item["threshold"] = one.threshold;
    item["closed"] = one.closed;
    item["first_values"] = array(one.first_values);
    item["second_values"] = array(one.second_values);
    item["ratio"] = array(one.ratio);
    item["stop"] = one.stop;
    item["message"] = one.message;
    list.append(item);
  }
  return list;
}

py::dict profile(const api::Problem& problem, const py::dict& options) {
  Run run(options);
  api::ProfileOptions o;
  set_all(options, o);
  o.fit.run = run.options();
  const api::Profiles p = run([&] { return problem.profile(o); });
  py::list profiles;
  for (const api::Profile& one : p.parameters) {
    py::dict item;
    item["id"] = one.id;
    item["scale"] = one.scale;
    item["estimate"] = one.estimate;
    item["low"] = one.low;
    item["high"] = one.high;
    item["intervals"] = intervals(one.intervals);
    item["low_stop"] = one.low_stop;
    item["high_stop"] = one.high_stop;
    item["verdict"] = one.verdict;
    item["values"] = array(one.values);
    item["objective"] = array(one.objective);
    item["ratio"] = array(one.ratio);
    profiles.append(item);
  }
  py::dict result;
  result["interrupted"] = p.interrupted;
  result["level"] = p.level;
  result["threshold"] = p.threshold;
  result["objective"] = p.objective;
  result["profiles"] = profiles;
  result["predictions"] = predictions(p);
  result["pairs"] = pairs(p);
  result["words"] = p.words;
  result["messages"] = p.messages;
  result["json"] = p.json;
  result["keyboard"] = run.keyboard();
  return result;
}

py::dict ensemble(const api::Problem& problem, const py::dict& options) {
  Run run(options);
  api::PosteriorOptions o;
  set_all(options, o);
  o.fit.run = run.options();
  api::Posterior p = run([&] { return problem.ensemble(o); });
  using M = api::Marginal;
  using B = api::BandPoint;
  py::dict result, parameters, bands;
  parameters["id"] = column(p.parameters, &M::id);
  parameters["scale"] = column(p.parameters, &M::scale);
  parameters["best"] = column(p.parameters, &M::best);
  parameters["mean"] = column(p.parameters, &M::mean);
  parameters["median"] = column(p.parameters, &M::median);
  parameters["sd"] = column(p.parameters, &M::deviation);
  parameters["low"] = column(p.parameters, &M::low);
  parameters["high"] = column(p.parameters, &M::high);
  parameters["r_hat"] = column(p.parameters, &M::r_hat);
  parameters["effective_bulk"] = column(p.parameters, &M::effective_bulk);
  parameters["effective_tail"] = column(p.parameters, &M::effective_tail);
  parameters["converged"] = column(p.parameters, &M::converged);
  bands["experiment"] = column(p.bands, &B::experiment);
  bands["quantity"] = column(p.bands, &B::quantity);
  bands["time"] = column(p.bands, &B::time);
  bands["measured"] = column(p.bands, &B::measured);
  bands["mean"] = column(p.bands, &B::mean);
  bands["sd"] = column(p.bands, &B::deviation);
  std::vector<double> quantiles;
  for (const B& point : p.bands)
    quantiles.insert(quantiles.end(), std::begin(point.quantiles), std::end(point.quantiles));
  result["converged"] = p.converged;
  result["interrupted"] = p.interrupted;
  result["parameters"] = parameters;
  result["bands"] = bands;
  result["quantiles"] = array(std::move(quantiles), {count_of(p.bands), 5});
  result["draws"] =
      array(std::move(p.draws), {static_cast<py::ssize_t>(p.chains),
                                 static_cast<py::ssize_t>(p.draws_each), count_of(p.parameters)});
  result["notes"] = p.notes;
  result["words"] = p.words;
  result["messages"] = p.messages;
  result["json"] = p.json;
  result["keyboard"] = run.keyboard();
  return result;
}

py::list checked_of(const api::CheckedGradient& check) {
  py::list methods;
  for (const api::CheckedMethod& m : check.methods) {
    using E = api::CheckedEntry;
    py::dict item, entries;
    entries["parameter"] = column(m.entries, &E::parameter);
    entries["scale"] = column(m.entries, &E::scale);
    entries["gradient"] = column(m.entries, &E::gradient);
    entries["difference"] = column(m.entries, &E::difference);
    entries["uncertainty"] = column(m.entries, &E::uncertainty);
    entries["error"] = column(m.entries, &E::error);
    entries["verdict"] = column(m.entries, &E::verdict);
    item["method"] = m.method;
    item["failure"] = m.failure;
    item["adjoint"] = m.adjoint;
    item["worst"] = m.worst;
    item["passed"] = m.passed();
    item["entries"] = entries;
    methods.append(item);
  }
  return methods;
}

py::dict evaluate(const api::Problem& problem, const py::dict& options) {
  Run run;
  api::EvaluateOptions o;
  set_all(options, o);
  o.objective.interrupt = run.options().interrupt;
  api::PointEvaluation at = run([&] { return problem.evaluate(o); });
  const py::ssize_t n = count_of(at.theta);
  api::Evaluation& e = at.evaluation;
  py::dict result;
  result["names"] = column(at.unknowns, &api::EstimatedParameter::id);
  result["theta"] = array(std::move(at.theta));
  result["objective"] = e.value;
  result["llh"] = e.llh;
  result["chi2"] = e.chi2;
  result["n_data"] = at.n_data;
  result["failure"] = e.failure;
  result["rtol"] = at.rtol;
  result["messages"] = at.messages;
  if (!e.gradient.empty()) result["gradient"] = array(std::move(e.gradient));
  if (!e.fisher.empty()) result["fisher"] = array(std::move(e.fisher), {n, n});
  if (!at.simulations.empty()) result["simulations"] = at.simulations;
  if (!at.check) return result;
  result["check"] = checked_of(*at.check);
  result["forward_against_adjoint"] = at.check->between;
  return result;
}

api::Problem from_data(const api::Model& model,
                       const std::vector<std::pair<std::string, std::string>>& data,
                       const std::vector<std::string>& estimate,
                       const std::vector<std::string>& observe,
                       const std::vector<std::string>& noise, const std::string& weights,
                       const std::string& noise_distribution) {
  std::vector<api::DataTable> tables;
  for (const auto& [name, text] : data) tables.push_back({name, text});
  Run run;
  const api::RunOptions options = run.options();
  return run([&] {
    return api::Problem::from_data(model, tables, estimate, observe, options,
                                   {noise, weights, noise_distribution});
  });
}

}  // namespace

void add_problem(py::module_& module) {
  py::class_<Objective>(module, "Objective")
      .def_property_readonly(
          "unknowns", [](const Objective& o) { return unknowns_of(o.compiled().unknowns()); })
      .def_property_readonly("n_data", [](const Objective& o) { return o.compiled().data_count(); })
      .def_property_readonly("least_squares",
                             [](const Objective& o) { return o.compiled().least_squares(); })
      .def("evaluate", &Objective::evaluate)
      .def("values", &Objective::values)
      .def("data", [](const Objective& o, const std::vector<double>& theta) {
        return data_of(o.compiled().data(theta));
      });

  py::class_<api::Problem>(module, "Problem")
      .def_static("petab",
                  [](const std::string& path) {
                    Run run;
                    const api::RunOptions options = run.options();
                    return run([&] { return api::Problem::petab(path, options); });
                  })
      .def_static("from_data", &from_data)
      .def_property_readonly("name", &api::Problem::name)
      .def_property_readonly("warnings", &api::Problem::warnings)
      .def("unknowns", [](const api::Problem& p) { return unknowns_of(p.unknowns()); })
      .def("to_theta", &api::Problem::to_theta)
      .def("to_values", &api::Problem::to_values)
      .def("objective",
           [](const api::Problem& p, const py::dict& options) {
             return std::make_unique<Objective>(p, options);
           })
      .def("evaluate", &evaluate)
      .def("fit", &fit)
      .def("profile", &profile)
      .def("ensemble", &ensemble);
}

}  // namespace stiffit::internal::python
