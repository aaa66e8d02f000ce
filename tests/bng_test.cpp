// BioNetGen's own networks and results: every .net reproduces its .gdat.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "compiled_model.h"
#include "places.h"

namespace stiffit::internal {
namespace {

// Columns of a .gdat file by name.
struct Gdat {
  std::vector<std::string> names;  // without time
  std::vector<double> times;
  std::vector<std::vector<double>> columns;
};

Gdat read_gdat(const std::string& path) {
  std::ifstream file(path);
  std::string line, word;
  Gdat gdat;
  std::getline(file, line);
  std::stringstream head(line);
  while (head >> word)
    if (word != "#" && word != "time") gdat.names.push_back(word);
  gdat.columns.resize(gdat.names.size());
  while (std::getline(file, line)) {
    std::stringstream row(line);
    double value;
    if (!(row >> value)) continue;
    gdat.times.push_back(value);
    for (auto& column : gdat.columns) {
      row >> value;
      column.push_back(value);
    }
  }
  return gdat;
}

struct NetCase {
  std::string folder, net, gdat;
  double start = 0;
  // BioNetGen ran with tolerances of 1e-8; over a run that oscillates this grows.
  double accuracy = 5e-7;
  std::map<std::string, std::string> renamed = {};  // column -> group, where they differ
};
void PrintTo(const NetCase& test, std::ostream* out) { *out << test.gdat; }

const NetCase cases[] = {
    {"CaOscillate_Func",
     "CaOscillate_Func",
     "CaOscillate_Func",
     0,
     1e-5,
     {{"Ga", "G"}, {"PLC", "P"}, {"Ca", "C"}}},
    // The .net holds the state at t = 10, after the addition in the middle of the run.
    {"michment", "michment", "michment", 10},
    {"michment", "michment", "michment_cont", 10},
    {"nullrxs", "birth-death", "birth-death"},
    {"repressilator", "Repressilator", "Repressilator", 0, 5e-7},
    {"test_fixed", "test_fixed", "test_fixed"},
    {"test_synthesis_simple", "test_synthesis_simple", "test_synthesis_simple"},
    {"test_time", "test_time", "test_time", 0, 2e-6},
    {"toy-jim",
     "toy-jim",
     "toy-jim",
     0,
     5e-7,
     {{"L_total", "L_tot"}, {"A_total", "A_tot"}, {"K_total", "K_tot"}, {"R_total", "R_tot"}}},
};

// The column of that name, or else anything of that name: a group may share a parameter's name.
std::optional<Output> shown(ResolvedSystem& resolved, const std::string& name) {
  for (const Output& column : resolved.columns)
    if (column.name == name) return column;
  return resolved.find(name);
}

class Net : public testing::TestWithParam<NetCase> {};

TEST_P(Net, ReproducesItsGdat) {
  const NetCase& c = GetParam();
  const std::string folder = "bng-net/" + c.folder + "/";
  STIFFIT_NEEDS_SHARED(folder);
  const Gdat gdat = read_gdat(shared_path(folder + c.gdat + ".gdat"));
  ASSERT_GT(gdat.times.size(), 10u);
  SystemOptions at;
  at.start_time = c.start;
  ResolvedSystem resolved = resolve_net(shared_path(folder + c.net + ".net"), at);
  std::vector<Output> outputs;
  for (const std::string& name : gdat.names) {
    auto other = c.renamed.find(name);
    auto output = shown(resolved, other == c.renamed.end() ? name : other->second);
    ASSERT_TRUE(output) << name;
    outputs.push_back(*output);
  }
  Problem problem = make_problem(compile(resolved.system, outputs));
  Request request;
  request.start = c.start;
  std::size_t first = 0;
  // A run from the middle starts after the row of that time, which was written before the change.
  while (c.start > 0 && gdat.times[first] < c.start + 1e-9) ++first;
  request.times.assign(gdat.times.begin() + static_cast<long>(first), gdat.times.end());
  for (const char* method : {"automatic", "dopri5", "cvodes"}) {
    IntegrationOptions options;
    options.method = method;
    options.rtol = 1e-10;
    const Trajectory run = simulate(problem, request, options);
    ASSERT_EQ(run.outcome.status, Status::done);
    for (std::size_t k = 0; k < gdat.names.size(); ++k) {
      double largest = 0, apart = 0;
      for (std::size_t i = 0; i < request.times.size(); ++i) {
        double expected = gdat.columns[k][first + i];
        // BioNetGen itself is off where a rate is time(); the solution is t^2/2.
        if (c.gdat == "test_time" && gdat.names[k] == "x_builtin")
          expected = request.times[i] * request.times[i] / 2;
        largest = std::max(largest, std::fabs(expected));
        double here = std::fabs(run.outputs[i * gdat.names.size() + k] - expected);
        if (!(here <= apart)) apart = here;
      }
      EXPECT_LE(apart, c.accuracy * largest + 1e-12)
          << gdat.names[k] << " by " << method << ": " << apart / largest;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Every, Net, testing::ValuesIn(cases),
                         [](const testing::TestParamInfo<NetCase>& test) {
                           return test_name(test.param.gdat);
                         });

}  // namespace
}  // namespace stiffit::internal
