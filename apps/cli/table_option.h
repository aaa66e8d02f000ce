// The table of a command that writes a single one (`-o FILE`), and `--provenance FILE` beside it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/command_line.h"
#include "report/provenance.h"

namespace stiffit::internal {

// -o FILE of those that write CSV to stdout else.
OptionSpec csv_option();
// --report FILE.html and --plot FILE.svg; the page or the picture has what `help` says.
OptionSpec report_option(const std::string& help);
OptionSpec plot_option(const std::string& help);
// Throws InputError if a file that one of these names cannot be written.
void require_writable_files(const Arguments& arguments);
// --provenance FILE, of commands that write a single table.
OptionSpec provenance_option();
// Throws UsageError or InputError if it cannot be had. `table`: the option that names the table.
void check_provenance_option(const Arguments& arguments, const char* table = "output");
// Writes the table that the option names, if it is given, and that file.
void deliver_table(const Arguments& arguments, const Provenance& provenance,
                   const std::string& text, const char* table = "output");

}  // namespace stiffit::internal
