// SPDX-License-Identifier: Apache-2.0
#include "reference_problems.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

#include "places.h"

namespace stiffit::internal {
namespace {

// As the source prints it: the third reaction runs back with H2O and OH.
std::string water_with_oh(const std::string& kf1, const std::string& hydrogen) {
  return R"(model water_oh
  species H2, O2, O, H, OH, H2O;
  H2 + O <-> H + OH; kf1, kb1;
  H + O2 <-> O + OH; kf2, kb2;
  H2 + OH -> H2O + H; kf3*H2*OH - kb3*H2O*OH;
  kb1 = 1.2; kf2 = 1.4; kb2 = 0.6; kf3 = 1.0; kb3 = 1.3;
  O2 = 3; O = 4; H = 5; OH = 6; H2O = 7;
)" + ("  kf1 = " + kf1 + "; H2 = " + hydrogen + ";\nend\n");
}

std::vector<ReferenceProblem> list_problems() {
  std::vector<ReferenceProblem> list;
  auto from_library = [&](std::string name, std::string file, std::string model) {
    ReferenceProblem problem;
    problem.name = std::move(name);
    problem.file = std::move(file);
    problem.model = std::move(model);
    list.push_back(std::move(problem));
    return list.end() - 1;
  };
  for (int y0 = -1; y0 <= 4; ++y0) {
    std::string number = std::to_string(y0);
    auto at = from_library("hemker" + (y0 < 0 ? "m1" : number), "hemker_1_2", "hemker-scalar");
    at->changes = {{"y", y0}};
    at->columns = {{"y", "y(y0=" + number + ")"}};
  }
  from_library("escep_a", "escep_a", "escep-dimensionless")->changes = {
      {"eps", 0.1}, {"p", 1.5}, {"q", 1}};
  from_library("escep_b", "escep_b", "escep-dimensionless")->changes = {
      {"eps", 0.01}, {"p", 1.5}, {"q", 1}};
  auto escep_c = from_library("escep_c", "escep_c", "escep-dimensionless");
  escep_c->changes = {{"eps", 1e-4}, {"p", 2}, {"q", 1.5}};
  escep_c->explicit_methods_crawl = true;
  from_library("lotka", "lotka_x_sens", "lotka");
  for (std::string kind : {"nonstiff", "moderate", "stiff"}) {
    auto h = from_library("water_" + kind + "_H", "water_" + kind + "_H", "water-" + kind);
    h->explicit_methods_crawl = kind == "stiff";
    auto oh = from_library("water_" + kind + "_OH", "water_" + kind + "_OH", "");
    oh->text = water_with_oh(kind == "stiff" ? "1000.3" : "1.3", kind == "nonstiff" ? "10" : "1e4");
    oh->explicit_methods_crawl = kind == "stiff";
  }
  from_library("vdp1", "vdp1", "vdp1");
  auto vdp1000 = from_library("vdp1000", "vdp1000", "vdp1000");
  vdp1000->skip_from = 806;  // the jump: there an error of 1e-12 in time is one of 1e-10 in y2
  vdp1000->skip_to = 808;
  vdp1000->explicit_methods_crawl = true;
  from_library("oregonator", "oregonator", "oregonator");
  from_library("repressilator", "repressilator", "repressilator");
  from_library("stiff1000", "stiff1000", "stiff1000");
  from_library("bk51", "bk51_solution", "oscillator-k51");
  from_library("bk52", "bk52_solution", "enzyme-reversible");
  return list;
}

std::vector<std::string> cells(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();
  std::vector<std::string> list;
  std::stringstream stream(line);
  for (std::string cell; std::getline(stream, cell, ',');) list.push_back(cell);
  return list;
}

}  // namespace

CompiledModel compile_problem(const ReferenceProblem& problem) {
  return compile_model(problem.model.empty() ? resolve_text(problem.name, problem.text)
                                             : resolve_library(problem.model));
}

const std::vector<ReferenceProblem>& reference_problems() {
  static const std::vector<ReferenceProblem> problems = list_problems();
  return problems;
}

ReferenceRun::ReferenceRun(const ReferenceProblem& problem) : model_(compile_problem(problem)) {
  std::ifstream file(reference_path(problem.file + ".csv"));
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("cannot read " + problem.file);
  const std::vector<std::string> head = cells(line);
  std::vector<std::size_t> column;
  for (const std::string& output : model_.program().output_names) {
    std::string name = output;
    for (const auto& [ours, theirs] : problem.columns)
      if (ours == output) name = theirs;
    auto found = std::find(head.begin(), head.end(), name);
    if (found == head.end()) throw std::runtime_error(problem.file + " has no column " + name);
    column.push_back(static_cast<std::size_t>(found - head.begin()));
  }
  reference_.resize(column.size());
  request_.parameters = model_.parameters(problem.changes);
  while (std::getline(file, line)) {
    const std::vector<std::string> row = cells(line);
    const double time = std::stod(row[0]);
    request_.times.push_back(time);
    counts_.push_back(!(time > problem.skip_from && time < problem.skip_to));
    for (std::size_t k = 0; k < column.size(); ++k)
      reference_[k].push_back(std::stod(row[column[k]]));
  }
}

double ReferenceRun::error(const IntegrationOptions& options) const {
  Trajectory run = simulate(model_.problem, request_, options);
  if (run.outcome.status != Status::done) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t k = 0; k < reference_.size(); ++k) {
    double largest = 0, deviation = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      largest = std::max(largest, std::fabs(reference_[k][i]));
      double here = std::fabs(run.outputs[i * reference_.size() + k] - reference_[k][i]);
      // Written so that NaN counts as the worst.
      if (counts_[i] && !(here <= deviation)) deviation = here;
    }
    if (!(deviation / largest <= worst)) worst = deviation / largest;
  }
  return std::isnan(worst) ? std::numeric_limits<double>::infinity() : worst;
}

}  // namespace stiffit::internal
