// A model, written and read again, beside itself: do both give the same numbers?
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/model.h"

namespace stiffit::internal {

using SharedModel = std::shared_ptr<const Model>;

SharedModel text_model(const std::string& text);
SharedModel sbml_model(const std::string& text, const std::string& folder = {});
SharedModel net_model(const std::string& text);
SharedModel model_file(const std::string& path);

// Written and read again. Throws InputError, with the text, if the reader refuses it.
SharedModel through_text(const SharedModel& model);
SharedModel through_sbml(const SharedModel& model);
SharedModel through_net(const SharedModel& model);

// The first difference beyond `tolerance` times the largest size of that quantity, in words; empty
// if there is none. All species, compartments, variables, observables and rates are compared.
std::string first_difference(const SharedModel& model, const SharedModel& again, double end,
                             double tolerance);

}  // namespace stiffit::internal
