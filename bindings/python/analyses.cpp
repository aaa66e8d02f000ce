// Scans, comparisons, reduced forms, equations and checks for the module stiffit._stiffit.
// SPDX-License-Identifier: Apache-2.0
#include "convert.h"
#include "options.h"
#include "run.h"
#include "stiffit/analysis.h"

namespace stiffit::internal::python {
namespace {

py::dict scan(const api::Model& model, const py::dict& options) {
  Run run(options);
  api::ScanOptions o;
  std::vector<std::pair<std::string, std::vector<double>>> vary;  // any values, not grids alone
  take(options, "vary", vary);
  for (auto& [name, values] : vary) o.vary.push_back({name, std::move(values)});
  set_all(options, o, {"vary"});
  o.run = run.options();
  api::Scan s = run([&] { return model.scan(o); });
  std::vector<py::ssize_t> shape;
  py::list axes, failures;
  for (const api::ScanAxis& axis : s.axes) {
    shape.push_back(count_of(axis.values));
    axes.append(py::make_tuple(axis.name, array(axis.values)));
  }
  shape.push_back(count_of(s.times));
  shape.push_back(count_of(s.columns));
  for (const auto& failure : s.failures)
    failures.append(py::make_tuple(s.point(failure.run), failure.reason));
  py::dict result;
  result["axes"] = axes;
  result["columns"] = s.columns;
  result["time"] = array(std::move(s.times));
  result["values"] = array(std::move(s.values), std::move(shape));
  result["failures"] = failures;
  result["warnings"] = s.warnings;
  result["interrupted"] = s.interrupted;
  result["keyboard"] = run.keyboard();
  return result;
}

py::dict work(const api::Work& w) {
  py::dict result;
  result["setting"] = w.setting;
  result["achieved"] = w.achieved;
  result["steps"] = w.steps;
  result["rejected"] = w.rejected;
  result["f"] = w.f;
  result["j"] = w.j;
  result["lu"] = w.lu;
  result["newton"] = w.newton;
  result["seconds"] = w.seconds;
  return result;
}

py::dict compare(const api::Model& model, const py::dict& options) {
  Run run(options);
  api::CompareOptions o;
  set_all(options, o);
  o.run = run.options();
  const api::Comparison c = run([&] { return model.compare(o); });
  py::list table;
  for (const api::Comparison::Row& row : c.table) {
    py::dict line = row.best ? work(*row.best) : py::dict();
    line["method"] = row.method;
    line["error"] = row.error;
    line["reached"] = row.best.has_value();
    line["reason"] = row.reason;
    table.append(line);
  }
  py::dict curves;
  for (const auto& [method, curve] : c.curves) {
    py::list points;
    for (const api::Work& w : curve) points.append(work(w));
    curves[py::str(method)] = points;
  }
  py::dict result;
  result["table"] = table;
  result["curves"] = curves;
  result["reference_agreement"] = c.reference_agreement;
  result["warnings"] = c.warnings;
  result["doubt"] = c.doubt;
  result["status"] = c.status;
  result["explanation"] = c.explanation;
  result["keyboard"] = run.keyboard();
  return result;
}

py::list differences_of(const std::vector<api::ColumnDifference>& differences) {
  py::list list;
  for (const api::ColumnDifference& d : differences)
    list.append(py::make_tuple(d.name, d.largest, d.share, d.time, d.later));
  return list;
}

// A time course, and the same by another method.
py::dict verify(const api::Model& model, const py::dict& options) {
  Run run(options);
  api::SimulateOptions o;
  set_all(options, o);
  o.run = run.options();
  api::Verification v;
  api::TimeCourse course = run([&] {
    api::TimeCourse first = model.simulate(o);
    if (first.done()) v = model.verify(o, first);
    return first;
  });
  py::dict result;
  result["course"] = course_dictionary(std::move(course), run);
  result["method"] = v.method;
  result["rtol"] = v.rtol;
  result["differences"] = differences_of(v.differences);
  result["worst"] = v.worst;
  result["tried"] = v.tried;
  result["allowed"] = v.allowed;
  result["wrong"] = v.wrong;
  return result;
}

py::dict reduce(const api::Model& model, const py::dict& options) {
  Run run(options);
  api::ReduceOptions o;
  set_all(options, o);
  o.run = run.options();
  const api::Reduction r = run([&] { return model.reduce(o); });
  py::list rows, variables;
  for (const auto& row : r.rows) rows.append(py::make_tuple(row.name, row.how, row.formula));
  for (const auto& v : r.variables) variables.append(py::make_tuple(v.name, v.meaning, v.initial));
  py::dict result;
  result["model"] = r.model;
  result["text"] = r.text;
  result["fast"] = r.fast;
  result["constant"] = r.constant;
  result["fastest"] = r.fastest;
  result["rows"] = rows;
  result["variables"] = variables;
  result["degree"] = r.degree;
  result["not_quadratic"] = r.not_quadratic;
  result["differences"] = differences_of(r.differences);
  result["worst"] = r.worst;
  result["warnings"] = r.warnings;
  result["status"] = r.status;
  result["explanation"] = r.explanation;
  result["keyboard"] = run.keyboard();
  return result;
}

py::list findings(const std::vector<api::Finding>& list) {
  py::list result;
  for (const api::Finding& f : list)
    result.append(py::make_tuple(f.severity, f.message, f.hint, f.file, f.line, f.column, f.text));
  return result;
}

}  // namespace

void add_analyses(py::module_& module, py::class_<api::Model>& model) {
  model.def("scan", &scan)
      .def("compare", &compare)
      .def("verify", &verify)
      .def("reduce", &reduce)
      .def("convert",
           [](const api::Model& m, const std::string& to) {
             api::Conversion c = m.convert(to);
             return py::make_tuple(std::move(c.text), std::move(c.left_out));
           })
      .def("equations", [](const api::Model& m) {
        const api::Equations e = m.equations();
        py::dict rows, result;
        for (const auto& row : e.rows) rows[py::str(row.state)] = row.derivative;
        result["rows"] = rows;
        result["conserved"] = e.conserved;
        result["jacobian_nonzeros"] = e.jacobian_nonzeros;
        return result;
      });
  module.def("grid", &api::grid);
  module.def("check", [](const std::string& name) {
    Run run;
    const api::RunOptions options = run.options();
    return findings(run([&] { return api::check(name, options); }));
  });
  module.def("check_text", [](const std::string& text, const std::string& name) {
    Run run;
    const api::RunOptions options = run.options();
    return findings(run([&] { return api::check_text(text, name, options); }));
  });
}

}  // namespace stiffit::internal::python
