// A model, read once: simulate it, ask how stiff it is, where it rests, what an ensemble of its
// parameter sets does, which method suits it; reduce it, or write it in another language.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "stiffit/analysis.h"
#include "stiffit/options.h"
#include "stiffit/results.h"

namespace stiffit {
inline namespace api {

struct Reduction;

// Copies share what they hold. Everything may be called from several threads at once. A model that
// is simulated again with other values is not compiled again.
class Model {
 public:
  // A file (text, SBML, BioNetGen .net) or a name of models(); MODEL#submodel picks one of several.
  // All that makes a model throws Interrupted once `run.interrupt` is set.
  static Model load(const std::string& name, const RunOptions& run = {});
  // The model itself; of which kind it is, its content tells. `name` is for messages.
  static Model from_text(const std::string& text, const std::string& name = "model",
                         const RunOptions& run = {});

  // All of it, to be kept or sent elsewhere. Throws InputError if the model reads other files
  // (imports, tables), of which nothing is known here.
  struct Written {
    std::string text, name, submodel;
  };
  Written written() const;
  static Model from_written(const Written& written, const RunOptions& run = {});

  const std::string& name() const;
  const std::string& title() const;     // its own, in words; may be empty
  const std::string& warnings() const;  // rendered; empty if there are none

  using Values = std::vector<std::pair<std::string, double>>;
  Values species() const;     // with initial values, NaN where the model computes them
  Values parameters() const;  // and compartments
  std::vector<std::string> reactions() const;
  double end() const;  // the default end time of its time course; NaN: it has none

  TimeCourse simulate(const SimulateOptions& options = {}) const;
  // Is it right? `course` is what the options gave.
  Verification verify(const SimulateOptions& options, const TimeCourse& course) const;
  // It as one HTML file: curves, stiffness, the model, the numbers.
  std::string page(const SimulateOptions& options, const TimeCourse& course,
                   const CoursePage& more) const;
  Stiffness stiffness(const StiffnessOptions& options = {}) const;
  // All eigenvalues at the points of the time course, of models with at most so many states, and
  // without inputs; else nothing.
  std::vector<Spectrum> spectra(const StiffnessOptions& options, int most_states = 120) const;
  SteadyState steady(const SteadyOptions& options = {}) const;
  ParameterEnsemble ensemble(const ParameterEnsembleOptions& options) const;
  Scan scan(const ScanOptions& options) const;
  Comparison compare(const CompareOptions& options = {}) const;
  Reduction reduce(const ReduceOptions& options = {}) const;

  Equations equations() const;
  // `to`: text, antimony, sbml, c, latex or net. Throws InputError where that language cannot say
  // what the model means.
  Conversion convert(const std::string& to) const;

  struct Impl;
  explicit Model(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  const Impl& impl() const { return *impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
};

// The language of convert() that `to` names or, if it is empty, that the ending of the file means.
// Throws OptionError.
std::string language_to_write(const std::string& to, const std::string& file);

// A model in another form, run beside the one it was made of.
struct Reduction {
  Model model;
  std::string text = {};  // of it
  // It in another language, as Model::convert() does it.
  std::function<Conversion(const std::string& to)> convert = {};
  std::vector<std::string> fast = {}, constant = {};  // that were taken away and held
  std::string fastest = {};  // in words, where the fast species were proposed
  struct Row {
    std::string name;
    std::string how;  // solved (a formula), algebraic (0 = formula), conserved (a sum is kept)
    std::string formula;
  };
  std::vector<Row> rows = {};  // what stands for each species that was taken away

  // Of a polynomial form.
  struct Variable {
    std::string name, meaning;  // "" for one of the model
    double initial = 0;
  };
  std::vector<Variable> variables = {};
  std::size_t states = 0;                // of them of the model
  std::size_t polynomial_variables = 0;  // of the form that is polynomial, but not yet quadratic
  int polynomial_degree = 0, degree = 0;
  double held = 0;                 // the strength that products are held with; 0: they need not be
  std::string not_quadratic = {};  // why the polynomial form stands in for the quadratic one

  std::vector<ColumnDifference> differences = {};
  double worst = 0;           // the largest share
  std::string warnings = {};  // about the start, rendered
  std::string status = {},
              explanation = {};  // done; failed: one of the two runs, or they differ too much

  bool done() const { return status == "done"; }
};

}  // namespace api
}  // namespace stiffit
