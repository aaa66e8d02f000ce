// Options from the keyword arguments of Python, by the library's own tables of fields.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "convert.h"
#include "stiffit/lists.h"

namespace stiffit::internal::python {

// A value as the texts that the option is read from: of a list, each of its items, of a mapping
// name=value. Throws what Python says of a wrong type.
std::vector<std::string> texts_of(const api::ListedOption& option, const py::handle& value);

// The options of `given` that are not the caller's own; those of Run are its own always.
template <class Options>
void set_all(const py::dict& given, Options& options,
             std::initializer_list<std::string_view> own = {}) {
  static const std::vector<api::ListedOption> list = api::option_list<Options>();
  for (const auto& [key, value] : given) {
    const std::string name = py::str(key);
    if (name == "progress" || name == "threads" || value.is_none() ||
        std::find(own.begin(), own.end(), name) != own.end())
      continue;
    const auto known = std::find_if(list.begin(), list.end(), [&](const api::ListedOption& o) {
      return o.python && o.keyword == name;
    });
    // One that there is not: the error names the nearest.
    const std::vector<std::string> texts =
        known == list.end() ? std::vector<std::string>{} : texts_of(*known, value);
    api::set_option(options, name, texts);
  }
}

void add_options(py::module_& module);  // the function `options` of the module

}  // namespace stiffit::internal::python
