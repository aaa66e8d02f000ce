// A model in another form, run beside the old one: what `stiffit reduce` finds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/pipeline/curve_difference.h"
#include "analysis/reduce/quasi_steady.h"

namespace stiffit::internal {

struct ReductionOptions {
  // Without any of these the species of the fastest mode are taken.
  std::vector<std::string> fast;      // taken to be at rest at all times
  std::vector<std::string> constant;  // held at their initial values
  bool polynomial = false;            // the quadratic form instead, which stands alone
  bool composite = false;             // adds NAME_composite: fast species with their initial layer
  TimeCourseOptions course;           // both are compared along it; its `set` is made first
};

struct Reduction {
  std::shared_ptr<const Model> model;
  CurveDifference difference;  // from the model as it was
  std::string warnings;        // about the start, rendered
  std::string fastest;         // in words, where the fast species were proposed

  std::vector<std::string> fast, constant;  // that were taken away and held
  std::vector<QuasiSteadyRow> rows;         // what stands for each that was taken away

  struct Polynomial {
    std::vector<std::string> names, meaning;  // of each variable; "" for one of the model
    std::vector<double> initial;
    std::size_t states = 0, polynomial_variables = 0;  // of the model, of the polynomial form
    int polynomial_degree = 0, degree = 0;
    double strength = 0;        // that products are held with; 0: they need not be
    std::string not_quadratic;  // why the polynomial form stands in for the quadratic one
  };
  std::optional<Polynomial> polynomial;

  // The equations are the same, but the run in floating-point numbers is not. Empty: it is.
  std::string strays() const;
};

// Throws OptionError and InputError.
Reduction reduce_model(const std::shared_ptr<const Model>& model, const ReductionOptions& options);

}  // namespace stiffit::internal
