// SPDX-License-Identifier: Apache-2.0
#include "linear_fit_trial.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include "io/data/read_data.h"
#include "io/text/read_text.h"
#include "model/library/library.h"
#include "places.h"

namespace stiffit::internal {

FitProblem linear_problem(const std::string& model, const std::vector<std::string>& tables,
                          const std::string& estimate, const std::vector<std::string>& observes) {
  const LibraryModel* known = find_library_model(model);
  auto source =
      std::make_shared<const Source>("model.rxn", known ? std::string(known->text) : model);
  Diagnostics diagnostics(source);
  std::optional<Model> read = read_text(source, diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << render(diagnostics);
  DataRequest request;
  for (std::size_t k = 0; k < tables.size(); ++k)
    request.files.push_back({"data" + std::to_string(k + 1) + ".csv", tables[k]});
  request.estimates = {estimate};
  request.observes = observes;
  DataProblem data = read_data(std::make_shared<const Model>(std::move(*read)), request);
  EXPECT_TRUE(data.problem) << data.findings;
  return data.problem ? std::move(*data.problem) : FitProblem();
}

std::string reference_table(const std::string& name) {
  std::ifstream file(reference_path(name));
  if (!file) throw std::runtime_error("cannot read " + name);
  std::ostringstream text;
  text << file.rdbuf();
  std::string table = text.str();
  return "time" + table.substr(table.find(','));
}

double Noise::next() {
  if (kept_) {
    kept_ = false;
    return other_;
  }
  const double size = std::sqrt(-2 * std::log(random_.unit()));
  const double angle = 2 * std::numbers::pi * random_.unit();
  kept_ = true;
  other_ = size * std::sin(angle);
  return size * std::cos(angle);
}

std::vector<double> noisy(const FitProblem& problem, double sd, unsigned long long seed) {
  Noise noise(seed);
  std::vector<double> values;
  for (const Measurement& m : problem.measurements)
    values.push_back(m.time > 0 ? m.value + sd * noise.next() : m.value);
  return values;
}

double Moments::sd() const { return std::sqrt((squares - sum * sum / count) / (count - 1)); }

}  // namespace stiffit::internal
