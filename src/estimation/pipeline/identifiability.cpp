// SPDX-License-Identifier: Apache-2.0
#include "estimation/pipeline/identifiability.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "base/number.h"

namespace stiffit {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<Row> rows_of(const std::string& path) {
  std::ifstream file(path);
  auto cells = [](const std::string& line) {
    std::vector<std::string> found;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, '\t');) found.push_back(part);
    return found;
  };
  std::string line;
  if (!std::getline(file, line)) return {};
  const std::vector<std::string> header = cells(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> own = cells(line);
    Row row;
    for (std::size_t i = 0; i < std::min(own.size(), header.size()); ++i) row[header[i]] = own[i];
    rows.push_back(std::move(row));
  }
  return rows;
}

double number(const Row& row, const char* column) {
  const auto at = row.find(column);
  return at == row.end() ? std::nan("") : parse_number(at->second).value_or(std::nan(""));
}

// Empty: this side or the other was not followed to an end, or the chains have not converged.
std::vector<Evidence> evidence_of_row(const Row& row, const Unknown& unknown) {
  auto is = [&](const char* column, std::initializer_list<const char*> values) {
    const auto at = row.find(column);
    return at != row.end() && std::find(values.begin(), values.end(), at->second) != values.end();
  };
  const double low = number(row, "low"), high = number(row, "high");
  if (row.contains("low_stop")) {
    if (!is("low_stop", {"threshold", "bound", "flat"}) ||
        !is("high_stop", {"threshold", "bound", "flat"}))
      return {};
    return {{unknown.id, low, high, "profile", {}}};
  }
  // Of all draws, also where those around the best fit are told apart.
  const double low_all = number(row, "low_all"), high_all = number(row, "high_all");
  if (!is("converged", {"yes"}) || std::isnan(low_all) || std::isnan(high_all)) return {};
  return {evidence_of_ensemble(unknown, low_all, high_all)};
}

long evaluations_of(const FitSummary& fit) {
  long sum = 0;
  for (const StartResult& s : fit.starts) sum += s.fit.values + s.fit.gradients;
  return sum;
}

// Profiles of what is in doubt and not settled yet, as far as the evaluations go.
ProfileRequest request_for(const FitSummary& fit, const FitRequest& request,
                           AssessByProfiles wish) {
  constexpr long fewest = 300, most = 20000, of_a_side = 40;
  ProfileRequest p;
  p.problem = fit.problem;
  p.options.local = request.options.local;
  p.options.local.max_iterations = std::min(200, request.options.local.max_iterations);
  p.threads = request.options.threads;
  p.folder = request.folder;
  p.crew = request.crew;
  if (wish == AssessByProfiles::yes) {
    p.unknowns.resize(fit.unknowns.size());
    std::iota(p.unknowns.begin(), p.unknowns.end(), std::size_t{0});
    return p;
  }
  p.unknowns = doubtful_unknowns(fit.statistics);
  std::erase_if(p.unknowns, [&](std::size_t i) {
    return fit.statistics.each[i].source != UnknownStatistics().source;
  });
  const long budget = std::clamp(evaluations_of(fit), fewest, most);
  const auto can = static_cast<std::size_t>(budget / (2 * of_a_side));
  if (p.unknowns.size() > can) p.unknowns.resize(can);
  if (!p.unknowns.empty())
    p.options.max_evaluations = budget / (2 * static_cast<long>(p.unknowns.size()));
  p.options.max_points = 30;
  p.rounds = 1;
  return p;
}

}  // namespace

std::vector<Evidence> kept_evidence(const std::string& folder, const FitSummary& fit,
                                    std::string& message) {
  const std::string path = (std::filesystem::path(folder) / "intervals.tsv").string();
  std::vector<Evidence> found;
  for (const Row& row : rows_of(path)) {
    const auto id = row.find("parameterId");
    for (const UnknownStatistics& u : fit.statistics.each) {
      if (id == row.end() || id->second != u.id) continue;
      const auto i = static_cast<std::size_t>(&u - fit.statistics.each.data());
      for (Evidence& e : evidence_of_row(row, fit.unknowns[i])) {
        if (u.value < e.low || u.value > e.high) {
          message = path + " is of another fit (" + u.id +
                    " lies outside of its interval there) "
                    "and is left out";
          return {};
        }
        found.push_back(std::move(e));
      }
    }
  }
  return found;
}

void assess_identifiability(FitSummary& fit, const Objective& objective, const FitRequest& request,
                            AssessByProfiles wish) {
  if (!fit.found() || fit.interrupted) return;
  if (request.folder) {
    std::string message;
    judge_by_evidence(fit.statistics, kept_evidence(request.folder->path(), fit, message));
    if (!message.empty()) fit.messages.push_back(message);
  }
  if (wish == AssessByProfiles::no) return;
  const ProfileRequest profiles = request_for(fit, request, wish);
  if (profiles.unknowns.empty()) return;
  const LocalFit& best = fit.best().fit;
  const ProfileSummary p = run_profiles(objective, best, profiles);
  if (p.interrupted) {
    fit.interrupted = true;
    return;
  }
  double lowest = p.best.at.value;
  for (const Profile& profile : p.profiles)
    for (const ProfileSide* side : {&profile.lower, &profile.upper})
      if (side->stop == ProfileStop::better && !side->points.empty())
        lowest = std::min(lowest, side->points.back().value);
  if (lowest < best.at.value) {
    fit.messages.push_back("a profile has met a better fit: objective " + format_short(lowest, 10) +
                           " instead of " + format_short(best.at.value, 10) +
                           "; more --starts may find it, and the profiles are left out here");
    return;
  }
  judge_by_evidence(fit.statistics, evidence_of(p.profiles, p.unknowns, best));
}

}  // namespace stiffit
