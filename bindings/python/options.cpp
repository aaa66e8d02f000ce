// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include <map>

namespace stiffit::internal::python {
namespace {

[[noreturn]] void wrong_type(const api::ListedOption& option, const py::handle& value) {
  throw py::type_error(option.keyword + " cannot be made of " +
                       py::repr(py::type::handle_of(value)).cast<std::string>());
}

std::string number_text(const py::handle& value) {
  return py::repr(py::float_(py::reinterpret_borrow<py::object>(value)));
}

std::string item_text(const py::handle& item) {
  if (!PyComplex_Check(item.ptr())) return py::str(item);
  const std::string real = number_text(item.attr("real")),
                    imaginary = number_text(item.attr("imag"));
  return real + (imaginary.starts_with("-") ? "" : "+") + imaginary + "i";
}

bool is_text(const py::handle& value) { return py::isinstance<py::str>(value); }

std::vector<std::string> pairs_of(const api::ListedOption& option, const py::handle& value) {
  if (!py::hasattr(value, "items")) wrong_type(option, value);
  std::vector<std::string> texts;
  for (const py::handle& pair : value.attr("items")()) {
    const auto [name, what] = pair.cast<std::pair<std::string, py::object>>();
    texts.push_back(name + "=" + (is_text(what) ? what.cast<std::string>() : number_text(what)));
  }
  return texts;
}

py::list listed(const std::vector<api::ListedOption>& options) {
  py::list list;
  for (const api::ListedOption& o : options) {
    if (!o.python) continue;
    py::dict item;
    item["name"] = o.keyword;
    item["help"] = o.help;
    item["type"] = o.type;
    item["range"] = o.range;
    item["unit"] = o.unit;
    item["default"] = o.fallback;
    item["choices"] = o.choices;
    list.append(item);
  }
  return list;
}

}  // namespace

std::vector<std::string> texts_of(const api::ListedOption& option, const py::handle& value) {
  if (option.type == "values") return pairs_of(option, value);
  const bool many = option.type == "list" || option.type == "numbers";
  if (many && !is_text(value) && py::hasattr(value, "__iter__")) {
    std::vector<std::string> texts;
    for (const py::handle& item : value)
      texts.push_back(option.type == "numbers" ? number_text(item) : item_text(item));
    return texts;
  }
  if (py::isinstance<py::bool_>(value)) return {value.cast<bool>() ? "yes" : "no"};
  if (option.type == "number" || option.type == "whole number") {
    if (is_text(value) || !PyNumber_Check(value.ptr())) wrong_type(option, value);
    // In the library it stands for what is not given; who gives it has computed something wrong.
    if (option.type == "number" && std::isnan(value.cast<double>()))
      throw api::InputError("error: " + option.keyword + " is nan\n");
  }
  return {item_text(value)};
}

void add_options(py::module_& module) {
  using List = std::vector<api::ListedOption> (*)(const std::string&);
  static const std::map<std::string, List> tables{
      {"simulate", api::option_list<api::SimulateOptions>},
      {"stiffness", api::option_list<api::StiffnessOptions>},
      {"steady", api::option_list<api::SteadyOptions>},
      {"ensemble", api::option_list<api::ParameterEnsembleOptions>},
      {"scan", api::option_list<api::ScanOptions>},
      {"compare", api::option_list<api::CompareOptions>},
      {"reduce", api::option_list<api::ReduceOptions>},
      {"integrate", api::option_list<api::IntegrateOptions>},
      {"objective", api::option_list<api::ObjectiveOptions>},
      {"evaluate", api::option_list<api::EvaluateOptions>},
      {"fit", api::option_list<api::FitOptions>},
      {"profile", api::option_list<api::ProfileOptions>},
      {"posterior", api::option_list<api::PosteriorOptions>},
  };
  module.def("options", [](const std::string& of) { return listed(tables.at(of)({})); });
}

}  // namespace stiffit::internal::python
