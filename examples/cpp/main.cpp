// A model, its time course, and the rate constants that fit three progress curves.
// SPDX-License-Identifier: Apache-2.0
#include <stiffit/stiffit.h>

#include <cstdio>

int main(int count, char** words) {
  const std::string folder = count > 1 ? words[1] : "../escep";
  try {
    const auto model = stiffit::Model::load(folder + "/escep.rxn");
    const auto course = model.simulate({.end = 1200, .set = {{"S", 2}}}).or_throw();
    std::printf("P after %g s: %.4f mM in %ld steps\n", course.times.back(),
                course.column("P").back(), course.steps);

    const auto problem = stiffit::Problem::from_data(
        model, {{folder + "/low.csv"}, {folder + "/middle.csv"}, {folder + "/high.csv"}},
        {"k1,k2,off=0"}, {"A405 = 10*P + off"});
    const auto fit = problem.fit();
    for (const auto& p : fit.parameters)
      std::printf("%-4s %8.4f  (%.4f to %.4f)\n", p.id.c_str(), p.estimate, p.low, p.high);

    const auto objective = problem.objective();
    const auto at = objective.evaluate(problem.to_theta({1, 0.5, 0}));
    std::printf("objective at k1 = 1, k2 = 0.5: %.4f, gradient %.2f %.2f %.2f\n", at.value,
                at.gradient[0], at.gradient[1], at.gradient[2]);
  } catch (const stiffit::InputError& error) {
    std::fputs(error.what(), stderr);
    return 1;
  } catch (const stiffit::NumericsError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
