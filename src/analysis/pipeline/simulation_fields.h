// The options of time courses and of what is found along them, each stated once (base/fields.h).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fields.h"
#include "stiffit/options.h"

namespace stiffit::internal {

const FieldTable<api::SimulateOptions>& simulate_fields();
const FieldTable<api::StiffnessOptions>& stiffness_fields();
const FieldTable<api::SteadyOptions>& steady_fields();
const FieldTable<api::ParameterEnsembleOptions>& parameter_ensemble_fields();
const FieldTable<api::ScanOptions>& scan_fields();
const FieldTable<api::CompareOptions>& compare_fields();
const FieldTable<api::ReduceOptions>& reduce_fields();
const FieldTable<api::IntegrateOptions>& integrate_fields();

// Each field by its rule, and all of them together. Throws OptionError. To be called before
// anything long begins.
void check_options(const api::SimulateOptions& options);
void check_options(const api::StiffnessOptions& options);
void check_options(const api::SteadyOptions& options);
void check_options(const api::ParameterEnsembleOptions& options);
void check_options(const api::ScanOptions& options);
void check_options(const api::CompareOptions& options);
void check_options(const api::ReduceOptions& options);
void check_options(const api::IntegrateOptions& options);

}  // namespace stiffit::internal
