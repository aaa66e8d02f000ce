// One model of a PEtab problem with the tables that speak of it -> a FitProblem. The model is
// extended by what the tables add to it: parameters, placeholders, formulas, values of conditions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "io/petab/petab_math.h"
#include "io/petab/petab_parameters.h"
#include "io/petab/tsv_table.h"
#include "model/fit_problem.h"

namespace stiffit::internal {

struct PetabTables {
  std::vector<TsvTable> conditions, experiments, observables, measurements, mappings;
  // Every file of the kind could be opened.
  bool conditions_complete = true, experiments_complete = true, observables_complete = true;
};

// What was used in any part, by id; the rest is worth a word.
struct PetabUsage {
  std::unordered_set<std::string> parameters, conditions, experiments, observables, mappings;
};

struct PetabPartInput {
  PetabVersion version = PetabVersion::v1;
  const PetabParameters& parameters;
  const PetabTables& tables;
  std::string model_id;        // of version 2
  bool only_measured = false;  // one of several models: what it does not measure may not fit it
  int first_row = 0;           // number of the first measurement of these tables
};

class PetabPart {
 public:
  PetabPart(const PetabPartInput& input, Model model, PetabUsage& usage);
  // Not to be used if anything was reported as an error.
  FitProblem read();

 private:
  // A cell of the condition table (version 1), or a row of it (version 2).
  struct Change {
    TsvRow row;
    std::string value_column, target_column;
    Cell target, value;
    Ref ref;
    ExprId expression = no_expr;
    bool keep = false;  // NaN in version 1
    std::vector<std::string> names;
  };
  struct Condition {
    TsvRow row;
    std::vector<Change> changes;
    bool resolved = false;
  };
  struct ObservableNeeds {
    std::size_t observable_placeholders = 0, noise_placeholders = 0;
    std::vector<std::string> outputs;  // parameters that only conditions give a value
  };

  // Names and the model (petab_part.cpp).
  void index_names();
  void note_use_in_model();
  void apply_mapping();
  void extend_model();
  void find_output_parameters();
  Ref find(std::string_view name);
  std::vector<std::string> all_names() const;
  MathNames names(const std::unordered_map<std::string, Ref>* local);
  Ref add_parameter(const std::string& id, double value);  // known to this caller only
  Ref add_symbol(const std::string& id, double value);     // known to all formulas
  std::string free_name(std::string name);
  std::string obstacle_of(Ref target) const;
  bool changes_in_time(Ref target) const;  // by a rate rule or an event
  void choose_measured();

  // Observables (petab_observables.cpp).
  void read_observables();
  void read_observable(const TsvRow& row);
  void read_noise_distribution(const TsvRow& row, ProblemObservable& observable);
  std::vector<Cell> placeholders_of(const TsvRow& row, std::string_view kind);

  // Conditions and experiments (petab_conditions.cpp, petab_experiments.cpp).
  void collect_conditions();
  void collect_wide(const TsvTable& table);
  void collect_long(const TsvTable& table);
  void resolve_conditions();
  void resolve(Condition& condition);
  void resolve_target(Change& change);
  void resolve_value(Change& change);
  ExprId model_value(Ref parameter);
  enum class When { first, after_equilibration, later };
  void apply(const std::string& condition, When when, Period& period);
  void read_experiments();
  void add_period(Experiment& experiment, double time, const std::vector<TsvRow>& rows);
  int experiment_of_conditions(const std::string& before, const std::string& condition);
  int experiment_without_changes();

  // Measurements (petab_measurements.cpp).
  void read_measurements();
  bool is_mine(const TsvRow& row) const;
  void read_measurement(const TsvRow& row, int number);
  int experiment_of(const TsvRow& row);
  void read_time(const TsvRow& row, Measurement& measurement);
  void read_value(const TsvRow& row, Measurement& measurement);
  void read_overrides(const TsvRow& row, std::string_view column, std::size_t count,
                      Measurement& measurement);
  void check_outputs(const TsvRow& row, const Measurement& measurement);
  void check_repeated();

  PetabVersion version_;
  const PetabParameters& table_;
  const PetabTables& tables_;
  std::string model_id_;
  bool only_measured_;
  int first_row_;
  PetabUsage& usage_;
  // False where a table could not be read: what it may have declared is then not called unknown.
  bool conditions_known_, experiments_known_, observables_known_;

  Model model_;
  FitProblem problem_;
  std::unordered_map<std::string, Ref> symbols_;
  std::unordered_set<std::string> taken_;  // ids of the model, also of what formulas cannot name
  std::unordered_map<std::string, int> parameter_index_;  // of problem_.parameters
  std::unordered_map<std::string, int> observable_index_;
  std::unordered_map<std::string, int> experiment_index_;
  std::vector<ObservableNeeds> needs_;  // per observable
  std::unordered_set<std::string> outputs_;
  std::map<std::string, Condition> conditions_;
  // What is measured with this model, if it is one of several.
  std::unordered_set<std::string> measured_observables_, measured_conditions_,
      measured_experiments_;
};

}  // namespace stiffit::internal
