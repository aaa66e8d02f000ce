// A fitting problem: a model, what was measured, what is unknown. Its objective and gradient for
// optimisers of your own; fits, profiles and ensembles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "stiffit/model.h"

namespace stiffit {
inline namespace api {

// A table of measurements. Without a text the name is that of a file.
struct DataTable {
  std::string name;
  std::string text = {};
};

// How noisy the measurements of tables are.
struct NoiseOptions {
  // "A340 = s", "A340 = s*A340 + s0", of one experiment "A340@curve1 = s1", of each its own
  // "A340@each = s". Names that nothing else knows are estimated.
  std::vector<std::string> formulas = {};
  std::string weights = {};       // what columns sd(...) are: absolute (default) or relative
  std::string distribution = {};  // normal (default), laplace, student-t[:FREEDOM|:?]
};

enum class Need { value, gradient, fisher };  // each includes the ones before

// The objective of a problem, compiled: a function of theta, the unknowns on their scales.
class Objective {
 public:
  const std::vector<EstimatedParameter>& unknowns() const;
  int data_count() const;
  bool least_squares() const;  // residuals and their jacobian are filled
  // May be called from several threads at once.
  Evaluation evaluate(const std::vector<double>& theta, Need need = Need::gradient) const;
  std::vector<Evaluation> values(const std::vector<std::vector<double>>& thetas,
                                 int threads = 0) const;
  // Every measurement beside its simulation. Throws NumericsError.
  std::vector<Datum> data(const std::vector<double>& theta) const;

  struct Impl;
  explicit Objective(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

// Whether a name is that of a PEtab problem, by its ending: else it is a model's.
bool is_petab(const std::string& name);

// Copies share what they hold. Everything may be called from several threads at once.
class Problem {
 public:
  // A PEtab YAML file of version 1 or 2. `only_beside`: reads files of its own folder only.
  static Problem petab(const std::string& path, const RunOptions& run = {},
                       bool only_beside = false);
  // Each estimate is name[=start][:low:high[:log|lin]], each observable NAME = formula.
  static Problem from_data(const Model& model, const std::vector<DataTable>& data,
                           const std::vector<std::string>& estimate,
                           const std::vector<std::string>& observe = {}, const RunOptions& run = {},
                           const NoiseOptions& noise = {});

  const std::string& name() const;
  const std::string& warnings() const;
  std::vector<EstimatedParameter> unknowns() const;
  // Between values and theta, in the order of the unknowns.
  std::vector<double> to_theta(const std::vector<double>& values) const;
  std::vector<double> to_values(const std::vector<double>& theta) const;

  Objective objective(const ObjectiveOptions& options = {}) const;
  PointEvaluation evaluate(const EvaluateOptions& options = {}) const;
  Fit fit(const FitOptions& options = {}) const;
  // Throw NumericsError if the fit that comes first finds nothing.
  Profiles profile(const ProfileOptions& options = {}) const;
  Posterior ensemble(const PosteriorOptions& options = {}) const;

  struct Impl;
  explicit Problem(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

 private:
  std::shared_ptr<const Impl> impl_;
};

}  // namespace api
}  // namespace stiffit
