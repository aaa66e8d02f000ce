// SPDX-License-Identifier: Apache-2.0
#include "report/pages/stiffness_report.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "report/csv.h"
#include "report/pages/report_text.h"
#include "report/plots/page.h"

namespace stiffit::internal {
namespace {

Axis time_axis(const Stiffness& s) {
  return {AxisScale::linear, s.rows.empty() ? 0 : s.rows.front().time,
          s.rows.empty() ? 1 : s.rows.back().time};
}

Plot index_over_time(const std::string& model, const Stiffness& s, double span) {
  Plot plot;
  plot.title = model + ": stiffness index S = " + format_short(span) + "/tau";
  plot.x_label = "time";
  plot.y_label = "S(t)";
  PlotCurve curve;
  std::vector<double> values{50, 4000};  // both bounds are in the picture
  for (const StiffnessRow& row : s.rows) {
    curve.points.push_back({row.time, row.index});
    values.push_back(row.index);
  }
  values.push_back(s.peak.index);
  plot.x = time_axis(s);
  plot.y = axis_around(AxisScale::logarithmic, values);
  plot.guides = {{false, moderate_from, "moderate"}, {false, stiff_from, "stiff"}};
  PlotCurve peak;
  peak.points = {{s.peak.time, s.peak.index}};
  peak.name = "largest: " + format_short(s.peak.index) + " at time " + format_short(s.peak.time);
  peak.line = false;
  peak.marks = true;
  plot.curves = {curve, peak};
  return plot;
}

Plot spectrum_over_time(const Stiffness& s, double span) {
  Plot plot;
  plot.title = "Both ends of the spectrum, times the span";
  plot.x_label = "time";
  plot.y_label = "span * Re(lambda)";
  PlotCurve low, high;
  low.name = "smallest real part";
  high.name = "largest real part";
  std::vector<double> values{-1, 1};
  for (const StiffnessRow& row : s.rows) {
    low.points.push_back({row.time, span * row.lambda_min});
    high.points.push_back({row.time, span * row.lambda_max});
    values.insert(values.end(), {span * row.lambda_min, span * row.lambda_max});
  }
  plot.x = time_axis(s);
  plot.y = axis_around(AxisScale::symmetric, values);
  plot.curves = {low, high};
  return plot;
}

Plot eigenvalues_at_peak(const Stiffness& s, double span) {
  Plot plot;
  plot.title = "Eigenvalues at time " + format_short(s.peak.time) + ", times the span";
  plot.x_label = "real part";
  plot.y_label = "imaginary part";
  PlotCurve points;
  points.line = false;
  points.marks = true;
  std::vector<double> real{-1, 1}, imaginary{-1, 1};
  for (auto v : s.at_peak) {
    points.points.push_back({span * v.real(), span * v.imag()});
    real.push_back(span * v.real());
    imaginary.push_back(span * v.imag());
  }
  plot.x = axis_around(AxisScale::symmetric, real);
  plot.y = axis_around(AxisScale::symmetric, imaginary);
  plot.guides = {{true, 0, ""}, {false, 0, ""}};
  plot.curves = {points};
  return plot;
}

void shares_table(HtmlPage& page, const char* what, const std::vector<Share>& shares) {
  std::vector<std::vector<std::string>> rows;
  for (const Share& share : shares)
    rows.push_back({share.name, format_short(100 * share.share, 3)});
  if (!rows.empty()) page.table({what, "percent"}, rows);
}

std::string list_of(const std::vector<Share>& list) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), 5); ++i)
    text += (i ? ", " : "") + list[i].name + " (" +
            std::to_string(static_cast<int>(std::lround(100 * list[i].share))) + " %)";
  return text.empty() ? "none" : text;
}

}  // namespace

std::string stiffness_csv(const Stiffness& s, const std::vector<std::string>& names) {
  std::string text = "time,index,tau,lambda_min,lambda_max,fastest_species\n";
  for (const StiffnessRow& row : s.rows) {
    for (double value : {row.time, row.index, row.tau, row.lambda_min, row.lambda_max})
      text += format_number(value) + ",";
    text += csv_cell(row.fastest < 0 ? "" : names[row.fastest]) + "\n";
  }
  return text;
}

std::string stiffness_verdict(const Stiffness& s, double span) {
  std::string text = std::string("verdict: ") + word(s.verdict) + "; the index is at most " +
                     format_short(s.peak.index) + " (span " + format_short(span) + "), at time " +
                     format_short(s.peak.time) + "\n";
  if (s.peak.lambda_min < 0)
    text += "fastest mode: time constant " + format_short(s.peak.tau) + "; species " +
            list_of(s.species) + "; reactions " + list_of(s.reactions) + "\n";
  else
    text += "nothing decays at any moment\n";
  return text + "an explicit method needs at least " + format_short(s.explicit_steps) +
         " steps to stay stable\nrecommended method: " + s.recommended + "\n";
}

std::vector<Plot> stiffness_pictures(const std::string& model, const Stiffness& s, double span) {
  std::vector<Plot> plots{index_over_time(model, s, span), spectrum_over_time(s, span)};
  if (!s.at_peak.empty()) plots.push_back(eigenvalues_at_peak(s, span));
  return plots;
}

std::string stiffness_page(const std::string& model, const Stiffness& s, double span,
                           const std::string& verdict, const std::string& csv,
                           const std::string& json) {
  HtmlPage page("Stiffness of " + model);
  add_lines(page, verdict);
  const std::vector<Plot> plots = stiffness_pictures(model, s, span);
  page.picture(plots, page_width, "stiffness");
  page.heading("The fastest mode, at its fastest");
  page.table({"", ""}, {{"time", format_short(s.peak.time)},
                        {"time constant", format_short(s.peak.tau)},
                        {"smallest real part", format_short(s.peak.lambda_min)},
                        {"largest real part", format_short(s.peak.lambda_max)},
                        {"fastest over slowest decay", format_short(s.ratio)},
                        {"steps an explicit method is forced to", format_short(s.explicit_steps)}});
  page.paragraph("Who takes part in it:");
  shares_table(page, "species", s.species);
  shares_table(page, "reaction", s.reactions);
  page.heading("The numbers");
  page.download("stiffness.csv", "text/csv", csv);
  page.download("stiffness.json", "application/json", json);
  add_provenance(page);
  return page.text();
}

}  // namespace stiffit::internal
