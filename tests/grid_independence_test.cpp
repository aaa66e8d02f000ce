// Which rows a run shows and where it ends changes no bit of the rows: over the library, the
// curated models and the cases of the SBML suite that have events or switches.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/diagnostic.h"
#include "base/source.h"
#include "biomodel_names.h"
#include "compiled_model.h"
#include "io/sbml/read_sbml.h"
#include "ode/simulate.h"
#include "places.h"
#include "sanitized.h"
#include "symbolic/system_builder.h"

namespace stiffit::internal {
namespace {

long compared = 0;

// Nothing if it cannot be read.
std::optional<ResolvedSystem> resolve_sbml(const std::filesystem::path& file) {
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  const auto source = std::make_shared<const Source>(file.string(), text.str());
  Diagnostics diagnostics(source);
  std::optional<Model> model = read_sbml(source, diagnostics, file.parent_path().string());
  if (!model) return std::nullopt;
  SystemOptions options;
  options.start_time = 0;
  try {
    return resolve(std::make_shared<const Model>(std::move(*model)), options);
  } catch (const InputError&) {
    return std::nullopt;
  }
}

// Rows of a run to `end` against those of runs with other ends and other rows between.
void compare_grids(const std::string& name, ResolvedSystem resolved, double end) {
  const Problem problem = make_problem(compile(resolved.system, resolved.columns));
  const std::size_t columns = problem.program->output_names.size();
  IntegrationOptions options;
  options.max_steps = 20000;
  // Rows by their share of `end`: common ones are 1/4, 1/2 and, but for the short run, 1.
  auto run = [&](const std::vector<double>& shares) {
    Request request;
    for (double share : shares) request.times.push_back(share * end);
    return simulate(problem, request, options);
  };
  const Trajectory plain = run({0.25, 0.5, 1});
  if (plain.outcome.status != Status::done) return;  // no matter of the grid
  struct Other {
    std::vector<double> shares;
    std::vector<std::size_t> rows;  // that stand at 1/4, 1/2, 1
  };
  for (const Other& other : {Other{{0.25, 0.5}, {0, 1}}, Other{{0.25, 0.5, 1, 1.37}, {0, 1, 2}},
                             Other{{0.1, 0.25, 0.33, 0.4, 0.5, 0.77, 1, 3.9}, {1, 4, 6}}}) {
    const Trajectory made = run(other.shares);
    for (std::size_t k = 0; k < other.rows.size(); ++k) {
      if (made.rows_reached <= other.rows[k]) continue;  // gave up later on
      for (std::size_t c = 0; c < columns; ++c) {
        const double a = plain.outputs[k * columns + c];
        const double b = made.outputs[other.rows[k] * columns + c];
        ++compared;
        ASSERT_TRUE(a == b || (std::isnan(a) && std::isnan(b)))
            << name << " " << problem.program->output_names[c] << " row " << k << ", with "
            << other.shares.size() << " rows: " << a << " and " << b;
      }
    }
  }
}

TEST(GridIndependence, OfTheLibrary) {
  compared = 0;
  for (const char* name : {"oregonator", "robertson", "repressilator", "lotka-volterra", "escep",
                           "vdp1000", "water-stiff"})
    for (double end : {7.3, 100.0}) compare_grids(name, resolve_library(name), end);
  std::printf("%ld comparisons\n", compared);
}

TEST(GridIndependence, OfCuratedModels) {
  compared = 0;
  for (const std::string& name : thinned(biomodel_names(), 8))
    if (auto system = resolve_sbml(biomodels_folder() + "/" + name + ".xml"))
      compare_grids(name, std::move(*system), 40);
  std::printf("%ld comparisons\n", compared);
}

TEST(GridIndependence, OfSuiteCasesThatSwitch) {
  compared = 0;
  long cases = 0;
  STIFFIT_NEEDS_SHARED("sbml-suite/semantic");
  const std::filesystem::path suite = shared_path("sbml-suite/semantic");
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(suite))
    folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  for (const auto& folder : thinned(folders, 8)) {
    const std::string id = folder.filename().string();
    std::filesystem::path file = folder / (id + "-sbml-l3v2.xml");
    if (!std::filesystem::exists(file)) continue;
    std::stringstream text, settings;
    text << std::ifstream(file).rdbuf();
    settings << std::ifstream(folder / (id + "-settings.txt")).rdbuf();
    const std::string source = text.str();
    bool switches = false;
    for (const char* word : {"<event ", "<piecewise", "<floor", "<ceil", "<abs", "<lt/", "<gt/",
                             "<leq/", "<geq/", "<rem/", "<min/", "<max/"})
      switches |= source.find(word) != std::string::npos;

    if (!switches) continue;
    double end = 5;
    for (std::string line; std::getline(settings, line);)
      if (line.starts_with("duration:")) end = std::max(1e-3, std::atof(line.c_str() + 9));
    auto system = resolve_sbml(file);
    if (!system) continue;
    compare_grids(id, std::move(*system), end);
    ++cases;
  }
  std::printf("%ld comparisons in %ld cases\n", compared, cases);
  EXPECT_GT(cases, sanitized ? 20 : 200);
}

}  // namespace
}  // namespace stiffit::internal
