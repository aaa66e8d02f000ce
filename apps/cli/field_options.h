// A command's options from the table of its fields.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fields.h"
#include "cli/command_line.h"

namespace stiffit::internal {

// Those that the command line shows, less those that every command has.
std::vector<OptionSpec> option_specs(const std::vector<FieldInfo>& fields);

template <class Options>
std::vector<OptionSpec> option_specs(const FieldTable<Options>& table) {
  return option_specs(infos(table));
}

// Options of the command line alone, which say where results go, after the one of that name.
void insert_after(std::vector<OptionSpec>& options, std::string_view name,
                  const std::vector<OptionSpec>& more);

// What is given on the command line; the other fields stay as they are. Throws OptionError.
template <class Options>
void read_fields(const FieldTable<Options>& table, const Arguments& arguments, Options& options) {
  for (const Field<Options>& f : table)
    if (f.shown(on_command_line) && arguments.has(f.name)) f.read(options, arguments.all(f.name));
}

}  // namespace stiffit::internal
