// SPDX-License-Identifier: Apache-2.0
#include "report/pypesto_hdf5.h"

#include <hdf5.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>

#include "base/diagnostic.h"

namespace stiffit::internal {
namespace {

// A handle that closes itself; a negative one is a failure.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    if (id < 0) throw std::runtime_error("HDF5 refused");
  }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void require(herr_t code) {
  if (code < 0) throw std::runtime_error("HDF5 refused");
}

// No time of writing inside: the same results are the same bytes.
Handle timeless(hid_t kind) {
  const hid_t list = H5Pcreate(kind);
  if (list >= 0) H5Pset_obj_track_times(list, false);
  return {list, H5Pclose};
}

Handle group(hid_t parent, const std::string& name) {
  Handle made = timeless(H5P_GROUP_CREATE);
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, made, H5P_DEFAULT), H5Gclose};
}

template <class T>
void dataset(hid_t parent, const char* name, hid_t type, const std::vector<T>& values,
             std::vector<hsize_t> shape = {}) {
  if (shape.empty()) shape = {values.size()};
  Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), H5Sclose);
  Handle made = timeless(H5P_DATASET_CREATE);
  Handle set(H5Dcreate2(parent, name, type, space, H5P_DEFAULT, made, H5P_DEFAULT), H5Dclose);
  if (!values.empty()) require(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
}

void numbers(hid_t parent, const char* name, const std::vector<double>& values,
             std::vector<hsize_t> shape = {}) {
  dataset(parent, name, H5T_NATIVE_DOUBLE, values, std::move(shape));
}

Handle text_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  require(H5Tset_size(type, H5T_VARIABLE));
  require(H5Tset_cset(type, H5T_CSET_UTF8));
  hid_t copy = H5Tcopy(type);
  return {copy, H5Tclose};
}

void texts(hid_t parent, const char* name, const std::vector<std::string>& values) {
  std::vector<const char*> pointers;
  for (const std::string& v : values) pointers.push_back(v.c_str());
  Handle type = text_type();
  dataset(parent, name, type, pointers);
}

