// What a fit found, gathered for the reports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "estimation/strategies/multi_start.h"
#include "estimation/uncertainty/profile.h"
#include "estimation/uncertainty/statistics.h"
#include "report/json.h"
#include "report/provenance.h"

namespace stiffit {

// One more measurement, and what it is expected to bring.
struct NextMeasurement {
  std::string experiment, quantity;
  double time = 0;
  bool measured = false;         // there are data of the quantity already
  double noise = 0;              // that is assumed of it
  double reduction = 0;          // share of the summed variances of the logarithms that would go
  std::string unknown;           // that gains most
  double before = 0, after = 0;  // standard error of its logarithm
  std::string words;
};

struct FitSummary {
  std::string problem, method;
  std::size_t starts_asked = 0;
  std::uint64_t seed = 1;
  bool interrupted = false;
  std::vector<Unknown> unknowns;
  std::vector<StartResult> starts;  // in order of their index
  std::vector<std::size_t> order;   // the waterfall: positions in `starts`, the best first
  std::vector<int> minimum;         // of each start: position in `minima`, -1 for none
  std::vector<Minimum> minima;
  FitStatistics statistics;           // of the best; meaningless if `order` is empty
  std::vector<NextMeasurement> next;  // the most helpful first
  std::vector<std::string> messages;
  Provenance provenance;
  bool searched = true;                      // by descents from starts
  std::function<void(JsonWriter&)> details;  // further members of the JSON document; may be empty

  bool found() const { return !order.empty(); }
  const StartResult& best() const { return starts[order.front()]; }
};

// The same with more numbers than fit on a screen. No times in it: equal runs give equal texts.
std::string fit_json(const FitSummary& summary);
// What is determined, what only in combination, what not, and what to measure next.
std::vector<std::string> plain_words(const FitStatistics& statistics,
                                     const std::vector<NextMeasurement>& next = {});
std::string parameters_tsv(const FitStatistics& statistics);
std::string starts_tsv(const FitSummary& summary);
std::string timings_json(const FitSummary& summary, double seconds);
// For people: the table of parameters, what it means, and how the starts ended.
std::string fit_text(const FitSummary& summary);

struct ProfileSummary {
  std::string problem;
  double level = 0.95, quantile = 0;
  std::vector<Unknown> unknowns;
  LocalFit best;
  std::vector<Profile> profiles;
  bool interrupted = false;
  std::vector<std::string> messages;
  Provenance provenance;
  std::vector<std::string> words;  // what is determined and what not, for the end
};

std::string profile_json(const ProfileSummary& summary);
// One row per parameter: estimate, interval, why each side ended.
std::string intervals_tsv(const ProfileSummary& summary);
// One row per point, with all unknowns.
std::string profiles_tsv(const ProfileSummary& summary);
std::string profile_text(const ProfileSummary& summary);

}  // namespace stiffit
