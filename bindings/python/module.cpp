// The module stiffit._stiffit: models, and what the library lists.
// SPDX-License-Identifier: Apache-2.0
#include "convert.h"
#include "options.h"
#include "run.h"

namespace stiffit::internal::python {
namespace {

py::dict dictionary(const api::Model::Values& values) {
  py::dict result;
  for (const auto& [name, value] : values) result[py::str(name)] = value;
  return result;
}

py::dict course(const api::Model& model, const py::dict& options) {
  Run run(options);
  api::SimulateOptions o;
  set_all(options, o);
  o.run = run.options();
  return course_dictionary(run([&] { return model.simulate(o); }), run);
}

py::dict stiffness(const api::Model& model, const py::dict& options) {
  Run run(options);
  api::StiffnessOptions o;
  set_all(options, o);
  o.run = run.options();
  api::Stiffness s = run([&] { return model.stiffness(o); });
  py::dict result;
  result["time"] = array(std::move(s.times));
  result["index"] = array(std::move(s.index));
  result["tau"] = array(std::move(s.tau));
  result["lambda_min"] = array(std::move(s.lambda_min));
  result["lambda_max"] = array(std::move(s.lambda_max));
  result["fastest"] = s.fastest;
  result["span"] = s.span;
  result["max_index"] = s.max_index;
  result["peak_time"] = s.peak_time;
  result["peak_index"] = s.peak_index;
  result["explicit_steps"] = s.explicit_steps;
  result["verdict"] = s.verdict;
  result["recommended"] = s.recommended;
  result["species"] = dictionary(s.species);
  result["reactions"] = dictionary(s.reactions);
  result["eigenvalues"] = s.eigenvalues;
  result["status"] = s.status;
  result["explanation"] = s.explanation;
  result["keyboard"] = run.keyboard();
  return result;
}

py::dict steady(const api::Model& model, const py::dict& options) {
  Run run(options);
  api::SteadyOptions o;
  set_all(options, o);
  o.run = run.options();
  api::SteadyState s = run([&] { return model.steady(o); });
  py::dict result;
  result["found"] = s.found;
  result["status"] = s.status;
  result["message"] = s.message;
  result["names"] = s.names;
  result["values"] = array(std::move(s.values));
  result["residual"] = s.residual;
  result["stability"] = s.stability;
  result["eigenvalues"] = s.eigenvalues;
  result["how"] = s.how;
  result["warnings"] = s.warnings;
  result["keyboard"] = run.keyboard();
  return result;
}

py::dict ensemble(const api::Model& model, const py::dict& options) {
  Run run(options);
  api::ParameterEnsembleOptions o;
  set_all(options, o);
  o.run = run.options();
  api::ParameterEnsemble c = run([&] { return model.ensemble(o); });
  const py::ssize_t rows = count_of(c.times), columns = count_of(c.columns);
  py::dict result;
  result["columns"] = c.columns;
  result["time"] = array(std::move(c.times));
  result["mean"] = array(std::move(c.mean), {rows, columns});
  result["sd"] = array(std::move(c.deviation), {rows, columns});
  result["quantiles"] =
      array(std::move(c.quantiles),
            {static_cast<py::ssize_t>(std::size(api::band_shares)), rows, columns});
  result["samples_asked"] = c.samples_asked;
  result["samples"] = c.samples;
  result["failures"] = c.failures;
  result["reasons"] = c.reasons;
  result["messages"] = c.messages;
  result["interrupted"] = c.interrupted;
  result["keyboard"] = run.keyboard();
  return result;
}

// As stiffit/_errors.py has them.
void raise(const char* name, const std::exception& error, const py::object& time) {
  const py::object kind = py::module_::import("stiffit._errors").attr(name);
  const py::object raised = time.is_none() ? kind(error.what()) : kind(error.what(), time);
  PyErr_SetObject(kind.ptr(), raised.ptr());
}

// Of a run that had nothing to give yet. What a handler of Python's own says to the signal comes
// first; KeyboardInterrupt is what ours is, too.
void raise_interrupted() {
  if (PyErr_CheckSignals() != 0) {
    if (!PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) return;
    PyErr_Clear();
  }
  const py::object kind = py::module_::import("stiffit._errors").attr("Interrupted");
  PyErr_SetObject(kind.ptr(), kind(py::none()).ptr());
}

void translate(std::exception_ptr pointer) {
  try {
    if (pointer) std::rethrow_exception(pointer);
  } catch (const api::Interrupted&) {
    raise_interrupted();
  } catch (const api::InputError& error) {
    raise("InputError", error, py::none());
  } catch (const api::NumericsError& error) {
    raise("NumericsError", error, py::float_(error.time()));
  }
}

}  // namespace

py::dict course_dictionary(api::TimeCourse c, const Run& run) {
  const py::ssize_t rows = count_of(c.times), columns = count_of(c.columns), by = count_of(c.by);
  py::dict counters;
  counters["steps"] = c.steps;
  counters["rejected"] = c.rejected;
  counters["f"] = c.f;
  counters["j"] = c.j;
  counters["lu"] = c.lu;
  counters["newton"] = c.newton;
  py::dict result;
  result["columns"] = c.columns;
  result["time"] = array(std::move(c.times));
  result["values"] = array(std::move(c.values), {rows, columns});
  result["by"] = c.by;
  if (by > 0) result["derivatives"] = array(std::move(c.derivatives), {rows, columns, by});
  result["status"] = c.status;
  result["explanation"] = c.explanation;
  py::list messages;
  for (const api::Message& m : c.messages) messages.append(py::make_tuple(m.kind, m.text));
  result["messages"] = messages;
  result["reached"] = c.reached;
  result["method"] = c.method;
  result["used"] = c.used;
  result["counters"] = counters;
  result["keyboard"] = run.keyboard();
  return result;
}

PYBIND11_MODULE(_stiffit, module) {
  module.doc() = "The compiled part of Stiffit; the package stiffit is what to use.";
  py::register_exception_translator(translate);

  module.def("version", &api::version);
  module.def("models", [] {
    py::dict list;
    for (const api::ListedModel& m : api::models()) list[py::str(m.name)] = m.title;
    return list;
  });
  module.def("model_text", &api::model_text);
  module.def("methods", [] {
    py::list list;
    for (const api::ListedMethod& m : api::methods()) {
      py::dict method;
      method["name"] = m.name;
      method["family"] = m.family;
      method["order"] = m.order;
      method["stability"] = m.stability;
      method["use"] = m.use;
      list.append(method);
    }
    return list;
  });

  py::class_<api::Model> model(module, "Model");
  model
      .def_static("load",
                  [](const std::string& name) {
                    Run run;
                    const api::RunOptions options = run.options();
                    return run([&] { return api::Model::load(name, options); });
                  })
      .def_static("from_text",
                  [](const std::string& text, const std::string& name) {
                    Run run;
                    const api::RunOptions options = run.options();
                    return run([&] { return api::Model::from_text(text, name, options); });
                  })
      .def_static(
          "from_written",
          [](const std::string& text, const std::string& name, const std::string& submodel) {
            Run run;
            const api::RunOptions options = run.options();
            return run([&] { return api::Model::from_written({text, name, submodel}, options); });
          })
      .def("written",
           [](const api::Model& m) {
             const api::Model::Written w = m.written();
             return py::make_tuple(w.text, w.name, w.submodel);
           })
      .def_property_readonly("name", &api::Model::name)
      .def_property_readonly("warnings", &api::Model::warnings)
      .def_property_readonly("end", &api::Model::end)
      .def("species", [](const api::Model& m) { return dictionary(m.species()); })
      .def("parameters", [](const api::Model& m) { return dictionary(m.parameters()); })
      .def("reactions", &api::Model::reactions)
      .def("simulate", &course)
      .def("stiffness", &stiffness)
      .def("steady", &steady)
      .def("ensemble", &ensemble);
  add_options(module);
  add_analyses(module, model);
  add_problem(module);
  add_integrate(module);
}

}  // namespace stiffit::internal::python
