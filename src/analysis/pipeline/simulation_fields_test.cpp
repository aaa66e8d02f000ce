// The tables of fields of time courses and of what is found along them.
// SPDX-License-Identifier: Apache-2.0
#include "analysis/pipeline/simulation_fields.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "sound_fields.h"

namespace stiffit::internal {
namespace {

TEST(SimulationFields, AreSound) {
  expect_sound(simulate_fields());
  expect_sound(stiffness_fields());
  expect_sound(steady_fields());
  expect_sound(parameter_ensemble_fields());
  expect_sound(scan_fields());
  expect_sound(compare_fields());
  expect_sound(reduce_fields());
  expect_sound(integrate_fields());
}

TEST(SimulationFields, DefaultsAreRight) {
  EXPECT_NO_THROW(check_options(api::SimulateOptions()));
  EXPECT_NO_THROW(check_options(api::StiffnessOptions()));
  EXPECT_NO_THROW(check_options(api::SteadyOptions()));
  EXPECT_NO_THROW(check_options(api::CompareOptions()));
  EXPECT_NO_THROW(check_options(api::ReduceOptions()));
  EXPECT_NO_THROW(check_options(api::IntegrateOptions()));
}

TEST(SimulationFields, WordsReadBack) {
  api::SimulateOptions simulate;
  simulate.start = -1.5;
  simulate.times = {0.1, 1.0 / 3, 1e300};
  simulate.set = {{"k1", 1.0 / 7}, {"A(b,c)", -2}, {"x=y", 3}};
  simulate.assumed_size = 2.5;
  simulate.show = {"S", "rate(J)", "A(b,c)"};
  simulate.amounts = true;
  simulate.sensitivities = {"k1"};
  simulate.eigenvalues = {{-40, 0}, {-5, 3}};
  simulate.lanes = 4;
  simulate.run.threads = 3;
  expect_words_read_back(simulate_fields(), simulate);
  api::ParameterEnsembleOptions ensemble;
  ensemble.sample = {{"k1", "lognormal(1,0.2)"}, {"S", "uniform(0,1)"}};
  ensemble.seed = 12345678901;
  ensemble.histogram = 7;
  expect_words_read_back(parameter_ensemble_fields(), ensemble);
  api::CompareOptions compare;
  compare.methods = {"rodas5p", "bdf"};
  compare.errors = {1e-3, 1e-7};
  expect_words_read_back(compare_fields(), compare);
}

std::string complaint(const auto& options) {
  try {
    check_options(options);
  } catch (const OptionError& error) {
    return error.message("--");
  }
  return "nothing is wrong";
}

std::string read_complaint(const auto& table, auto options, const char* name, const char* text) {
  try {
    read_field(table, name, {text}, options);
  } catch (const OptionError& error) {
    return error.message("--");
  }
  return "read";
}

// A struct that a program fills is told the same words as a command line.
TEST(SimulationFields, StructsAndWordsAreToldTheSame) {
  const api::SimulateOptions plain;
  api::SimulateOptions o = plain;
  o.rtol = 0;
  EXPECT_EQ(complaint(o), "--rtol needs a number above zero, not '0'");
  EXPECT_EQ(complaint(o), read_complaint(simulate_fields(), plain, "rtol", "0"));
  o = plain;
  o.points = 0;
  EXPECT_EQ(complaint(o), "--points needs a whole number above zero, not '0'");
  EXPECT_EQ(complaint(o), read_complaint(simulate_fields(), plain, "points", "0"));
  o = plain;
  o.end = std::numeric_limits<double>::infinity();
  EXPECT_EQ(complaint(o), "--end needs a number, not 'inf'");
  EXPECT_EQ(complaint(o), read_complaint(simulate_fields(), plain, "end", "inf"));
  o = plain;
  o.set = {{"k", std::nan("")}};
  EXPECT_EQ(complaint(o), "--set k needs a number, not 'nan'");
  EXPECT_EQ(complaint(o), read_complaint(simulate_fields(), plain, "set", "k=nan"));
  api::CompareOptions c;
  c.errors = {1e-3, -1};
  EXPECT_EQ(complaint(c), "--errors needs positive numbers, not '-1'");
  EXPECT_EQ(complaint(c), read_complaint(compare_fields(), api::CompareOptions(), "errors", "-1"));
}

TEST(SimulationFields, WhatDoesNotGoTogetherIsRefused) {
  api::SimulateOptions o;
  o.times = {1, 2};
  o.end = 3;
  EXPECT_EQ(complaint(o), "--times and --end exclude each other");
  o = {};
  o.step = 2;
  o.max_step = 1;
  EXPECT_EQ(complaint(o), "--step is longer than --max-step");
  o = {};
  o.eigenvalues = {{-1, 0}};
  EXPECT_NE(complaint(o).find("is for fitted methods"), std::string::npos) << complaint(o);
  o = {};
  o.method = "rodas5p";
  o.max_order = 3;
  EXPECT_NE(complaint(o).find("--max-order"), std::string::npos) << complaint(o);
  api::ParameterEnsembleOptions ensemble;
  EXPECT_NE(complaint(ensemble).find("at least one --sample"), std::string::npos);
  ensemble.sample = {{"k", "uniform(0,1)"}};
  ensemble.resume = true;
  EXPECT_EQ(complaint(ensemble), "--resume needs the folder of the run");
  ensemble.resume = false;
  ensemble.sample.push_back({"k", "uniform(0,2)"});
  EXPECT_EQ(complaint(ensemble), "--sample gives 'k' twice");
  api::ScanOptions scan;
  scan.vary = {{"k", {}}};
  EXPECT_EQ(complaint(scan), "--vary: there are no values of 'k'");
}

}  // namespace
}  // namespace stiffit::internal
