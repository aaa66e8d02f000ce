// Tables of measurements with a small model; lines `# estimate ...` and `# observe ...` stand for
// the options. Every number that gets through is finite.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <sstream>

#include "io/data/read_data.h"
#include "io/table/table.h"
#include "io/text/read_text.h"
#include "target.h"

namespace stiffit::internal {
namespace {

const std::string_view words[] = {"time",
                                  "S",
                                  "P",
                                  "total",
                                  "sd",
                                  "noise",
                                  ",",
                                  ";",
                                  "\t",
                                  "\"",
                                  "#",
                                  "\n",
                                  "\r\n",
                                  "1,5",
                                  "E",
                                  "k1",
                                  "=",
                                  "# estimate k2\n",
                                  "# observe y = 2*P\n",
                                  "# S = 2\n",
                                  ".sd",
                                  ":",
                                  "log",
                                  "# experiment = a\n",
                                  "experiment"};

std::shared_ptr<const Model> enzyme() {
  auto source = std::make_shared<Source>("m.rxn",
                                         "species S = 1, E = 0.01, C = 0, P = 0\n"
                                         "E + S <-> C; k1, k_1\nC -> E + P; k2\n"
                                         "k1 = 1; k_1 = 1; k2 = 0.5\ntotal := S + C + P\n");
  Diagnostics diagnostics(source);
  return std::make_shared<const Model>(*read_text(source, diagnostics));
}

void run(std::string_view input) {
  static const std::shared_ptr<const Model> model = enzyme();
  DataRequest request;
  request.files.push_back({"d.csv", std::string(input)});
  std::istringstream lines(request.files[0].text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# estimate ")) request.estimates.push_back(line.substr(11));
    if (line.starts_with("# observe ")) request.observes.push_back(line.substr(10));
  }
  if (request.estimates.empty()) request.estimates.push_back("k2");
  const DataProblem read = read_data(model, request);
  if (!read.problem) {
    must_hold(!read.findings.empty(), "a problem or a finding");
    return;
  }
  for (const Measurement& m : read.problem->measurements)
    must_hold(std::isfinite(m.value) && std::isfinite(m.time), "measurements are numbers");
  for (const ProblemParameter& p : read.problem->parameters)
    must_hold(!p.estimated || (std::isfinite(p.nominal) && p.lower <= p.upper),
              "an unknown has a start and bounds");
}

}  // namespace

const FuzzTarget csv_target{"csv", 256, 8000, run, words};

}  // namespace stiffit::internal
