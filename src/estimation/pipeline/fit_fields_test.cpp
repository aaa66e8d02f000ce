// The tables of fields of fits, profiles and ensembles.
// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/fit_fields.h"

#include <gtest/gtest.h>

#include "estimation/optimizers/optimizer.h"
#include "estimation/pipeline/evaluate_fields.h"
#include "sound_fields.h"

namespace stiffit::internal {
namespace {

TEST(FitFields, AreSound) {
  expect_sound(fit_fields());
  expect_sound(profile_fields());
  expect_sound(posterior_fields());
  expect_sound(objective_fields());
  expect_sound(evaluate_fields());
}

TEST(FitFields, DefaultsAreRight) {
  EXPECT_NO_THROW(check_options(api::FitOptions()));
  EXPECT_NO_THROW(check_options(api::ProfileOptions()));
  EXPECT_NO_THROW(check_options(api::PosteriorOptions()));
  EXPECT_NO_THROW(check_options(api::ObjectiveOptions()));
  EXPECT_NO_THROW(check_options(api::EvaluateOptions()));
}

// Options that a method names are fields.
TEST(FitFields, OptionsOfMethodsExist) {
  for (const OptimizerEntry& entry : optimizers())
    for (std::string_view name : entry.traits.options)
      EXPECT_NO_THROW(field_index(infos(search_fields()), name)) << name;
}

std::string words(const auto& options) {
  try {
    check_options(options);
  } catch (const OptionError& error) {
    return error.message("--");
  }
  return "right";
}

TEST(FitFields, WhatDoesNotGoTogether) {
  EXPECT_EQ(words(api::FitOptions{.parents = 3}),
            "--parents is for populations, not for trust-region");
  EXPECT_EQ(words(api::FitOptions{.method = "cma-es", .selection = "plus"}),
            "--selection is for the method evolution, not for cma-es");
  EXPECT_EQ(words(api::FitOptions{.method = "evolution", .parents = 9, .offspring = 3}),
            "--offspring is at least --parents: a generation is chosen from it");
  EXPECT_EQ(words(api::FitOptions{.resume = true}), "--resume needs the folder of the run, -o DIR");
  EXPECT_EQ(words(api::FitOptions{.method = "integral", .weight = {"x"}}),
            "--weight is \"ROW = formula\" or \"ROW,ROW = formula\", not 'x'");
  EXPECT_EQ(words(api::ProfileOptions{.fit = {.method = "integral"}}),
            "a profile needs a method that searches, not 'integral'");
  EXPECT_EQ(words(api::PosteriorOptions{.fit = {.method = "combined"}}),
            "an ensemble needs a method that searches, not 'combined'");
  EXPECT_EQ(words(api::PosteriorOptions{.temperatures = 3}),
            "--temperatures goes with --sampler tempered");
}

}  // namespace
}  // namespace stiffit::internal
