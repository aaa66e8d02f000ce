// SPDX-License-Identifier: Apache-2.0
#include "io/data/read_data.h"

#include <algorithm>

#include "io/data/data_reader.h"

namespace stiffit::internal {

DataProblem read_data(const std::shared_ptr<const Model>& model, const DataRequest& request) {
  return DataReader(*model, request).read();
}

DataProblem DataReader::read() {
  problem_.id = model_.id;
  problem_.source = model_.source ? model_.source->name() : model_.id;
  for (const std::string& option : request_.estimates)
    for (Estimate& e : parse_estimates(diagnostics_about("--estimate", option)))
      estimates_.push_back(std::move(e));
  read_formulas();
  read_noise_options();
  option_sources_ = findings_.size();
  read_files();
  check_errors_given();
  add_unknowns();
  if (!has_errors()) {
    add_assignments();
    check_amount_of_data();
    check_influences();
  }
  return finish();
}

Diagnostics& DataReader::diagnostics_about(const std::string& name, const std::string& text) {
  return findings_.emplace_back(std::make_shared<Source>(name, text));
}

bool DataReader::has_errors() const {
  return std::any_of(findings_.begin(), findings_.end(),
                     [](const Diagnostics& d) { return d.has_errors(); });
}

DataProblem DataReader::finish() {
  DataProblem result;
  bool in_files = false;
  for (std::size_t i = 0; i < findings_.size(); ++i) {
    result.findings += render(findings_[i]);
    in_files |= i >= option_sources_ && findings_[i].has_errors();
    for (const Diagnostic& d : findings_[i].items())
      problem_.warnings.push_back(render(d, findings_[i].source()));
  }
  if (has_errors()) {
    result.only_options_wrong = !in_files;
    return result;
  }
  problem_.model = std::make_shared<const Model>(std::move(model_));
  result.problem = std::move(problem_);
  return result;
}

}  // namespace stiffit::internal
