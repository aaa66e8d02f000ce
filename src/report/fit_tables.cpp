// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/number.h"
#include "report/derived_tables.h"
#include "report/fit_summary.h"
#include "report/text_table.h"

namespace stiffit::internal {
namespace {

using Row = std::vector<std::string>;

std::string tsv(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i ? "\t" : "") + row[i];
    text += "\n";
  }
  return text;
}

// Names and messages may not break a row.
std::string cell(std::string text) {
  for (char& c : text)
    if (c == '\t' || c == '\n' || c == '\r') c = ' ';
  return text;
}

std::string brief(double value, const char* format = "%.5g") {
  if (std::isnan(value)) return "-";
  char buffer[48];
  snprintf(buffer, sizeof buffer, format, value);
  return buffer;
}

void append(Row& row, const Limits& limits) {
  row.push_back(format_number(limits.low));
  row.push_back(format_number(limits.high));
}

}  // namespace

std::string parameters_tsv(const FitStatistics& s) {
  Row header{"parameterId",    "scale",           "estimate",  "standard_error", "limit_low",
             "limit_high",     "held_low",        "held_high", "joint_low",      "joint_high",
             "joint_held_low", "joint_held_high", "theta",     "theta_error",    "at_bound",
             "determination",  "verdict"};
  for (int i : s.free) header.push_back("r(" + s.each[i].id + ")");
  std::vector<Row> rows{header};
  std::size_t m = s.free.size();
  for (std::size_t i = 0; i < s.each.size(); ++i) {
    const ParameterStatistics& u = s.each[i];
    Row row{u.id, scale_name(u.scale), format_number(u.value), format_number(u.value_error)};
    append(row, u.limits);
    append(row, u.held_single_limits);
    append(row, u.free_limits);
    append(row, u.held_limits);
    row.push_back(format_number(u.theta));
    row.push_back(format_number(u.error));
    row.push_back(u.at_bound < 0 ? "lower" : u.at_bound > 0 ? "upper" : "no");
    row.push_back(identifiability_name(u.identifiability));
    row.push_back(cell(u.verdict));
    std::size_t own = m;
    for (std::size_t a = 0; a < m; ++a)
      if (static_cast<std::size_t>(s.free[a]) == i) own = a;
    for (std::size_t b = 0; b < m; ++b)
      row.push_back(own == m ? "nan" : format_number(s.correlation[own * m + b]));
    rows.push_back(std::move(row));
  }
  return tsv(rows);
}

std::string starts_tsv(const FitSummary& f) {
  Row header{"rank",     "start",     "given",    "outcome",     "value",
             "llh",      "chi2",      "minimum",  "start_value", "iterations",
             "values",   "gradients", "failures", "screened",    "screening_failures",
             "descents", "plateaus",  "message"};
  for (const EstimatedParameter& u : f.unknowns) header.push_back(u.id);
  for (const EstimatedParameter& u : f.unknowns) header.push_back("start(" + u.id + ")");
  std::vector<Row> rows{header};
  std::vector<std::size_t> order = f.order;
  for (std::size_t i = 0; i < f.starts.size(); ++i)  // those without a value come last
    if (!f.starts[i].fit.usable()) order.push_back(i);
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const StartResult& s = f.starts[order[rank]];
    bool usable = s.fit.usable();
    int minimum = f.minimum[order[rank]];
    auto number = [&](double v) { return usable ? format_number(v) : std::string("nan"); };
    Row row{usable ? std::to_string(rank + 1) : "",
            std::to_string(s.index),
            s.given ? "yes" : "no",
            outcome_name(s.fit.outcome),
            number(s.fit.at.value),
            number(s.fit.at.llh),
            number(s.fit.at.chi2),
            minimum < 0 ? "" : std::to_string(minimum + 1),
            format_number(s.fit.start_value),
            std::to_string(s.fit.iterations),
            std::to_string(s.values),
            std::to_string(s.gradients),
            std::to_string(s.failures),
            std::to_string(s.screened),
            std::to_string(s.screening_failures),
            std::to_string(s.descents),
            std::to_string(s.plateaus),
            cell(s.fit.message)};
    for (std::size_t j = 0; j < f.unknowns.size(); ++j)
      row.push_back(j < s.fit.x.size() ? format_number(from_theta(s.fit.x[j], f.unknowns[j].scale))
                                       : "nan");
    for (std::size_t j = 0; j < f.unknowns.size(); ++j)
      row.push_back(j < s.fit.start.size()
                        ? format_number(from_theta(s.fit.start[j], f.unknowns[j].scale))
                        : "nan");
    rows.push_back(std::move(row));
  }
  return tsv(rows);
}

