// The options of fits, profiles and ensembles with data, each stated once (base/fields.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fields.h"
#include "stiffit/options.h"

namespace stiffit::internal {

// Those that fits have wherever they are made: of `fit`, and before profiles and ensembles.
const FieldTable<api::FitOptions>& search_fields();
// Of a fit that is asked for itself: these and its own.
const FieldTable<api::FitOptions>& fit_fields();
const FieldTable<api::ProfileOptions>& profile_fields();
const FieldTable<api::PosteriorOptions>& posterior_fields();

// Each field by its rule, and all of them together. Throws OptionError. To be called before
// anything long begins.
void check_options(const api::FitOptions& options);
void check_options(const api::ProfileOptions& options);
void check_options(const api::PosteriorOptions& options);

}  // namespace stiffit::internal
