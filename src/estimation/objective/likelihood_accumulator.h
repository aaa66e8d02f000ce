// Takes predictions as experiments pass them and puts the objective together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimation/objective/experiment_run.h"
#include "estimation/objective/likelihood.h"
#include "estimation/objective/problem_objective.h"

namespace stiffit::internal {

class LikelihoodAccumulator : public MeasurementSink {
 public:
  LikelihoodAccumulator(std::size_t unknowns, std::size_t measurements) : unknowns_(unknowns) {
    predictions.resize(measurements);
  }

  void begin(const CompiledSubmodel& part, const CompiledExperiment& experiment) {
    part_ = &part;
    experiment_ = &experiment;
    const std::size_t columns = derivatives ? experiment.columns.size() : 0;
    local_gradient_.assign(columns, 0.0);
    local_fisher_.assign(fisher_wanted ? columns * columns : 0, 0.0);
  }

  // What the experiment added, by its own columns, goes to the unknowns.
  void finish() {
    const std::vector<int>& to = experiment_->columns;
    const std::size_t columns = local_gradient_.size();
    for (std::size_t k = 0; k < columns; ++k) {
      const auto u = static_cast<std::size_t>(to[k]);
      gradient[u] += local_gradient_[k];
      if (fisher_wanted)
        for (std::size_t l = 0; l < columns; ++l)
          fisher[u * unknowns_ + static_cast<std::size_t>(to[l])] += local_fisher_[k * columns + l];
    }
  }

  std::string take(int index, double time, ExperimentPoint& point, double* weights) override;
  void add_gradient(std::span<const double> by_column) override {
    for (std::size_t k = 0; k < by_column.size(); ++k) local_gradient_[k] += by_column[k];
  }

  bool derivatives = false, fisher_wanted = false, residuals_wanted = false, unknown_noise = false;
  double llh = 0, chi2 = 0, log_noise = 0;  // the last: sum of the logarithms of the weights
  std::vector<double> gradient, fisher;     // of minus llh
  std::vector<double> residuals, jacobian;
  // Of each residual, if wanted: its measurement, and the unknowns that its noise depends on.
  bool places_wanted = false;
  std::vector<int> residual_rows;
  std::vector<std::vector<int>> noise_unknowns;
  std::vector<Prediction> predictions;
  const std::vector<int>* outputs = nullptr;  // unknowns whose part in each measurement is wanted
  std::vector<OutputTerm> terms;
  const DataDraw* draw = nullptr;  // data in the place of the problem's own

 private:
  void fill_placeholders(const Measurement& m, ExperimentPoint& point) const;
  bool differentiate(const Differentiated& d, const LikelihoodTerm& term,
                     const ExperimentPoint& point, std::size_t active);
  void add_derivatives(const Differentiated& d, const LikelihoodTerm& term, double noise,
                       double* weights);
  void add_freedom(const LikelihoodTerm& term);
  void note_place(int row);
  void note_term(const Measurement& m, const ProblemObservable& o, double time,
                 ExperimentPoint& point);

  std::size_t unknowns_;
  const CompiledSubmodel* part_ = nullptr;
  const CompiledExperiment* experiment_ = nullptr;
  double count_ = 1;  // how often the measurement counts
  std::vector<double> local_gradient_, local_fisher_, result_, dh_, ds_, df_;
};

}  // namespace stiffit::internal
