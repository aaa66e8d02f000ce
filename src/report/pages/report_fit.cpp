// SPDX-License-Identifier: Apache-2.0
#include "report/pages/report_fit.h"

#include <algorithm>
#include <cmath>

#include "base/files/output_file.h"
#include "base/number.h"
#include "estimation/objective/fitted_data.h"
#include "report/derived_tables.h"
#include "report/fitted_tables.h"
#include "report/pages/report_fit_pictures.h"
#include "report/pages/report_model.h"
#include "report/pages/report_text.h"

namespace stiffit::internal {
namespace {

using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t most_pictures = 40;     // of one section
constexpr std::size_t most_correlated = 120;  // unknowns in the heat map
constexpr std::size_t most_course_points = 150'000;

std::string brief(double value, int digits = 5) {
  return std::isnan(value) ? "-" : format_short(value, digits);
}

std::string title_of(const FitReport& r) {
  const char* what = r.posterior ? "Ensemble of " : r.profile ? "Profiles of " : "Fit of ";
  return what + shown_name(r.fit.problem);
}

void add_summary(HtmlPage& page, const FitReport& r) {
  const LocalFit& best = r.fit.best().fit;
  const FitStatistics& s = r.fit.statistics;
  page.paragraph("Objective " + format_short(best.at.value, 10) + ", log-likelihood " +
                 format_short(best.at.llh, 10) + ", chi2 " + format_short(best.at.chi2, 6) + ", " +
                 std::to_string(s.data) + " data, " + std::to_string(r.fit.unknowns.size()) +
                 " unknowns; method " + r.fit.method + ", " + outcome_name(best.outcome) + ".");
  if (s.unknown_noise) page.paragraph("The " + noise_words(s) + ".");
  for (const std::string& line : plain_words(r.fit.statistics, r.fit.next)) page.paragraph(line);
  if (r.fit.interrupted) page.paragraph("The run was interrupted: this is what it had reached.");
}

void add_derived(HtmlPage& page, const std::vector<DerivedQuantity>& derived, double level) {
  if (derived.empty()) return;
  const std::vector<std::string> head = derived_header(level);
  page.table(head, derived_rows(derived));
}

void add_parameters(HtmlPage& page, const FitStatistics& s,
                    const std::vector<EstimatedParameter>& unknowns,
                    const std::vector<DerivedQuantity>& derived) {
  page.heading("Parameters");
  Rows rows;
  std::vector<std::size_t> order;  // the nuisance last
  for (bool noise : {false, true})
    for (std::size_t i = 0; i < s.each.size(); ++i)
      if (s.each[i].noise == noise) order.push_back(i);
  for (std::size_t i : order) {
    const ParameterStatistics& u = s.each[i];
    rows.push_back({u.id + (u.noise ? " (noise)" : ""), brief(u.value, 6), brief(u.value_error, 3),
                    brief(u.limits.low), brief(u.limits.high),
                    brief(from_theta(unknowns[i].lower, u.scale)),
                    brief(from_theta(unknowns[i].upper, u.scale)), scale_name(u.scale), u.verdict});
  }
  const std::string level = format_short(100 * s.level) + " % ";
  page.table({"parameter", "estimate", "standard error", level + "low", level + "high",
              "lower bound", "upper bound", "scale", "verdict"},
             rows);
  add_derived(page, derived, s.level);
  for (const std::string& line : s.undetermined) page.paragraph(line);
  for (const std::string& line : s.notes) page.paragraph(line);
  page.table_download("parameters.tsv", "text/tab-separated-values", parameters_tsv(s));
}

void add_profiles(HtmlPage& page, const ProfileSummary& p) {
  page.heading("Profile likelihoods");
  page.paragraph(
      "Each parameter is moved away from its estimate and all others are fitted anew. Where the "
      "curve passes the line, the interval ends.");
  Rows rows;
  for (const Profile& profile : p.profiles) {
    const EstimatedParameter& u = p.unknowns[profile.unknown];
    auto side = [&](double limit, const ProfileSide& s) {
      return std::isnan(limit) ? std::string("none: ") + stop_name(s.stop) : brief(limit);
    };
    const std::vector<Limits> stretches = profile_stretches(profile, u.scale);
    rows.push_back({u.id, brief(from_theta(p.best.x[profile.unknown], u.scale), 6),
                    side(stretches.front().low, profile.lower),
                    side(stretches.back().high, profile.upper), profile.verdict});
  }
  const std::string level = format_short(100 * p.level) + " % ";
  page.table({"parameter", "estimate", level + "low", level + "high", "verdict"}, rows);
  for (const std::string& line : p.messages) page.paragraph(line);
  add_gallery(page, profile_pictures(p), "profiles", 2 * most_pictures);
  page.table_download("profiles.tsv", "text/tab-separated-values", profiles_tsv(p));
  page.table_download("intervals.tsv", "text/tab-separated-values", intervals_tsv(p));
}

void add_predictions(HtmlPage& page, const ProfileSummary& p) {
  if (p.predictions.empty()) return;
  page.heading("Predictions");
  page.paragraph(
      "Each value is pulled away from its estimate and all parameters are fitted anew. Where the "
      "curve passes the line, the data no longer allow it.");
  Rows rows;
  for (const PredictionProfile& one : p.predictions) {
    auto side = [](const PredictionSide& s) {
      return std::isnan(s.limit) ? std::string("none: ") + stop_name(s.stop) : brief(s.limit);
    };
    rows.push_back(
        {one.words, brief(one.estimate, 6), side(one.lower), side(one.upper), one.verdict});
  }
  const std::string level = format_short(100 * p.level) + " % ";
  page.table({"prediction", "estimate", level + "low", level + "high", "verdict"}, rows);
  add_gallery(page, prediction_pictures(p), "predictions", most_pictures);
  page.table_download("predictions.tsv", "text/tab-separated-values", predictions_tsv(p));
}

void add_pairs(HtmlPage& page, const ProfileSummary& p) {
  if (p.pairs.empty()) return;
  page.heading("Regions of two parameters");
  page.paragraph(
      "Inside the contour both values fit at once, all others fitted anew; the level is "
      "that of two parameters together.");
  for (const PairRegion& r : p.pairs) page.paragraph(pair_words(p, r));
  add_gallery(page, pair_pictures(p), "pairs", most_pictures);
  page.table_download("pairs.tsv", "text/tab-separated-values", pairs_tsv(p));
}

void add_ensemble(HtmlPage& page, const Posterior& p, const std::vector<FittedDatum>& data) {
  page.heading("The ensemble");
  page.paragraph(std::to_string(p.samples) + " draws from " + std::to_string(p.chains) +
                 " chains (" + p.sampler + "), " + brief(100 * p.acceptance, 3) +
                 " % of the steps accepted, " + std::to_string(p.evaluations) + " evaluations, " +
                 std::to_string(p.failures) + " of them failed.");
  page.paragraph(p.converged
                     ? "The chains have converged."
                     : "The chains have not converged: these intervals are not to be relied "
                       "on.");
  for (const std::string& line : p.notes) page.paragraph(line);
  Rows rows;
  for (const Marginal& m : p.marginals)
    rows.push_back({m.id, brief(m.best), brief(m.median), brief(m.low), brief(m.high),
                    brief(m.convergence.r_hat), brief(m.convergence.bulk_size, 4),
                    brief(m.convergence.tail_size, 4), m.converged ? "yes" : "no"});
  page.table({"parameter", "best fit", "median", "95 % low", "95 % high", "R-hat",
              "effective draws", "in the tails", "converged"},
             rows);
  for (const std::string& line : place_words(p)) page.paragraph(line);
  page.gallery({convergence_picture(p)}, "r-hat");
  page.table_download("ensemble-intervals.tsv", "text/tab-separated-values", marginals_tsv(p));
  if (!p.bands || p.points.empty()) return;
  page.heading("Prediction bands");
  page.paragraph("Over " + std::to_string(p.band_samples) +
                 " draws; marks are data. What was not measured comes after what was.");
  add_gallery(page, band_pictures(p, data), "bands", most_pictures);
  page.table_download("bands.csv", "text/csv", course_bands_csv(p));
}

// Few enough times that many species and experiments do not fill the memory; 0: none.
void add_bootstrap_table(HtmlPage& page, const Bootstrap& b, const FitStatistics& s) {
  page.heading("Bootstrap");
  page.paragraph(b.words + ". Bias and standard error are on the estimation scale.");
  if (!b.enough) return;
  Rows rows;
  for (std::size_t i = 0; i < b.parameters.size(); ++i) {
    const BootstrapParameter& p = b.parameters[i];
    if (s.each[i].limits.closed())  // see bootstrap_text
      rows.push_back({p.id, brief(p.bias, 3), brief(p.standard_error, 3), brief(p.low),
                      brief(p.high), brief(p.percentile_low), brief(p.percentile_high)});
    else
      rows.push_back({p.id, "-", "-", "-", "-", "-", "-"});
  }
  const std::string level = format_short(100 * b.level) + " % ";
  page.table({"parameter", "bias", "standard error", level + "low", level + "high",
              "percentile low", "percentile high"},
             rows);
}

int course_intervals(const FitProblem& problem) {
  std::size_t quantities = 0;
  auto add = [&](const FitProblem& part) {
    if (part.model)
      quantities +=
          (part.model->species.size() + part.observables.size()) * part.experiments.size();
  };
  add(problem);
  for (const FitProblem& part : problem.parts) add(part);
  const std::size_t intervals = most_course_points / std::max<std::size_t>(quantities, 1);
  return intervals < 10 ? 0 : static_cast<int>(std::min<std::size_t>(intervals, 100));
}

double deviation_of(const FitReport& r, const std::vector<FittedDatum>& data) {
  if (!r.objective.unknown_noise()) return 1;
  double squares = 0;
  for (const FittedDatum& d : data) squares += d.residual * d.residual;
  const double freedom = static_cast<double>(data.size()) - r.fit.statistics.unknowns;
  return std::sqrt(squares / std::max(1.0, freedom));
}

void add_data(HtmlPage& page, const std::vector<FittedDatum>& data, const FittedCurves& curves) {
  page.heading("Data and fit");
  page.paragraph(
      "Marks are data with a standard deviation to each side, lines the fitted model. A mark with "
      "a "
      "line to one side is a limit.");
  add_gallery(page, data_pictures(data, curves), "data-and-fit", most_pictures);
  page.table_download("data-and-fit.csv", "text/csv", fitted_data_csv(data));
  if (!curves.values.empty())
    page.table_download("fitted-curves.csv", "text/csv", fitted_curves_csv(curves));
  page.heading("Residuals");
  page.paragraph(
      "Data minus fit, in standard deviations of the noise. They should scatter around zero "
      "without "
      "a pattern, and lie along the line on the right. Their numbers are in data-and-fit.csv.");
  page.gallery(residual_pictures(data), "residuals");
}

void add_starts(HtmlPage& page, const FitSummary& fit) {
  if (!fit.searched || fit.starts.size() < 2) return;
  page.heading("Starts");
  page.paragraph(
      std::to_string(fit.starts.size()) + " starts, " + std::to_string(fit.minima.size()) +
      (fit.minima.size() == 1 ? " minimum" : " different minima") +
      ". That many starts end at the same lowest value is evidence, not proof, that there "
      "is no lower one.");
  if (const std::string words = rival_search_words(fit.rival_search); !words.empty())
    page.paragraph(words);
  page.gallery({waterfall_picture(fit)}, "waterfall");
  page.table_download("starts.tsv", "text/tab-separated-values", starts_tsv(fit));
}

void add_correlations(HtmlPage& page, const FitStatistics& s) {
  if (s.free.size() < 2 || s.correlation.empty()) return;
  page.heading("Correlations");
  if (s.free.size() > most_correlated)
    page.paragraph("The " + std::to_string(most_correlated) + " of " +
                   std::to_string(s.free.size()) + " parameters with the strongest ones.");
  page.picture(correlation_picture(s, most_correlated), "correlations");
  page.table_download("correlations.csv", "text/csv", correlations_csv(s));
}

}  // namespace

std::string fit_page(const FitReport& r) {
  HtmlPage page(title_of(r));
  const FitProblem& problem = r.objective.problem();
  if (!r.fit.found()) {
    page.paragraph("Nothing was found: the model could not be evaluated at any start.");
    if (!r.fit.starts.empty()) page.paragraph(r.fit.starts.front().fit.message);
    add_settings(page, r.fit.provenance);
    return page.text();
  }
  const std::vector<double>& theta = r.fit.best().fit.x;
  add_summary(page, r);
  add_parameters(page, r.fit.statistics, r.fit.unknowns,
                 r.profile     ? r.profile->derived
                 : r.posterior ? r.posterior->derived
                               : r.fit.derived);
  if (r.fit.bootstrap) add_bootstrap_table(page, *r.fit.bootstrap, r.fit.statistics);
  std::string failure;
  std::vector<FittedDatum> data = fitted_data(r.objective, theta, 1, failure);
  if (const double deviation = deviation_of(r, data); failure.empty() && deviation != 1)
    for (FittedDatum& d : data) {
      d.noise *= deviation;
      d.residual /= deviation;
    }
  if (r.profile) {
    add_profiles(page, *r.profile);
    add_predictions(page, *r.profile);
    add_pairs(page, *r.profile);
  }
  if (r.posterior) add_ensemble(page, *r.posterior, data);
  const int intervals = course_intervals(problem);
  if (failure.empty())
    add_data(page, data,
             intervals > 0 ? fitted_curves(problem, r.options, theta, intervals) : FittedCurves());
  else
    page.paragraph("The best fit cannot be simulated again: " + failure);
  add_starts(page, r.fit);
  add_correlations(page, r.fit.statistics);
  const FittedModel fitted = fitted_model(problem, r.fit.unknowns, theta);
  add_stiffness(
      page, shown_name(r.fit.problem) + (fitted.experiment.empty() ? "" : ", " + fitted.experiment),
      fitted.model, fitted.start, fitted.end, r.options.integration.interrupt);
  add_model(page, fitted.model);
  add_settings(page, r.fit.provenance);
  return page.text();
}

void write_fit_page(const FitReport& report, const std::string& file, const RunDirectory* folder) {
  if (!folder && file.empty()) return;
  const std::string page = fit_page(report);
  if (!file.empty()) write_file(file, page);
  if (folder) write_file(folder->file("report.html"), page);
}

}  // namespace stiffit::internal
