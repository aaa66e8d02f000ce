// BioNetGen networks, and as far as a run goes with them.
// SPDX-License-Identifier: Apache-2.0
#include "follow.h"
#include "io/bng/read_bng.h"
#include "target.h"

namespace stiffit::internal {
namespace {

const std::string_view words[] = {"begin parameters\n",
                                  "end parameters\n",
                                  "begin species\n",
                                  "end species\n",
                                  "begin reactions\n",
                                  "end reactions\n",
                                  "begin groups\n",
                                  "end groups\n",
                                  "begin functions\n",
                                  "end functions\n",
                                  "begin molecule types\n",
                                  "    1 ",
                                  "k",
                                  "A()",
                                  "$B()",
                                  "1,2",
                                  "0",
                                  "2*1",
                                  "Sat ",
                                  "MM ",
                                  "Hill ",
                                  "FunctionProduct ",
                                  "f()",
                                  "f(x)",
                                  "#",
                                  "\n",
                                  "if(",
                                  "_pi",
                                  "time()",
                                  "*",
                                  "^",
                                  "\\\n",
                                  "Tfun"};

void run(std::string_view input) {
  read_and_follow("m.net", input, [](const auto& source, Diagnostics& diagnostics) {
    return read_bng(source, diagnostics);
  });
}

}  // namespace

const FuzzTarget net_target{"net", 320, 6000, run, words};

}  // namespace stiffit::internal
