// Every method of fitting that is registered: its entry makes sense, and it finds known minima.
// SPDX-License-Identifier: Apache-2.0
#include "estimation/optimizers/optimizer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "base/option_error.h"
#include "estimation/optimizers/trial_objectives.h"
#include "places.h"

namespace stiffit::internal {
namespace {

TEST(Optimizers, EntriesMakeSense) {
  std::set<std::string_view> names;
  for (const OptimizerEntry& entry : optimizers()) {
    const OptimizerTraits& t = entry.traits;
    EXPECT_TRUE(names.insert(t.name).second) << t.name << " is there twice";
    EXPECT_EQ(find_optimizer(t.name), &entry);
    EXPECT_EQ(t.linearity.empty(), entry.make != nullptr) << t.name;
    EXPECT_FALSE(t.population && t.gradient) << t.name;
    EXPECT_FALSE(t.as_start && t.linearity.empty()) << t.name;
    EXPECT_FALSE(t.shooting && !t.staged) << t.name;
    EXPECT_FALSE(t.path && t.distributable) << t.name << ": paths stay in this process";
  }
  EXPECT_TRUE(default_optimizer().make && !default_optimizer().traits.residuals);
  EXPECT_EQ(find_optimizer("none"), nullptr);
  try {
    named_optimizer("trust-regoin");
    ADD_FAILURE();
  } catch (const OptionError& error) {
    EXPECT_EQ(error.hint("--"), "did you mean 'trust-region'?");
  }
}

// In bold, alone or with others: **evolution, cma-es, differential-evolution**.
TEST(Optimizers, EachOneHasItsPlaceInTheDocs) {
  std::ifstream file(source_path("docs/fitting.md"));
  std::set<std::string> bold;
  for (std::string line; std::getline(file, line);) {
    const std::size_t end = line.find("**", 2);
    if (!line.starts_with("**") || end == std::string::npos) continue;
    std::istringstream names(line.substr(2, end - 2));
    for (std::string name; std::getline(names >> std::ws, name, ',');) bold.insert(name);
  }
  for (const OptimizerEntry& entry : optimizers())
    EXPECT_TRUE(bold.contains(std::string(entry.traits.name))) << entry.traits.name;
}

// An option of one method is refused by all that do not name it, and by no other.
TEST(Optimizers, OwnOptionsAreTakenByTheirOwners) {
  for (const OptimizerEntry& owner : optimizers())
    for (std::string_view own : owner.traits.options)
      for (const OptimizerEntry& other : optimizers()) {
        const auto& list = other.traits.options;
        const bool takes = std::find(list.begin(), list.end(), own) != list.end();
        auto given = [&](std::string_view name) { return name == own; };
        if (takes)
          EXPECT_NO_THROW(check_own_options(other.traits, given)) << other.traits.name;
        else
          EXPECT_THROW(check_own_options(other.traits, given), OptionError) << other.traits.name;
      }
}

// Rosenbrock's valley and a plain bowl, from both sides of the minimum.
TEST(Optimizers, EachOneFindsKnownMinima) {
  const std::vector<EstimatedParameter> unknowns{{"x", -3, 3, 0}, {"y", -3, 3, 0}};
  const TrialLeastSquares valley(unknowns, [](std::span<const double> x) {
    return std::vector<double>{10 * (x[1] - x[0] * x[0]), 1 - x[0]};
  });
  const TrialLeastSquares bowl(unknowns, [](std::span<const double> x) {
    return std::vector<double>{x[0] - 1, 2 * (x[1] - 1), 0.5 * (x[0] - x[1])};
  });
  for (const OptimizerEntry& entry : optimizers()) {
    if (!entry.make) continue;
    api::FitOptions options;
    options.method = entry.traits.name;
    const auto optimizer = entry.make(options);
    for (const Objective* objective :
         {static_cast<const Objective*>(&valley), static_cast<const Objective*>(&bowl)})
      for (const std::vector<double>& start : {std::vector<double>{-1.2, 1}, {2, 2.5}}) {
        const LocalFit fit = optimizer->minimize(*objective, start, {}, {});
        const double near = entry.traits.population ? 2e-2 : 1e-4;  // no descent ends it here
        EXPECT_NEAR(fit.x.at(0), 1, near) << entry.traits.name << ": " << fit.message;
        EXPECT_NEAR(fit.x.at(1), 1, near) << entry.traits.name << ": " << fit.message;
      }
    EXPECT_EQ(optimizer->most_generations() > 0, entry.traits.population) << entry.traits.name;
  }
}

// What each descent costs in Rosenbrock's valley. Sums and products alone decide here, so that the
// numbers are the same on every machine; populations draw with the machine's logarithms.
TEST(Optimizers, WorkInRosenbrocksValley) {
  const TrialLeastSquares valley({{"x", -3, 3, 0}, {"y", -3, 3, 0}}, [](std::span<const double> x) {
    return std::vector<double>{10 * (x[1] - x[0] * x[0]), 1 - x[0]};
  });
  struct Work {
    const char* method;
    std::vector<double> start;
    int iterations;
    long values, gradients;
  };
  for (const Work& work :
       {Work{"trust-region", {-1.2, 1}, 19, 20, 20}, Work{"trust-region", {2, 2.5}, 15, 17, 16},
        Work{"gauss-newton", {-1.2, 1}, 405, 818, 406}, Work{"gauss-newton", {2, 2.5}, 3, 4, 4},
        Work{"nelder-mead", {-1.2, 1}, 38, 216, 1}, Work{"nelder-mead", {2, 2.5}, 26, 153, 1}}) {
    api::FitOptions options;
    options.method = work.method;
    const LocalFit fit =
        named_optimizer(work.method).make(options)->minimize(valley, work.start, {}, {});
    EXPECT_EQ(fit.iterations, work.iterations) << work.method << " from " << work.start[0];
    EXPECT_EQ(fit.values, work.values) << work.method << " from " << work.start[0];
    EXPECT_EQ(fit.gradients, work.gradients) << work.method << " from " << work.start[0];
  }
}

}  // namespace
}  // namespace stiffit::internal
