// The work of read_data, step by step: formulas of --observe, columns and rows of the tables,
// unknowns, checks. Findings are kept per source and rendered at the end, so that all are seen at
// once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "io/data/estimate_option.h"
#include "io/data/influence.h"
#include "io/data/read_data.h"
#include "io/table/table.h"
#include "io/text/read_formula.h"

namespace stiffit::internal {

class DataReader {
 public:
  DataReader(const Model& model, const DataRequest& request) : model_(model), request_(request) {}
  DataProblem read();

 private:
  enum class ColumnKind { time, experiment, replicate, start_value, measured, error, ignored };
  struct Column {
    ColumnKind kind = ColumnKind::ignored;
    Ref target;           // of a start value
    std::string name;     // of a start value
    int observable = -1;  // of what is measured
    int errors = -1;      // of what is measured: the column of its errors
  };
  // What an experiment sets at its start: a number, or an unknown of its own.
  struct StartValue {
    Ref target;
    std::string name;
    std::optional<double> number;  // nothing: unknown
    TableCell cell;
  };
  struct Trial {  // an experiment while it is read
    std::vector<StartValue> start_values;
    Diagnostics* diagnostics = nullptr;
    Span span;
    std::set<int> measured;                     // observables
    std::map<std::string, double> last_time;    // by replicate
    std::map<std::string, std::uint32_t> rows;  // by replicate, time and values: where
  };
  // One --noise option: of which observable, in which experiments.
  struct NoiseFormula {
    std::string observable, experiment;  // "": all, "each": parameters of its own for each
    Formula formula;
    Diagnostics* diagnostics = nullptr;  // about the option as it was written
    Span name, place;                    // of observable and experiment in it
    bool used = false;
  };
  struct ReadTable {
    Table table;
    Diagnostics* diagnostics;
    std::string file, stem;
    std::vector<Column> columns;
    std::vector<StartValue> settings;
  };

  // Formulas (data_formulas.cpp).
  void read_formulas();
  void add_formula_parameters();
  bool knows_all_names(const Formula& formula, Diagnostics& diagnostics);
  int observable_of(const std::string& name, const TableCell& cell, Diagnostics& diagnostics);
  int add_observable(const std::string& name, std::int32_t formula, const TablePlace& place);
  ExprId quantity(const std::string& name);

  // Noise (data_noise.cpp).
  void read_noise_options();
  void add_noise();
  void add_noise_of(int observable);
  void add_distribution(ProblemObservable& observable);
  ExprId noise_level();
  int add_noise_parameter(const std::string& name, const std::string& said, double start,
                          bool proportional = true);

  // Columns (data_columns.cpp).
  void read_files();
  void read_columns(ReadTable& file);
  Column classify(const TableCell& cell, ReadTable& file);
  void pair_errors(ReadTable& file);
  std::optional<Ref> settable(const std::string& name, const TableCell& cell,
                              Diagnostics& diagnostics);
  void read_settings(ReadTable& file, TableNumbers& numbers);

  // Rows (data_rows.cpp).
  void read_rows(ReadTable& file, TableNumbers& numbers);
  int experiment_of(const TableRow& row, ReadTable& file, TableNumbers& numbers,
                    std::map<std::string, int>& known);
  void read_row(const TableRow& row, ReadTable& file, TableNumbers& numbers,
                std::map<std::string, int>& known);
  std::optional<double> read_value(const TableCell& cell, Censoring& censoring,
                                   TableNumbers& numbers, Diagnostics& diagnostics);
  bool check_time(double time, const TableCell& cell, Trial& trial, const std::string& replicate,
                  Diagnostics& diagnostics);
  void warn_constant_data(const ReadTable& file, std::size_t first_measurement);

  // Unknowns (data_unknowns.cpp).
  void add_unknowns();
  void add_unknown(const Estimate& estimate);
  void add_unknown_of_trial(std::size_t trial, const StartValue& value);
  void add_assignments();
  double model_value(Ref ref) const;
  bool computed(Ref ref) const;
  bool varies(Ref ref) const;
  double largest_datum() const;
  std::string suggestion(const std::string& name, bool measured) const;

  // Checks (data_checks.cpp).
  void check_errors_given();
  void check_amount_of_data();
  void check_influences();

  Diagnostics& diagnostics_about(const std::string& name, const std::string& text);
  bool has_errors() const;
  DataProblem finish();

  Model model_;
  const DataRequest& request_;
  std::deque<Diagnostics> findings_;  // options first, then files
  std::size_t option_sources_ = 0;
  std::vector<Estimate> estimates_;
  std::deque<std::pair<Formula, Diagnostics*>> formulas_;
  std::deque<NoiseFormula> noises_;
  std::deque<Diagnostics> noise_sources_;  // what the formulas' texts are views into
  std::set<std::string> noise_names_;      // that only noise formulas know
  NoiseKind distribution_ = NoiseKind::normal;
  double freedom_ = not_set;  // given degrees of freedom; NaN: estimated
  bool relative_ = false;
  Diagnostics* weights_source_ = nullptr;
  int common_level_ = -1;  // of problem_.parameters: a level that all noise is multiplied by
  std::deque<ReadTable> files_;
  FitProblem problem_;
  std::vector<Trial> trials_;               // beside problem_.experiments
  std::vector<Ref> unknown_targets_;        // beside problem_.parameters: what it sets
  std::vector<int> unknown_trials_;         // beside problem_.parameters: -1 for all
  std::map<std::string, int> observables_;  // by the column's name
};

// What the problem itself calls its parts. Ids of the model have no brackets, so nothing clashes.
std::string start_name(const std::string& name);                                 // S(0)
std::string trial_name(const std::string& name, const std::string& experiment);  // S@curve1

}  // namespace stiffit::internal
