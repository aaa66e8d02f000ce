// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "estimation/optimizers/trial_objectives.h"
#include "estimation/optimizers/trust_region.h"
#include "report/fit_summary.h"

using namespace stiffit::internal;

namespace {

std::vector<std::vector<std::string>> table(const std::string& text) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '\t');) rows.back().push_back(cell);
    if (line.ends_with('\t')) rows.back().emplace_back();
  }
  return rows;
}

FitSummary summary_of(const Objective& objective) {
  MultiStartOptions options;
  options.method = fit_trust_region;
  options.starts = 5;
  options.given = {{1, 1}};
  FitSummary f;
  f.problem = "line";
  f.method = "trust-region";
  f.unknowns = objective.unknowns();
  f.starts = MultiStart(objective, options).run();
  f.order = ranked(f.starts);
  f.minima = distinct_minima(objective, f.starts);
  f.minimum.assign(f.starts.size(), 0);
  f.statistics = fit_statistics(objective, f.best().fit);
  return f;
}

TEST(FitTables, EveryRowHasEveryColumn) {
  TrialLeastSquares problem({{"a", -100, 100, 0}, {"b", 0, 1, 0.5}},
                            [](std::span<const double> p) -> std::vector<double> {
                              return {p[0] - 1, p[0] + p[1] - 3, p[0] + 2 * p[1] - 5};
                            });
  FitSummary f = summary_of(problem);
  auto parameters = table(parameters_tsv(f.statistics));
  ASSERT_EQ(parameters.size(), 3u);
  for (auto& row : parameters) EXPECT_EQ(row.size(), parameters[0].size());
  EXPECT_EQ(parameters[2][0], "b");
  EXPECT_EQ(parameters[2][2], "1");    // at its bound
  EXPECT_EQ(parameters[2][3], "nan");  // no error
  EXPECT_EQ(parameters[2][14], "upper");
  auto starts = table(starts_tsv(f));
  ASSERT_EQ(starts.size(), 6u);
  for (auto& row : starts) EXPECT_EQ(row.size(), starts[0].size());
  EXPECT_NE(fit_text(f).find("at its upper bound 1"), std::string::npos) << fit_text(f);
  EXPECT_EQ(fit_json(f).find("seconds"), std::string::npos);
  EXPECT_NE(fit_json(f).find("\"at_bound\":\"upper\""), std::string::npos) << fit_json(f);
}

}  // namespace
