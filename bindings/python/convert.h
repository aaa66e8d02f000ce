// Between Python's objects and the library's: options from dictionaries, results to dictionaries of
// numpy arrays. What is pleasant to use is made of them in Python (stiffit/*.py).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/complex.h>
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <cmath>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "stiffit/errors.h"
#include "stiffit/problem.h"

namespace py = pybind11;

namespace stiffit::internal::python {

// The field keeps its value if the dictionary has none of that name.
template <class T>
void take(const py::dict& options, const char* name, T& field) {
  if (!options.contains(name)) return;
  try {
    field = options[name].cast<T>();
  } catch (const py::cast_error&) {
    const std::string given = py::repr(py::type::of(options[name])).cast<std::string>();
    throw py::type_error(std::string(name) + " cannot be made of " + given);
  }
  // In the library it stands for what is not given; who gives it has computed something wrong.
  if constexpr (std::is_same_v<T, double>)
    if (std::isnan(field)) throw api::InputError(std::string("error: ") + name + " is nan\n");
}

// The vector's own memory as an array of that shape.
inline py::array_t<double> array(std::vector<double> values, std::vector<py::ssize_t> shape) {
  auto kept = std::make_unique<std::vector<double>>(std::move(values));
  const double* data = kept->data();
  py::capsule owner(kept.release(),
                    [](void* memory) { delete static_cast<std::vector<double>*>(memory); });
  return py::array_t<double>(std::move(shape), data, owner);
}
inline py::array_t<double> array(std::vector<double> values) {
  const auto count = static_cast<py::ssize_t>(values.size());
  return array(std::move(values), {count});
}
inline py::ssize_t count_of(const auto& list) { return static_cast<py::ssize_t>(list.size()); }

class Run;
py::dict course_dictionary(api::TimeCourse course, const Run& run);  // module.cpp

void add_problem(py::module_& module);                                  // problem.cpp
void add_analyses(py::module_& module, py::class_<api::Model>& model);  // analyses.cpp
void add_integrate(py::module_& module);                                // integrate.cpp

}  // namespace stiffit::internal::python
