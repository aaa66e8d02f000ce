// SPDX-License-Identifier: Apache-2.0
#include "report/pypesto_hdf5.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace stiffit::internal;
namespace fs = std::filesystem;

namespace {

StartResult start(std::size_t index, double value, std::vector<double> x) {
  StartResult s;
  s.index = index;
  s.values = 5;
  s.gradients = 7;
  s.seconds = 0.25;
  s.fit.outcome = FitOutcome::converged;
  s.fit.message = "converged: no further improvement";
  s.fit.start = {0, 0};
  s.fit.start_value = 99;
  s.fit.x = std::move(x);
  s.fit.at.value = value;
  s.fit.at.gradient = {1e-8, -1e-8};
  s.fit.at.fisher = {2, 1, 1, 3};
  return s;
}

// Written here and read back by h5py, as pyPESTO's reader does: datasets with [:], the rest as
// attributes of the groups.
TEST(PypestoHdf5, ReadBackByH5py) {
  if (std::system("/usr/bin/python3 -c 'import h5py' 2> /dev/null") != 0) GTEST_SKIP() << "no h5py";
  fs::path folder = fs::temp_directory_path() / ("stiffit_hdf5_" + std::to_string(getpid()));
  fs::create_directories(folder);
  FitSummary fit;
  fit.problem = "p";
  fit.unknowns = {{"k1", -3, 3, 0, Scale::log10}, {"k2", 0, 10, 1}};
  fit.starts = {start(0, 5.5, {1, 2}), start(1, 3.25, {0.5, 4})};
  fit.starts.push_back(start(2, 0, {0, 0}));
  fit.starts[2].fit.outcome = FitOutcome::failed;
  fit.starts[2].fit.at.failure = "no";
  fit.order = {1, 0};
  ProfileSummary profile;
  profile.unknowns = fit.unknowns;
  profile.best = fit.starts[1].fit;
  Profile p;
  p.unknown = 1;
  p.lower.points = {{3.5, 3.75, 1, {0.6, 3.5}, 0.5, 20}, {3, 5.25, 4, {0.7, 3}, 0, 40}};
  p.upper.points = {{4.5, 3.5, 0.5, {0.4, 4.5}, 0.5, 21}};
  profile.profiles = {p};
  fit.provenance = {{"version", "1.2"}, {"seed", "7"}, {"input some/data.tsv", "ab12"}};
  for (int i = 0; i < 30; ++i)
    fit.provenance["input data" + std::to_string(i)] = std::string(64, 'e');
  fit.provenance["long"] = std::string(100000, 'x');
  write_pypesto_hdf5(folder / "result.hdf5", &fit, &profile);
  std::ofstream(folder / "check.py") << R"(
import h5py, numpy, math
f = h5py.File('result.hdf5', 'r')
p = f['/problem']
assert list(p['lb'][:]) == [-3, 0] and list(p['ub_full'][:]) == [3, 10]
assert [n.decode() for n in p['x_names'][:]] == ['k1', 'k2']
assert p.attrs['dim'] == 2 and list(p['x_free_indices'][:]) == [0, 1]
assert p['x_fixed_vals'][:].size == 0
r = f['/optimization/results']
assert sorted(r) == ['0', '1', '2']
assert r['0'].attrs['fval'] == 3.25 and r['0'].attrs['id'] == '1'
assert list(r['0']['x'][:]) == [0.5, 4] and list(r['0']['x0'][:]) == [0, 0]
assert r['0']['hess'][:].tolist() == [[2, 1], [1, 3]]
assert r['0'].attrs['n_fval'] == 12 and r['0'].attrs['n_grad'] == 7
assert r['0'].attrs['exitflag'] == 0 and r['0'].attrs['time'] == 0.25
assert r['0'].attrs['fval0'] == 99
assert r['1'].attrs['fval'] == 5.5
assert r['2'].attrs['fval'] == math.inf and r['2'].attrs['exitflag'] != 0
q = f['/profiling/0']
assert q['0'].attrs['IsNone'] and not q['1'].attrs['IsNone']
assert q['1']['x_path'][:].shape == (2, 4)
assert list(q['1']['x_path'][1]) == [3, 3.5, 4, 4.5]
assert list(q['1']['fval_path'][:]) == [5.25, 3.75, 3.25, 3.5]
assert abs(q['1']['ratio_path'][1] - math.exp(-0.5)) < 1e-15
assert q['1'].attrs['n_fval'] == 61
w = f['/provenance']
assert w.attrs['version'] == '1.2' and w['settings'].attrs['seed'] == '7'
assert len(w['settings'].attrs['long']) == 100000
assert w['inputs'].attrs['some/data.tsv'] == 'ab12' and len(w['inputs'].attrs) == 31
)";
  EXPECT_EQ(std::system(("cd " + folder.string() + " && /usr/bin/python3 check.py").c_str()), 0);
  fs::remove_all(folder);
}

// HDF5 keeps the second in which an object was written, if it is let.
TEST(PypestoHdf5, TheSameResultsAreTheSameBytes) {
  fs::path folder = fs::temp_directory_path() / ("stiffit_hdf5_same_" + std::to_string(getpid()));
  fs::create_directories(folder);
  FitSummary fit;
  fit.problem = "p";
  fit.provenance = {{"version", "1.2"}, {"seed", "7"}, {"input data.tsv", "ab12"}};
  fit.unknowns = {{"k1", -3, 3, 0, Scale::log10}, {"k2", 0, 10, 1}};
  fit.starts = {start(0, 5.5, {1, 2})};
  fit.order = {0};
  auto bytes = [&](const char* name) {
    write_pypesto_hdf5(folder / name, &fit, nullptr);
    std::ifstream file(folder / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string first = bytes("first.hdf5");
  sleep(2);
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(first, bytes("second.hdf5"));
  fs::remove_all(folder);
}

}  // namespace
