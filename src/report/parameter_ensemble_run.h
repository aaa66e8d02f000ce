// An ensemble of parameter sets, from its options to its bands, and what it leaves: the tables, the
// document and the page of its run's directory, and the page that was asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "analysis/ensemble/ensemble.h"
#include "analysis/pipeline/varied_parameters.h"
#include "estimation/pipeline/run_context.h"
#include "report/provenance.h"
#include "stiffit/results.h"

namespace stiffit::internal {

struct ParameterEnsembleRun {
  std::shared_ptr<const Model> model;  // with its settings made
  std::vector<ParameterDistribution> sampled;
  std::unique_ptr<Ensemble> ensemble;
  std::vector<api::DerivedDistribution> derived;
  Provenance provenance;
  bool interrupted = false;  // the bands are of what was done
  bool is_worker = false;    // another process has the results
};

// The options are checked already. Throws InputError and OptionError.
ParameterEnsembleRun run_parameter_ensemble(const std::shared_ptr<const Model>& model,
                                            const api::ParameterEnsembleOptions& options,
                                            const RunInputs& inputs, const RunContext& context);

}  // namespace stiffit::internal
