// What a fit, a profile or an ensemble with data leaves: the tables, documents and the page of its
// run's directory, and the page that was asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/pipeline/fit_pipeline.h"
#include "estimation/pipeline/posterior_pipeline.h"
#include "estimation/pipeline/profile_pipeline.h"

namespace stiffit::internal {

// Before anything long begins: whether the page can be written, and whoever watches the run by a
// file is told. Throws InputError.
void prepare_files(const api::FitOptions& options, RunContext& context);

// The tables' hashes become part of the provenance. Throw InputError. Nothing for workers.
void write_files(FitRun& run, const api::FitOptions& options, const RunContext& context);
void write_files(ProfileRun& run, const api::FitOptions& options);
void write_files(PosteriorRun& run, const api::FitOptions& options);

}  // namespace stiffit::internal