void attribute(hid_t parent, const char* name, hid_t type, const void* value) {
  Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  Handle a(H5Acreate2(parent, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  require(H5Awrite(a, type, value));
}
void attribute(hid_t parent, const char* name, double value) {
  attribute(parent, name, H5T_NATIVE_DOUBLE, &value);
}
void attribute(hid_t parent, const char* name, long value) {
  attribute(parent, name, H5T_NATIVE_LONG, &value);
}
void attribute(hid_t parent, const char* name, bool value) {
  // h5py's booleans: an enumeration over a byte.
  Handle type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
  signed char no = 0, yes = 1;
  require(H5Tenum_insert(type, "FALSE", &no));
  require(H5Tenum_insert(type, "TRUE", &yes));
  attribute(parent, name, type, value ? &yes : &no);
}
void attribute(hid_t parent, const char* name, const std::string& value) {
  const char* pointer = value.c_str();
  Handle type = text_type();
  attribute(parent, name, type, &pointer);
}

void write_problem(hid_t file, const std::string& name,
                   const std::vector<EstimatedParameter>& unknowns) {
  std::vector<double> lower, upper;
  std::vector<std::string> names, scales;
  std::vector<long> free;
  for (const EstimatedParameter& u : unknowns) {
    free.push_back(names.size());
    lower.push_back(u.lower);
    upper.push_back(u.upper);
    names.push_back(u.id);
    scales.emplace_back(scale_name(u.scale));
  }
  Handle problem = group(file, "problem");
  for (const char* key : {"lb", "lb_full"}) numbers(problem, key, lower);
  for (const char* key : {"ub", "ub_full"}) numbers(problem, key, upper);
  texts(problem, "x_names", names);
  texts(problem, "x_scales", scales);
  dataset(problem, "x_free_indices", H5T_NATIVE_LONG, free);
  dataset(problem, "x_fixed_indices", H5T_NATIVE_LONG, std::vector<long>{});
  numbers(problem, "x_fixed_vals", {});
  numbers(problem, "x_fixed_values", {});
  attribute(problem, "dim", static_cast<long>(names.size()));
  attribute(problem, "dim_full", static_cast<long>(names.size()));
  attribute(problem, "config", "{\"type\": \"stiffit\", \"problem\": \"" + name + "\"}");
}

void write_provenance(hid_t file, const Provenance& provenance) {
  const ProvenanceParts parts = parts_of(provenance);
  Handle all = group(file, "provenance");
  attribute(all, "version", parts.version);
  Handle settings = group(all, "settings"), inputs = group(all, "inputs");
  for (auto& [name, value] : parts.settings) attribute(settings, name.c_str(), value);
  for (auto& [name, hash] : parts.inputs) attribute(inputs, name.c_str(), hash);
}

// pyPESTO's flags: 0 is success.
long exit_flag(FitOutcome outcome) {
  return outcome == FitOutcome::converged ? 0 : -1 - static_cast<long>(outcome);
}

void write_start(hid_t results, std::size_t rank, const StartResult& s) {
  Handle g = group(results, std::to_string(rank));
  hsize_t n = s.fit.x.size();
  numbers(g, "x", s.fit.x);
  numbers(g, "x0", s.fit.start);
  if (s.fit.usable()) {
    numbers(g, "grad", s.fit.at.gradient);
    numbers(g, "hess", s.fit.at.fisher, {n, n});
  }
  attribute(g, "id", std::to_string(s.index));
  double infinity = std::numeric_limits<double>::infinity();
  attribute(g, "fval", s.fit.usable() ? s.fit.at.value : infinity);
  attribute(g, "fval0", std::isnan(s.fit.start_value) ? infinity : s.fit.start_value);
  attribute(g, "n_fval", s.values + s.gradients);
  attribute(g, "n_grad", s.gradients);
  attribute(g, "n_hess", s.gradients);
  attribute(g, "n_res", 0L);
  attribute(g, "n_sres", 0L);
  attribute(g, "exitflag", exit_flag(s.fit.outcome));
  attribute(g, "time", s.seconds);
  attribute(g, "message", std::string(outcome_name(s.fit.outcome)) + ": " + s.fit.message);
  attribute(g, "optimizer", std::string("stiffit"));
}

void write_fit(hid_t file, const FitSummary& f) {
  Handle optimization = group(file, "optimization");
  Handle results = group(optimization, "results");
  std::size_t rank = 0;
  for (std::size_t i : f.order) write_start(results, rank++, f.starts[i]);
  for (const StartResult& s : f.starts)
    if (!s.fit.usable()) write_start(results, rank++, s);
}

void write_profile(hid_t parent, const ProfileSummary& p, const Profile* profile, std::size_t i) {
  Handle g = group(parent, std::to_string(i));
  attribute(g, "IsNone", profile == nullptr);
  if (!profile) return;
  std::vector<double> x, values, ratios;  // from the lower end to the upper one
  auto add = [&](const std::vector<double>& point, double value) {
    x.insert(x.end(), point.begin(), point.end());
    values.push_back(value);
    ratios.push_back(std::exp(p.best.at.value - value));
  };
  auto& low = profile->lower.points;
  for (auto point = low.rbegin(); point != low.rend(); ++point) add(point->x, point->value);
  add(p.best.x, p.best.at.value);
  for (const ProfilePoint& point : profile->upper.points) add(point.x, point.value);
  hsize_t count = values.size(), n = p.best.x.size();
  std::vector<double> columns(x.size());  // pyPESTO has one column per point
  for (hsize_t k = 0; k < count; ++k)
    for (hsize_t j = 0; j < n; ++j) columns[j * count + k] = x[k * n + j];
  std::vector<double> none(count, std::nan(""));
  numbers(g, "x_path", columns, {n, count});
  numbers(g, "fval_path", values);
  numbers(g, "ratio_path", ratios);
  numbers(g, "gradnorm_path", none);
  numbers(g, "exitflag_path", std::vector<double>(count, 0));
  numbers(g, "time_path", std::vector<double>(count, 0));
  long evaluations = 0;
  for (const ProfileSide* side : {&profile->lower, &profile->upper})
    if (!side->points.empty()) evaluations += side->points.back().evaluations;
  attribute(g, "time_total", 0.0);
  attribute(g, "n_fval", evaluations);
  attribute(g, "n_grad", 0L);
  attribute(g, "n_hess", 0L);
  attribute(g, "message", profile->lower.message + "; " + profile->upper.message);
}

void write_profiles(hid_t file, const ProfileSummary& p) {
  Handle profiling = group(file, "profiling");
  Handle first = group(profiling, "0");
  for (std::size_t i = 0; i < p.unknowns.size(); ++i) {
    const Profile* found = nullptr;
    for (const Profile& profile : p.profiles)
      if (profile.unknown == i) found = &profile;
    write_profile(first, p, found, i);
  }
}

}  // namespace

void write_pypesto_hdf5(const std::string& path, const FitSummary* fit,
                        const ProfileSummary* profile) {
  std::string temporary = path + ".partial";
  try {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // no messages on stderr from below
    Handle made = timeless(H5P_FILE_CREATE);
    Handle file(H5Fcreate(temporary.c_str(), H5F_ACC_TRUNC, made, H5P_DEFAULT), H5Fclose);
    if (fit)
      write_problem(file, fit->problem, fit->unknowns);
    else if (profile)
      write_problem(file, profile->problem, profile->unknowns);
    if (fit || profile) write_provenance(file, fit ? fit->provenance : profile->provenance);
    if (fit) write_fit(file, *fit);
    if (profile) write_profiles(file, *profile);
  } catch (const std::runtime_error&) {
    std::remove(temporary.c_str());
    throw InputError("error: " + path + " cannot be written");
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0)
    throw InputError("error: " + path + " cannot be written");
}

}  // namespace stiffit::internal
