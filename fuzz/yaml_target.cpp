// The YAML file of a PEtab problem; the files it may name are those of a good problem.
// SPDX-License-Identifier: Apache-2.0
#include "io/petab/petab_for_test.h"
#include "target.h"

namespace stiffit::internal {
namespace {

const std::string_view words[] = {"format_version: ",
                                  "1",
                                  "2.0.0",
                                  "parameter_file: p.tsv\n",
                                  "parameter_files: [p.tsv]\n",
                                  "problems:\n- ",
                                  "condition_files: ",
                                  "[c.tsv]",
                                  "measurement_files: ",
                                  "[m.tsv]",
                                  "observable_files: ",
                                  "[o.tsv]",
                                  "sbml_files: ",
                                  "[model.ant]",
                                  "model_files:\n",
                                  "  conversion:\n",
                                  "    location: model.ant\n",
                                  "    language: antimony\n",
                                  "experiment_files: [e.tsv]\n",
                                  "mapping_files: []\n",
                                  "extensions: {}\n",
                                  "id: x\n",
                                  "- ",
                                  "  ",
                                  ": ",
                                  "[",
                                  "]",
                                  "{",
                                  "}",
                                  "&a ",
                                  "*a",
                                  "!!str ",
                                  "\"",
                                  "'",
                                  "|\n",
                                  ">\n",
                                  "# ",
                                  "---\n",
                                  "...\n",
                                  "~",
                                  "<<: *a\n",
                                  "? "};

void run(std::string_view input) {
  static const TestFiles files = conversion_v2(), files_v1 = conversion_v1();
  const bool second = input.find("model_files") != std::string_view::npos;
  const TestFiles& named = second ? files : files_v1;
  const PetabReading reading = read_petab("p.yaml", [&](const std::string& path) {
    if (path == "p.yaml") return std::string(input);
    auto found = named.find(path);
    if (found == named.end()) throw InputError("error: no such file\n");
    return found->second;
  });
  reading.text();
  must_hold(reading.problem.has_value() != reading.has_errors(), "a problem or an error");
}

}  // namespace

const FuzzTarget yaml_target{"yaml", 300, 2000, run, words};

}  // namespace stiffit::internal
