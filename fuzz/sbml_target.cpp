// SBML files, and as far as a run goes with them.
// SPDX-License-Identifier: Apache-2.0
#include "change_sbml.h"
#include "follow.h"
#include "read/sbml/read_sbml.h"
#include "target.h"

namespace stiffit {
namespace {

void run(std::string_view input) {
  const auto source = std::make_shared<const Source>("m.xml", std::string(input));
  Diagnostics diagnostics(source);
  auto model = read_sbml(source, diagnostics);
  render(diagnostics);
  must_hold(model.has_value() != diagnostics.has_errors(), "a model or an error");
  if (model) follow_model(std::move(*model));
}

}  // namespace

const FuzzTarget sbml_target{"sbml", 6000, 600, run, {}, change_sbml};

}  // namespace stiffit
