// Tables stay tables, which other programs read: where they came from stands in a JSON document
// beside them, which names each with its SHA-256.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/provenance.h"
#include "runtime/checkpoint/run_folder.h"
#include "workbench/command_line.h"

namespace stiffit {

// A table of a run's folder. The JSON of the run is written after it, with `provenance`.
void write_table(const RunFolder& folder, const std::string& name, const std::string& text,
                 Provenance& provenance);
// One that has grown there.
void note_table(const RunFolder& folder, const std::string& name, Provenance& provenance);

// --provenance FILE, of commands that write a single table.
OptionSpec provenance_option();
// Throws UsageError or InputError if it cannot be had. `table`: the option that names the table.
void check_provenance_option(const Arguments& arguments, const char* table = "output");
// Writes the table that the option names, if it is given, and that file.
void deliver_table(const Arguments& arguments, const Provenance& provenance,
                   const std::string& text, const char* table = "output");

}  // namespace stiffit
