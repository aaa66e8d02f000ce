// Text models, and as far as a run goes with them.
// SPDX-License-Identifier: Apache-2.0
#include "follow.h"
#include "io/text/read_text.h"
#include "target.h"

namespace stiffit::internal {
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
                                  "import \"m.rxn\"",
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

std::string file_beside(const std::string& name) {
  if (name != "t.csv") throw InputError("no such file");
  return "time,x\n0,1\n1,2\n2,1\n";
}

void run(std::string_view input) {
  for (const char* name : {"m.rxn", "m.ant"})  // both dialects
    read_and_follow(name, input, [](const auto& source, Diagnostics& diagnostics) {
      return read_text(source, diagnostics, {}, file_beside);
    });
}

}  // namespace

const FuzzTarget text_target{"text", 200, 6000, run, words};

}  // namespace stiffit::internal
