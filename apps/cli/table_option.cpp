// SPDX-License-Identifier: Apache-2.0
#include "cli/table_option.h"

#include <filesystem>

#include "base/files/output_file.h"
#include "report/json.h"

namespace stiffit::internal {

OptionSpec csv_option() {
  return {"output", "FILE", "write the CSV to FILE instead of stdout", 'o', false, false};
}

OptionSpec report_option(const std::string& help) {
  return {"report", "FILE.html", help, 0, false, false};
}

OptionSpec plot_option(const std::string& help) {
  return {"plot", "FILE.svg", help, 0, false, false};
}

void require_writable_files(const Arguments& arguments) {
  for (const char* option : {"output", "plot", "report"})
    if (arguments.has(option)) require_writable(arguments.text(option));
}

OptionSpec provenance_option() {
  return {"provenance",
          "FILE.json",
          "version, settings, seed and SHA-256 of the inputs and of the table",
          0,
          false,
          false};
}

void check_provenance_option(const Arguments& arguments, const char* table) {
  if (!arguments.has("provenance")) return;
  if (!arguments.has(table))
    throw UsageError(std::string("--provenance needs --") + table + ", the table it speaks of",
                     "a JSON document (--json) holds it by itself");
  require_writable(arguments.text("provenance"));
}

void deliver_table(const Arguments& arguments, const Provenance& provenance,
                   const std::string& text, const char* table) {
  if (!arguments.has(table)) return;
  const std::string path = arguments.text(table);
  write_file(path, text);
  if (!arguments.has("provenance")) return;
  Provenance all = provenance;
  add_table(all, std::filesystem::path(path).filename().string(), text);
  JsonWriter json;
  json.begin_object();
  write_provenance(json, all);
  write_file(arguments.text("provenance"), json.end_object().text());
}

}  // namespace stiffit::internal
