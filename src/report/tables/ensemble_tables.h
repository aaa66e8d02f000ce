// An ensemble as tables: bands, histograms, failures, rows of single samples, and the JSON result.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/ensemble/ensemble.h"
#include "analysis/pipeline/varied_parameters.h"
#include "report/provenance.h"
#include "stiffit/results.h"

namespace stiffit::internal {

std::string bands_csv(const Ensemble& ensemble);
// Equal bins between the smallest and the largest value of each cell.
std::string histograms_csv(const Ensemble& ensemble, long bins);
std::string failures_csv(const Ensemble& ensemble,
                         const std::vector<ParameterDistribution>& sampled);
std::string ensemble_json(const Ensemble& ensemble,
                          const std::vector<ParameterDistribution>& sampled,
                          const std::vector<api::DerivedDistribution>& derived,
                          const std::string& model, const Provenance& provenance);

// Rows of every sample: its number, what was drawn, time, columns. What failed has nan from there.
std::string samples_header(const Ensemble& ensemble,
                           const std::vector<ParameterDistribution>& sampled);
void append_sample(std::string& text, const Ensemble& ensemble, long sample,
                   std::span<const double> table);

}  // namespace stiffit::internal
