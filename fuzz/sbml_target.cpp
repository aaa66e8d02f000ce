// SBML files, and as far as a run goes with them.
// SPDX-License-Identifier: Apache-2.0
#include "change_sbml.h"
#include "follow.h"
#include "io/sbml/read_sbml.h"
#include "target.h"

namespace stiffit::internal {
namespace {

void run(std::string_view input) {
  read_and_follow("m.xml", input, [](const auto& source, Diagnostics& diagnostics) {
    return read_sbml(source, diagnostics);
  });
}

}  // namespace

const FuzzTarget sbml_target{"sbml", 6000, 600, run, {}, change_sbml};

}  // namespace stiffit::internal
