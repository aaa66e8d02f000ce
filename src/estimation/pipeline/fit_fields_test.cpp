// The tables of fields of fits, profiles and ensembles.
// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/fit_fields.h"

#include <gtest/gtest.h>

#include <set>

#include "estimation/optimizers/optimizer.h"

namespace stiffit {
namespace {

template <class Options>
void expect_sound(const FieldTable<Options>& table) {
  std::set<std::string> names, keywords;
  for (const Field<Options>& f : table) {
    EXPECT_TRUE(names.insert(f.name).second) << f.name;
    EXPECT_TRUE(keywords.insert(f.keyword()).second) << f.keyword();
    EXPECT_FALSE(f.help.empty()) << f.name;
    EXPECT_NE(f.surfaces, 0u) << f.name;
    EXPECT_EQ(f.value.empty(), f.type == "flag") << f.name;
    EXPECT_FALSE(f.given(Options{})) << f.name;
    // A page may not name files of the server.
    for (const char* file : {"FILE", "DIR"})
      EXPECT_FALSE(f.shown(on_server) && f.value.find(file) != std::string::npos) << f.name;
    // Every choice can be had, and the default is one of them.
    for (const std::string& choice : f.choices) {
      Options o;
      EXPECT_NO_THROW(f.read(o, {choice})) << f.name << " " << choice;
      EXPECT_EQ(f.text(o), choice) << f.name;
    }
    EXPECT_TRUE(f.choices.empty() || f.fallback.empty() ||
                std::find(f.choices.begin(), f.choices.end(), f.fallback) != f.choices.end())
        << f.name;
    // What the help says of the default is the default.
    const std::size_t at = f.help.find("(default ");
    if (at != std::string::npos && !f.fallback.empty() && f.fallback != "0" &&
        f.help.compare(at - 1, 1, " ") == 0) {
      const std::string said = f.help.substr(at + 9, f.help.find_first_of("),", at) - at - 9);
      EXPECT_EQ(said, f.fallback) << f.name;
    }
  }
}

TEST(FitFields, AreSound) {
  expect_sound(fit_fields());
  expect_sound(profile_fields());
  expect_sound(posterior_fields());
}

TEST(FitFields, DefaultsAreRight) {
  EXPECT_NO_THROW(check_options(api::FitOptions()));
  EXPECT_NO_THROW(check_options(api::ProfileOptions()));
  EXPECT_NO_THROW(check_options(api::PosteriorOptions()));
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
  EXPECT_EQ(words(api::FitOptions{.weight = {"x"}}),
            "--weight is \"ROW = formula\" or \"ROW,ROW = formula\", not 'x'");
  EXPECT_EQ(words(api::ProfileOptions{.fit = {.method = "integral"}}),
            "a profile needs a method that searches, not 'integral'");
  EXPECT_EQ(words(api::PosteriorOptions{.fit = {.method = "combined"}}),
            "an ensemble needs a method that searches, not 'combined'");
  EXPECT_EQ(words(api::PosteriorOptions{.temperatures = 3}),
            "--temperatures goes with --sampler tempered");
}

}  // namespace
}  // namespace stiffit
