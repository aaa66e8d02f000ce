// Systems given as Python functions. They are called with the GIL held; an exception of theirs ends
// the integration and goes on to the caller.
// SPDX-License-Identifier: Apache-2.0
#include "stiffit/integrate.h"

#include "convert.h"
#include "options.h"
#include "run.h"

namespace stiffit::internal::python {
namespace {

using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

// What a function of (t, x) has given, checked.
void store(const char* what, const py::object& given, py::ssize_t size, double* out) {
  if (given.is_none())
    throw api::InputError(std::string("error: ") + what + " gave None instead of numbers\n");
  const Array values(given);  // throws what numpy says
  if (values.size() != size)
    throw api::InputError(std::string("error: ") + what + " gave " + std::to_string(values.size()) +
                          " numbers instead of " + std::to_string(size) + "\n");
  std::copy_n(values.data(), size, out);
}

api::OdeFunctions::Function called(const char* what, py::function function, py::ssize_t n,
                                   py::ssize_t size) {
  return [what, function = std::move(function), n, size](double t, const double* x, double* out) {
    const py::gil_scoped_acquire with;
    store(what, function(t, Array(n, x)), size, out);  // the function may keep or change its x
  };
}

py::dict integrate(py::function rates, const std::vector<double>& x0,
                   const std::vector<double>& times, const py::dict& options) {
  api::OdeFunctions f;
  const py::ssize_t n = count_of(x0);
  f.rates = called("f", std::move(rates), n, n);
  if (options.contains("pattern"))
    f.pattern = options["pattern"].cast<std::vector<std::pair<int, int>>>();
  if (options.contains("jac"))
    f.jacobian = called("jac", options["jac"].cast<py::function>(), n,
                        f.pattern.empty() ? n * n : count_of(f.pattern));
  if (options.contains("dfdt"))
    f.time_derivative = called("dfdt", options["dfdt"].cast<py::function>(), n, n);
  take(options, "autonomous", f.autonomous);
  take(options, "names", f.names);
  Run run(options);
  api::IntegrateOptions o;
  set_all(options, o, {"pattern", "jac", "dfdt", "autonomous", "names"});
  o.run = run.options();
  return course_dictionary(run([&] { return api::integrate(f, x0, times, o); }), run);
}

}  // namespace

void add_integrate(py::module_& module) { module.def("integrate", integrate); }

}  // namespace stiffit::internal::python
