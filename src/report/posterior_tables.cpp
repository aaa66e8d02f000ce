// SPDX-License-Identifier: Apache-2.0
#include "report/posterior_tables.h"

#include <cmath>

#include "base/number.h"
#include "report/csv.h"
#include "report/derived_tables.h"
#include "report/json.h"
#include "report/provenance.h"
#include "report/text_table.h"

namespace stiffit::internal {
namespace {

constexpr double shares[] = {0.025, 0.25, 0.5, 0.75, 0.975};

std::string brief(double value, int digits = 5) {
  return std::isnan(value) ? "-" : format_short(value, digits);
}

}  // namespace

// What the intervals of the table leave out.
std::vector<std::string> place_words(const Posterior& p) {
  std::vector<std::string> lines;
  if (p.places.empty()) return lines;
  lines.push_back(
      "the draws lie in separate places, with gaps between them: median and limits above are those "
      "around the best fit");
  for (const Marginal& m : p.marginals)
    if (m.share < 1)
      lines.push_back("  " + m.id + ": " + brief(100 * m.share, 3) +
                      " % of the draws; over all of them " + brief(m.low_all) + " to " +
                      brief(m.high_all));
  for (const OtherPlace& place : p.places) {
    std::string line = "  elsewhere, " + brief(100 * place.share, 3) + " % of the draws:";
    const char* before = " ";
    for (const OtherPlace::Range& r : place.ranges) {
      line += before + r.id + " " + brief(r.low, 3) + " to " + brief(r.high, 3);
      before = ", ";
    }
    lines.push_back(line);
  }
  return lines;
}

std::string posterior_text(const Posterior& p) {
  std::string text = std::to_string(p.samples) + " draws from " + std::to_string(p.chains) +
                     " chains (" + p.sampler + "), " + brief(100 * p.acceptance, 3) +
                     " % of the steps accepted, " + std::to_string(p.evaluations) +
                     " evaluations\n";
  if (p.parts.size() > 1)
    text += "the estimated parameters fall into " + std::to_string(p.parts.size()) +
            " groups that have nothing to do with each other; each has its own chains\n";
  if (!std::isnan(p.first_fit)) text += replaced_words(p) + "\n";
  text += "\n";
  std::vector<std::vector<std::string>> rows;
  for (const Marginal& m : p.marginals)
    rows.push_back({m.id, brief(m.best), brief(m.median), brief(m.low), brief(m.high),
                    brief(m.convergence.r_hat, 4), brief(std::round(m.convergence.bulk_size), 6),
                    m.converged ? m.share_of_range > 0.9 ? "not determined: all of its bounds" : ""
                                : "not converged"});
  text += text_table(
      {"parameter", "best fit", "median", "95 % low", "95 % high", "R-hat", "effective", ""}, rows);
  text += "\n" + derived_text(p.derived, p.level);
  for (const std::string& line : place_words(p)) text += line + "\n";
  for (const std::string& line : p.notes) text += line + "\n";
  if (p.converged) text += "converged: R-hat below 1.05 and enough effective samples throughout\n";
  for (const std::string& line : p.words) text += line + "\n";
  return text;
}

std::string marginals_tsv(const Posterior& p) {
  std::string text =
      "parameterId\tscale\tbest\tmean\tstandard_deviation\tmedian\tlow\thigh\tr_hat\t"
      "effective_bulk\teffective_tail\tconverged\tshare\tlow_all\thigh_all\n";
  for (const Marginal& m : p.marginals) {
    text += m.id + "\t" + scale_name(m.scale);
    for (double x : {m.best, m.mean, m.deviation, m.median, m.low, m.high, m.convergence.r_hat,
                     m.convergence.bulk_size, m.convergence.tail_size})
      text += "\t" + format_number(x);
    text += std::string("\t") + (m.converged ? "yes" : "no");
    for (double x : {m.share, m.low_all, m.high_all}) text += "\t" + format_number(x);
    text += "\n";
  }
  return text;
}

std::string draws_csv(const PosteriorDraws& all, const std::vector<EstimatedParameter>& unknowns) {
  std::string text = "chain,draw,minus_log_density";
  for (const EstimatedParameter& u : unknowns) text += "," + csv_cell(u.id);
  text += "\n";
  for (std::size_t c = 0; c < all.points.size(); ++c)
    for (std::size_t k = 0; k < all.points[c].size(); ++k) {
      text +=
          std::to_string(c) + "," + std::to_string(k) + "," + format_number(all.potentials[c][k]);
      for (std::size_t i = 0; i < unknowns.size(); ++i)
        text += "," + format_number(from_theta(all.points[c][k][i], unknowns[i].scale));
      text += "\n";
    }
  return text;
}

std::string course_bands_csv(const Posterior& p) {
  std::string text = "experiment,time,quantity,measured,mean,sd";
  for (double share : shares) text += ",q" + format_short(100 * share, 6);
  text += "\n";
  for (std::size_t i = 0; i < p.points.size(); ++i) {
    const CoursePoint& point = p.points[i];
    text += csv_cell(point.experiment) + "," + format_number(point.time) + "," +
            csv_cell(point.quantity) + "," + (point.measured ? "yes" : "no") + "," +
            format_number(p.bands->mean(i)) + "," + format_number(p.bands->deviation(i));
    for (double share : shares) text += "," + format_number(p.bands->quantile(i, share));
    text += "\n";
  }
  return text;
}

std::string posterior_json(const Posterior& p) {
  JsonWriter json;
  json.begin_object().member("problem", p.problem);
  json.member("sampler", p.sampler).member("samples", p.samples);
  json.member("samples_asked", p.samples_asked).member("chains", p.chains);
  json.key("parts").begin_array();
  for (std::size_t size : p.parts) json.value(static_cast<std::int64_t>(size));
  json.end_array();
  json.member("warmup", p.warmup).member("thin", p.thin).member("seed", p.seed);
  json.member("evaluations", p.evaluations).member("failures", p.failures);
  json.member("acceptance", p.acceptance).key("swaps").begin_array();
  for (double share : p.swaps) json.value(share);
  json.end_array().member("converged", p.converged).member("interrupted", p.interrupted);
  json.key("best_fit").begin_object().member("objective", p.fit);
  if (!std::isnan(p.first_fit))
    json.member("instead_of", p.first_fit).member("message", replaced_words(p));
  json.end_object();
  json.member("plain_words", p.words)
      .member("notes", p.notes)
      .member("level", p.level)
      .key("parameters")
      .begin_array();
  for (const Marginal& m : p.marginals) {
    json.begin_object().member("id", m.id).member("scale", scale_name(m.scale));
    json.member("best", m.best).member("mean", m.mean).member("sd", m.deviation);
    json.member("median", m.median).member("low", m.low).member("high", m.high);
    json.member("r_hat", m.convergence.r_hat).member("effective_bulk", m.convergence.bulk_size);
    json.member("effective_tail", m.convergence.tail_size).member("converged", m.converged);
    json.member("share", m.share).member("low_all", m.low_all).member("high_all", m.high_all);
    json.end_object();
  }
  json.end_array().key("derived").begin_array();
  for (const DerivedQuantity& d : p.derived) write_derived_quantity(json, d);
  json.end_array().key("other_places").begin_array();
  for (const OtherPlace& place : p.places) {
    json.begin_object().member("share", place.share).key("parameters").begin_array();
    for (const OtherPlace::Range& r : place.ranges)
      json.begin_object()
          .member("id", r.id)
          .member("low", r.low)
          .member("high", r.high)
          .end_object();
    json.end_array().end_object();
  }
  json.end_array().member("band_samples", p.band_samples).member("band_failures", p.band_failures);
  json.key("bands").begin_array();
  for (std::size_t i = 0; p.bands && i < p.points.size(); ++i) {
    const CoursePoint& point = p.points[i];
    json.begin_object().member("experiment", point.experiment).member("time", point.time);
    json.member("quantity", point.quantity).member("measured", point.measured);
    json.member("mean", p.bands->mean(i)).member("sd", p.bands->deviation(i));
    for (double share : shares)
      json.member("q" + format_short(100 * share, 6), p.bands->quantile(i, share));
    json.end_object();
  }
  json.end_array();
  write_provenance(json, p.provenance);
  return json.end_object().text();
}

}  // namespace stiffit::internal
