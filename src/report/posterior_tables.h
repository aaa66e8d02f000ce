// An ensemble that fits the data, for people, for programs, and for the run's directory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/pipeline/posterior_run.h"

namespace stiffit::internal {

std::string posterior_text(const Posterior& posterior);
std::vector<std::string> place_words(const Posterior& posterior);
std::string posterior_json(const Posterior& posterior);
std::string marginals_tsv(const Posterior& posterior);
std::string draws_csv(const PosteriorDraws& draws, const std::vector<EstimatedParameter>& unknowns);
std::string course_bands_csv(const Posterior& posterior);

}  // namespace stiffit::internal
