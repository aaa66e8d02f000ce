// No unit is special: any of the states in any unit, and the result is the same. Every model of the
// library and every curated one at hand; factors from 1e-30 to 1e30, each state with its own.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "biomodel_names.h"
#include "io/files/load_model.h"
#include "model/library/library.h"
#include "ode/method_registry.h"
#include "ode/simulate.h"
#include "rescaled_system.h"

namespace stiffit::internal {
namespace {

constexpr long most_steps = 20000;

struct Ready {
  ResolvedSystem resolved;
  Problem problem;
  Request request;
};

// The model in other units if there is a seed.
Ready prepare(const std::string& path, unsigned long seed, int lanes) {
  Ready r;
  const auto loaded = load_model(path);
  r.resolved = resolve(loaded.model);
  System& system = r.resolved.system;
  if (seed) rescale(r.resolved, random_units(static_cast<int>(system.states.size()), seed));
  ProgramOptions options;
  options.lanes = lanes;
  r.problem = make_problem(compile(system, r.resolved.columns, options));
  const double start = system.start_time;
  const double end = loaded.model->end_time > start ? loaded.model->end_time : start + 100;
  r.request.start = start;
  for (int i = 0; i <= 50; ++i) r.request.times.push_back(start + (end - start) * i / 50);
  return r;
}

Trajectory run(const Ready& r, const IntegrationOptions& options) {
  if (r.problem.program->lanes == 1) return simulate(r.problem, r.request, options);
  const std::vector<Request> requests(2, r.request);
  return simulate_many(r.problem, requests, options, 1)[1];
}

// The largest difference in units of a column's largest value.
double difference(const Trajectory& a, const Trajectory& b, std::size_t columns) {
  double worst = 0;
  for (std::size_t k = 0; k < columns; ++k) {
    double top = 0, most = 0;
    for (std::size_t i = k; i < a.outputs.size(); i += columns) {
      if (!std::isfinite(a.outputs[i])) continue;
      top = std::max(top, std::fabs(a.outputs[i]));
      const double apart = std::fabs(a.outputs[i] - b.outputs[i]);
      if (!(apart <= most)) most = apart;
    }
    if (top > 0 && !(most / top <= worst)) worst = most / top;
  }
  return worst;
}

struct Tally {
  int compared = 0, left = 0;
};

void compare(const std::string& path, const IntegrationOptions& options, unsigned long seed,
             int lanes, Tally& tally) {
  const Ready plain = prepare(path, 0, lanes);
  const bool fast = !plain.resolved.system.equilibrium.states.empty();
  if (fast || !refusal(plain.problem, options).empty()) {
    ++tally.left;
    return;
  }
  const Trajectory a = run(plain, options);
  if (a.outcome.status == Status::too_many_steps) {  // not this method's problem
    ++tally.left;
    return;
  }
  const Ready other = prepare(path, seed, lanes);
  const Trajectory b = run(other, options);
  ++tally.compared;
  EXPECT_EQ(a.outcome.status, b.outcome.status)
      << path << ' ' << options.method << ' ' << describe(b.outcome, {});
  if (a.outcome.status != b.outcome.status) return;
  const std::size_t columns = plain.problem.program->output_names.size();
  const double apart = difference(a, b, columns);
  if (apart <= 100 * options.rtol) return;
  // Two runs of a method may be as far apart as they are from the truth, where the model magnifies
  // the last bit.
  IntegrationOptions tight;
  tight.rtol = 1e-11;
  const Trajectory truth = run(prepare(path, 0, 1), tight);
  EXPECT_LE(apart, 2 * difference(truth, a, columns))
      << path << ' ' << options.method << " seed " << seed << " lanes " << lanes;
}

// Methods of low order get on at loose tolerances only.
IntegrationOptions options_of(const std::string& method) {
  IntegrationOptions options;
  options.method = method;
  options.max_steps = most_steps;
  if (find_method(method)->order <= 3) options.rtol = 1e-4;
  return options;
}

std::vector<std::string> library_paths() {
  std::vector<std::string> paths;
  for (const LibraryModel& model : library_models())
    if (model.text.size() < 20000) paths.emplace_back(model.name);
  return paths;
}

std::vector<std::string> biomodel_paths() {
  std::vector<std::string> paths;
  for (const std::string& name : biomodel_names())
    if (name != "BIOMD0000000408")  // takes longer than all others together
      paths.push_back(biomodels_folder() + "/" + name + ".xml");
  return paths;
}

class NoUnitIsSpecial : public testing::TestWithParam<std::string> {};

TEST_P(NoUnitIsSpecial, InModelsOfTheLibrary) {
  const IntegrationOptions options = options_of(GetParam());
  Tally tally;
  for (const std::string& path : library_paths())
    for (unsigned long seed = 1; seed <= (sanitized ? 1 : 3); ++seed)
      compare(path, options, seed, 1, tally);
  RecordProperty("compared", tally.compared);
  EXPECT_GT(tally.compared, sanitized ? 3 : 10);
}

// The default method on all, the others on a sample each.
TEST_P(NoUnitIsSpecial, InCuratedModels) {
  const IntegrationOptions options = options_of(GetParam());
  const auto paths = biomodel_paths();
  const bool whole = options.method == "automatic" && !sanitized;
  const std::size_t stride = whole ? 1 : sanitized ? 31 : 6;
  Tally tally;
  for (std::size_t k = options.method.size() % stride; k < paths.size(); k += stride)
    compare(paths[k], options, 11 + k, 1, tally);
  RecordProperty("compared", tally.compared);
  if (paths.empty()) GTEST_SKIP() << "no curated models here";
  // A sample of four may hold none that every method gets through.
  if (!sanitized) {
    EXPECT_GT(tally.compared, 0);
  }
}

std::vector<std::string> adaptive_methods() {
  std::vector<std::string> names;
  for (const MethodEntry& entry : method_entries())
    if (!entry.fixed_step_only) names.emplace_back(entry.info.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Methods, NoUnitIsSpecial, testing::ValuesIn(adaptive_methods()),
                         [](const auto& one) {
                           std::string name = one.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(NoUnitIsSpecialInLanes, OfTheLibraryAndCuratedModels) {
  Tally tally;
  std::vector<std::string> paths = library_paths();
  const auto more = biomodel_paths();
  for (std::size_t k = 0; k < more.size(); k += sanitized ? 40 : 8) paths.push_back(more[k]);
  for (const char* method : {"automatic", "bdf"}) {
    IntegrationOptions options;
    options.method = method;
    options.max_steps = most_steps;
    for (const std::string& path : paths) compare(path, options, 5, 8, tally);
  }
  RecordProperty("compared", tally.compared);
  EXPECT_GT(tally.compared, 20);
}

}  // namespace
}  // namespace stiffit::internal