namespace {

// Data drawn around one minimum cannot say that a parameter is not determined: what had no two
// limits before has none here.
std::string bootstrap_text(const Bootstrap& b, const FitStatistics& s,
                           const std::vector<EstimatedParameter>& unknowns) {
  std::string text = b.words + "\n";
  if (!b.enough) return text + "\n";
  std::vector<Row> rows;
  for (std::size_t i = 0; i < b.parameters.size(); ++i) {
    const BootstrapParameter& p = b.parameters[i];
    if (!s.each[i].limits.closed()) {
      rows.push_back({p.id, scale_name(unknowns[i].scale), "-", "-", "-", "-", "-", "-"});
      continue;
    }
    rows.push_back({p.id, scale_name(unknowns[i].scale), brief(p.bias, "%.3g"),
                    brief(p.standard_error, "%.3g"), brief(p.low), brief(p.high),
                    brief(p.percentile_low), brief(p.percentile_high)});
  }
  const std::string level = brief(100 * b.level, "%g") + " % ";
  return text +
         text_table({"parameter", "scale", "bias", "std error", level + "low", level + "high",
                     "percentile low", "percentile high"},
                    rows) +
         "\n";
}

std::string starts_text(const FitSummary& f) {
  std::size_t converged = 0, flat = 0, failed = 0;
  long failures = 0, screening = 0;
  for (const StartResult& s : f.starts) {
    converged += s.fit.outcome == FitOutcome::converged;
    flat += s.fit.outcome == FitOutcome::flat;
    failed += s.fit.outcome == FitOutcome::failed;
    failures += s.failures;
    screening += s.screening_failures;
  }
  std::string text = std::to_string(f.starts.size()) +
                     (f.starts.size() == 1 ? " start: " : " starts: ") + std::to_string(converged) +
                     " converged";
  if (flat) text += ", " + std::to_string(flat) + " ended on a plateau";
  if (failed) text += ", " + std::to_string(failed) + " could not be evaluated";
  std::size_t other = f.starts.size() - converged - flat - failed;
  if (other) text += ", " + std::to_string(other) + " stopped early";
  if (failures + screening > 0)
    text += "; " + std::to_string(failures + screening) + " evaluations failed and were rejected";
  text += "\n";
  if (f.minima.size() > 1) {
    text += std::to_string(f.minima.size()) + " different minima were found:\n";
    std::vector<Row> rows;
    for (std::size_t k = 0; k < std::min<std::size_t>(f.minima.size(), 10); ++k) {
      const LocalFit& fit = f.starts[f.minima[k].result].fit;
      std::string where;
      for (std::size_t j = 0; j < std::min<std::size_t>(f.unknowns.size(), 6); ++j)
        where += (j ? ", " : "") + f.unknowns[j].id + " = " +
                 brief(from_theta(fit.x[j], f.unknowns[j].scale), "%.4g");
      if (f.unknowns.size() > 6) where += ", ...";
      rows.push_back(
          {brief(fit.at.value, "%.8g"),
           std::to_string(f.minima[k].starts) + (f.minima[k].starts == 1 ? " start" : " starts"),
           where});
    }
    text += text_table({"objective", "reached by", "at"}, rows, 2);
  } else if (f.starts.size() == 1 && f.rival_search.skipped.empty()) {
    text += "other minima were not looked for; --starts N does that\n";
  } else if (f.starts_asked > 1 && f.starts.size() == f.starts_asked && converged > 1) {
    text +=
        "all that converged came to the same minimum, which is evidence, not proof, that there "
        "is no other\n";
  }
  if (const std::string words = rival_search_words(f.rival_search); !words.empty())
    text += words + "\n";
  return text;
}

}  // namespace

