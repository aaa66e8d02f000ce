// How stiff a model is along its time course: what `stiffit stiffness` finds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <memory>
#include <string>
#include <vector>

#include "analysis/pipeline/time_course.h"
#include "analysis/stiffness/stiffness.h"
#include "stiffit/results.h"

namespace stiffit::internal {

struct ModelStiffness {
  Stiffness stiffness;
  std::vector<std::string> names;  // of the states
  double span = 0;                 // that the index is of
};

// One for each entry of System::rates of this model.
std::vector<std::string> rate_names(const Model& model);

// `span` not_set: from the start to the last time. Throws InputError and OptionError; what goes
// wrong numerically is in the outcome.
ModelStiffness model_stiffness(const std::shared_ptr<const Model>& model,
                               const TimeCourseOptions& options, double span);

// As the library gives it.
api::Stiffness public_stiffness(const ModelStiffness& found);

struct ModelSpectrum {
  double time = 0;
  std::vector<std::complex<double>> eigenvalues;  // all of them
};
// At the times that the options ask for, as far as the run comes; nothing of models with more
// states, or with inputs. Throws InputError and OptionError.
std::vector<ModelSpectrum> model_spectra(const std::shared_ptr<const Model>& model,
                                         const TimeCourseOptions& options, int most_states);

}  // namespace stiffit::internal
