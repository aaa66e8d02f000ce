// What a fit or a profile found, as texts, tables and JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "estimation/pipeline/fit_summary.h"
#include "estimation/uncertainty/plain_words.h"
#include "report/json.h"
#include "report/provenance.h"

namespace stiffit::internal {

// The same with more numbers than fit on a screen. No times in it: equal runs give equal texts.
std::string fit_json(const FitSummary& summary);
std::string parameters_tsv(const FitStatistics& statistics);
std::string starts_tsv(const FitSummary& summary);
std::string timings_json(const FitSummary& summary, double seconds);
// For people: the table of parameters, what it means, and how the starts ended.
std::string fit_text(const FitSummary& summary);

std::string profile_json(const ProfileSummary& summary);
// One row per parameter: estimate, interval, why each side ended.
std::string intervals_tsv(const ProfileSummary& summary);
// One row per point, with all unknowns.
std::string profiles_tsv(const ProfileSummary& summary);
// One row per prediction, and per point of a contour.
std::string predictions_tsv(const ProfileSummary& summary);
std::string pairs_tsv(const ProfileSummary& summary);
// "k1 and k2 at once: 95 % region of two ..."
std::string pair_words(const ProfileSummary& summary, const PairRegion& region);
std::string profile_text(const ProfileSummary& summary);

}  // namespace stiffit::internal