std::string fit_text(const FitSummary& f) {
  if (!f.found()) return "";
  const LocalFit& best = f.best().fit;
  const FitStatistics& s = f.statistics;
  std::string text = "objective " + brief(best.at.value, "%.10g") + ", log-likelihood " +
                     brief(best.at.llh, "%.10g") + ", chi2 " + brief(best.at.chi2, "%.6g") + ", " +
                     std::to_string(s.data) + " data, " + outcome_name(best.outcome) + "\n";
  if (s.unknown_noise) text += noise_words(s) + "\n";
  for (const std::string& line : adequacy_words(s.adequacy)) text += line + "\n";
  text += "\n";
  std::string level = brief(100 * s.level, "%g") + " % ";
  for (bool noise : {false, true}) {  // the nuisance apart
    std::vector<Row> rows;
    for (const ParameterStatistics& u : s.each)
      if (u.noise == noise)
        rows.push_back({u.id, brief(u.value, "%.6g"), brief(u.value_error, "%.3g"),
                        brief(u.limits.low), brief(u.limits.high), u.verdict});
    if (rows.empty()) continue;
    text += text_table({noise ? "noise parameter" : "parameter", "estimate", "std error",
                        level + "low", level + "high", "verdict"},
                       rows);
    text += "\n";
  }
  text += derived_text(f.derived, s.level);
  if (f.bootstrap) text += bootstrap_text(*f.bootstrap, s, f.unknowns);
  for (const std::string& line : s.undetermined) text += line + "\n";
  for (const std::string& line : s.notes) text += line + "\n";
  for (const std::string& line : f.messages) text += line + "\n";
  for (const std::string& line : parameter_words(f.statistics, f.next)) text += line + "\n";
  if (f.searched) text += starts_text(f);
  return text;
}

std::string predictions_tsv(const ProfileSummary& p) {
  std::vector<Row> rows{{"prediction", "estimate", "standard_error", "low", "high", "low_stop",
                         "high_stop", "low_message", "high_message"}};
  for (const PredictionProfile& one : p.predictions)
    rows.push_back({cell(one.words), format_number(one.estimate), format_number(one.deviation),
                    format_number(one.lower.limit), format_number(one.upper.limit),
                    stop_name(one.lower.stop), stop_name(one.upper.stop), cell(one.lower.message),
                    cell(one.upper.message)});
  return tsv(rows);
}

std::string pairs_tsv(const ProfileSummary& p) {
  std::vector<Row> rows{{"first", "second", "first_value", "second_value", "ratio"}};
  for (const PairRegion& r : p.pairs) {
    const EstimatedParameter &a = p.unknowns[r.first], &b = p.unknowns[r.second];
    for (const PairPoint& at : r.points)
      rows.push_back({a.id, b.id, format_number(from_theta(at.a, a.scale)),
                      format_number(from_theta(at.b, b.scale)), format_number(at.ratio)});
  }
  return tsv(rows);
}

std::string intervals_tsv(const ProfileSummary& p) {
  std::vector<Row> rows{{"parameterId", "scale", "estimate", "low", "high", "low_stop", "high_stop",
                         "points", "failures", "verdict", "low_message", "high_message",
                         "intervals", "level"}};
  for (const Profile& profile : p.profiles) {
    const EstimatedParameter& u = p.unknowns[profile.unknown];
    const std::vector<Limits> stretches = profile_stretches(profile, u.scale);
    std::string intervals;
    for (const Limits& l : stretches)
      intervals +=
          (intervals.empty() ? "" : "; ") + format_number(l.low) + " to " + format_number(l.high);
    rows.push_back({u.id, scale_name(u.scale),
                    format_number(from_theta(p.best.x[profile.unknown], u.scale)),
                    format_number(stretches.front().low), format_number(stretches.back().high),
                    stop_name(profile.lower.stop), stop_name(profile.upper.stop),
                    std::to_string(profile.lower.points.size() + profile.upper.points.size()),
                    std::to_string(profile.lower.failures + profile.upper.failures),
                    cell(profile.verdict), cell(profile.lower.message), cell(profile.upper.message),
                    intervals, format_number(p.level)});
  }
  return tsv(rows);
}

