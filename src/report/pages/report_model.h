// The model in a report: its text, its equations, how stiff it is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "model/model.h"
#include "ode/options.h"
#include "report/plots/page.h"

namespace stiffit::internal {

void add_model(HtmlPage& page, const std::shared_ptr<const Model>& model);

// A section on the stiffness of the model between two times, as it is. Where that cannot be said
// (delays, a run that fails, too many states), the section says why.
void add_stiffness(HtmlPage& page, const std::string& name,
                   const std::shared_ptr<const Model>& model, double start, double end,
                   const std::atomic<bool>* interrupt);

}  // namespace stiffit::internal
