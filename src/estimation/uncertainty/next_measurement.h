// Which one, three or five measurements more would narrow the limits of what is of interest most,
// and by how much: chosen in the linear theory around the best fit, then simulated as if they had
// been made. What is said is what that simulation gives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/objective/problem_objective.h"
#include "estimation/optimizers/local_fit.h"
#include "estimation/uncertainty/design/candidates.h"
#include "estimation/uncertainty/design/interest.h"
#include "estimation/uncertainty/statistics.h"

namespace stiffit::internal {

// What a design brings for one thing of interest.
struct DesignGain {
  std::string name;
  bool open = false;     // the data so far leave one of its sides open
  double factor = 0;     // by which its limits are narrower; NaN: it had none, or still has none
  double error = 0;      // standard, afterwards, on its scale
  Limits limits;         // that are to be expected then; NaN: none
  std::string verdict;   // of those, in words
  bool matters = false;  // it is worth being said
};

struct MeasurementDesign {
  std::vector<DesignPoint> points;
  std::vector<DesignGain> gains;  // of everything that is of interest
  double factor = 0;              // geometric mean over what had limits; NaN: nothing had
  std::string words;
};

struct MeasurementAdvice {
  std::vector<std::string> interest;
  std::vector<MeasurementDesign> designs;  // the smallest first; empty: nothing helps
  std::string nothing;                     // in words, where no measurement determines something
  std::vector<std::string> messages;       // on what was named as measurable and is not offered
};

struct AdviceRequest {
  std::vector<std::string> interest;    // empty: the parameters of the network
  std::vector<std::string> measurable;  // species that could be measured as well
  std::vector<Quantity> derived;
};

// `options` are those of the fit. Nothing where the fit is at no minimum, the size of the noise is
// not known, or the problem is so large that it would take long.
MeasurementAdvice next_measurements(const ProblemObjective& objective, const LocalFit& best,
                                    const FitStatistics& statistics,
                                    const std::vector<DerivedQuantity>& derived,
                                    const AdviceRequest& request, const ObjectiveOptions& options);

}  // namespace stiffit::internal