std::string profiles_tsv(const ProfileSummary& p) {
  Row header{"parameterId", "value", "objective", "ratio"};
  for (const EstimatedParameter& u : p.unknowns) header.push_back(u.id);
  std::vector<Row> rows{header};
  auto add = [&](const Profile& profile, double value, double ratio, const std::vector<double>& x) {
    Row row{p.unknowns[profile.unknown].id,
            format_number(from_theta(x[profile.unknown], p.unknowns[profile.unknown].scale)),
            format_number(value), format_number(ratio)};
    for (std::size_t j = 0; j < x.size(); ++j)
      row.push_back(format_number(from_theta(x[j], p.unknowns[j].scale)));
    rows.push_back(std::move(row));
  };
  for (const Profile& profile : p.profiles) {
    auto& low = profile.lower.points;
    for (auto point = low.rbegin(); point != low.rend(); ++point)
      add(profile, point->value, point->ratio, point->x);
    add(profile, p.best.at.value, 0, p.best.x);
    for (const ProfilePoint& point : profile.upper.points)
      add(profile, point.value, point.ratio, point.x);
  }
  return tsv(rows);
}

std::string pair_words(const ProfileSummary& p, const PairRegion& r) {
  const EstimatedParameter &a = p.unknowns[r.first], &b = p.unknowns[r.second];
  std::string text = a.id + " and " + b.id + " at once: ";
  if (r.points.empty() || r.stop == ProfileStop::better) return text + r.message;
  auto extent = [&](const EstimatedParameter& u, double PairPoint::*theta) {
    double low = r.points.front().*theta, high = low;
    for (const PairPoint& at : r.points) {
      low = std::min(low, at.*theta);
      high = std::max(high, at.*theta);
    }
    return u.id + " from " + brief(from_theta(low, u.scale)) + " to " +
           brief(from_theta(high, u.scale));
  };
  text += brief(100 * p.level, "%g") + " % region of two (threshold " + brief(r.threshold, "%.4g") +
          "), " + std::to_string(r.points.size()) + " points of its contour, " +
          extent(a, &PairPoint::a) + " and " + extent(b, &PairPoint::b);
  return text + (r.closed ? "" : "; not closed: " + r.message);
}

std::string profile_text(const ProfileSummary& p) {
  std::vector<Row> rows;
  for (const Profile& profile : p.profiles) {
    const EstimatedParameter& u = p.unknowns[profile.unknown];
    auto side = [&](double limit, const ProfileSide& s) {
      return std::isnan(limit) ? "- (" + std::string(stop_name(s.stop)) + ")" : brief(limit);
    };
    const std::vector<Limits> stretches = profile_stretches(profile, u.scale);
    rows.push_back({u.noise ? u.id + " (noise)" : u.id,
                    brief(from_theta(p.best.x[profile.unknown], u.scale), "%.6g"),
                    side(stretches.front().low, profile.lower),
                    side(stretches.back().high, profile.upper), profile.verdict});
  }
  std::string level = brief(100 * p.level, "%g") + " % ";
  std::string text =
      text_table({"parameter", "estimate", level + "low", level + "high", "verdict"}, rows);
  if (!p.predictions.empty()) {
    rows.clear();
    for (const PredictionProfile& one : p.predictions) {
      auto side = [](const PredictionSide& s) {
        return std::isnan(s.limit) ? "- (" + std::string(stop_name(s.stop)) + ")" : brief(s.limit);
      };
      rows.push_back(
          {one.words, brief(one.estimate, "%.6g"), side(one.lower), side(one.upper), one.verdict});
    }
    text += "\n" +
            text_table({"prediction", "estimate", level + "low", level + "high", "verdict"}, rows);
  }
  for (const PairRegion& r : p.pairs) text += pair_words(p, r) + "\n";
  if (!p.derived.empty()) text += "\n" + derived_text(p.derived, p.level);
  for (const std::string& line : p.messages) text += line + "\n";
  for (const std::string& line : p.words) text += line + "\n";
  return text;
}

}  // namespace stiffit::internal
