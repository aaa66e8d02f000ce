// A command's options from the library's list of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command_line.h"
#include "stiffit/lists.h"

namespace stiffit::internal {

// Those that the command line shows, less those that every command has.
std::vector<OptionSpec> option_specs(const std::vector<api::ListedOption>& options);

template <class Options>
std::vector<OptionSpec> option_specs() {
  return option_specs(api::option_list<Options>("--"));
}

// Of every search for parameters: `fit`, and the fit that profiles and ensembles begin with.
std::vector<OptionSpec> search_options();

// Options of the command line alone, which say where results go, after the one of that name.
void insert_after(std::vector<OptionSpec>& options, std::string_view name,
                  const std::vector<OptionSpec>& more);

// What is given on the command line, checked. Throws api::OptionError.
template <class Options>
Options read_options(const Arguments& arguments) {
  Options options;
  for (const api::ListedOption& o : api::option_list<Options>())
    if (o.program && arguments.has(o.name)) api::set_option(options, o.name, arguments.all(o.name));
  api::validate(options);
  return options;
}

}  // namespace stiffit::internal
