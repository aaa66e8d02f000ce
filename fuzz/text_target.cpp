// Text models, and as far as a run goes with them.
// SPDX-License-Identifier: Apache-2.0
#include "follow.h"
#include "read/text/read_text.h"
#include "target.h"

namespace stiffit {
namespace {

const std::string_view words[] = {"model m\n",
                                  "end\n",
                                  "species ",
                                  "compartment ",
                                  "const ",
                                  "var ",
                                  "formula ",
                                  " in ",
                                  "->",
                                  "=>",
                                  "<->",
                                  ";",
                                  ":=",
                                  "=",
                                  "'",
                                  "at (",
                                  "at 1 after (",
                                  "): ",
                                  "function ",
                                  "unit ",
                                  "import \"m.ant\"",
                                  "delete ",
                                  " is ",
                                  " has ",
                                  "$",
                                  "S",
                                  "A",
                                  "B",
                                  "k",
                                  "cell",
                                  "time",
                                  "piecewise(",
                                  "exp(",
                                  "-->",
                                  "-|",
                                  "#: end 10\n",
                                  "#: start 1\n",
                                  "memory(",
                                  "table(\"t.csv\", x)",
                                  "delay(",
                                  "rateOf(",
                                  "priority = ",
                                  "t0=false",
                                  "persistent=false",
                                  "fromTrigger=false",
                                  "x: m()",
                                  "A.S",
                                  "substanceOnly ",
                                  "\n",
                                  "//",
                                  "/*",
                                  "*/",
                                  "\"",
                                  "^",
                                  "2 A",
                                  "0.5 B",
                                  ",",
                                  "*"};

void run(std::string_view input) {
  const auto source = std::make_shared<const Source>("m.ant", std::string(input));
  Diagnostics diagnostics(source);
  const TextFiles files = [](const std::string& name) -> std::string {
    if (name != "t.csv") throw InputError("no such file");
    return "time,x\n0,1\n1,2\n2,1\n";
  };
  auto model = read_text(source, diagnostics, {}, files);
  render(diagnostics);
  must_hold(model.has_value() != diagnostics.has_errors(), "a model or an error");
  if (model) follow_model(std::move(*model));
}

}  // namespace

const FuzzTarget text_target{"text", 200, 6000, run, words};

}  // namespace stiffit
