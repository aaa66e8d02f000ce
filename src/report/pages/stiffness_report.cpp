// SPDX-License-Identifier: Apache-2.0
#include "report/pages/stiffness_report.h"

#include <algorithm>
#include <cmath>

#include "analysis/stiffness/stiffness.h"
#include "base/number.h"
#include "report/csv.h"
#include "report/pages/report_text.h"
#include "report/plots/page.h"

namespace stiffit::internal {
namespace {

using Shares = std::vector<std::pair<std::string, double>>;

Axis time_axis(const api::Stiffness& s) {
  return {AxisScale::linear, s.times.empty() ? 0 : s.times.front(),
          s.times.empty() ? 1 : s.times.back()};
}

Plot index_over_time(const std::string& model, const api::Stiffness& s) {
  Plot plot;
  plot.title = model + ": stiffness index S = " + format_short(s.span) + "/tau";
  plot.x_label = "time";
  plot.y_label = "S(t)";
  PlotCurve curve;
  std::vector<double> values{50, 4000};  // both bounds are in the picture
  for (std::size_t i = 0; i < s.times.size(); ++i) {
    curve.points.push_back({s.times[i], s.index[i]});
    values.push_back(s.index[i]);
  }
  values.push_back(s.peak_index);
  plot.x = time_axis(s);
  plot.y = axis_around(AxisScale::logarithmic, values);
  plot.guides = {{false, moderate_from, "moderate"}, {false, stiff_from, "stiff"}};
  PlotCurve peak;
  peak.points = {{s.peak_time, s.peak_index}};
  peak.name = "largest: " + format_short(s.peak_index) + " at time " + format_short(s.peak_time);
  peak.line = false;
  peak.marks = true;
  plot.curves = {curve, peak};
  return plot;
}

Plot spectrum_over_time(const api::Stiffness& s) {
  Plot plot;
  plot.title = "Both ends of the spectrum, times the span";
  plot.x_label = "time";
  plot.y_label = "span * Re(lambda)";
  PlotCurve low, high;
  low.name = "smallest real part";
  high.name = "largest real part";
  std::vector<double> values{-1, 1};
  for (std::size_t i = 0; i < s.times.size(); ++i) {
    const double smallest = s.span * s.lambda_min[i], largest = s.span * s.lambda_max[i];
    low.points.push_back({s.times[i], smallest});
    high.points.push_back({s.times[i], largest});
    values.insert(values.end(), {smallest, largest});
  }
  plot.x = time_axis(s);
  plot.y = axis_around(AxisScale::symmetric, values);
  plot.curves = {low, high};
  return plot;
}

Plot eigenvalues_at_peak(const api::Stiffness& s) {
  Plot plot;
  plot.title = "Eigenvalues at time " + format_short(s.peak_time) + ", times the span";
  plot.x_label = "real part";
  plot.y_label = "imaginary part";
  PlotCurve points;
  points.line = false;
  points.marks = true;
  std::vector<double> real{-1, 1}, imaginary{-1, 1};
  for (auto v : s.eigenvalues) {
    points.points.push_back({s.span * v.real(), s.span * v.imag()});
    real.push_back(s.span * v.real());
    imaginary.push_back(s.span * v.imag());
  }
  plot.x = axis_around(AxisScale::symmetric, real);
  plot.y = axis_around(AxisScale::symmetric, imaginary);
  plot.guides = {{true, 0, ""}, {false, 0, ""}};
  plot.curves = {points};
  return plot;
}

void shares_table(HtmlPage& page, const char* what, const Shares& shares) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, share] : shares) rows.push_back({name, format_short(100 * share, 3)});
  if (!rows.empty()) page.table({what, "percent"}, rows);
}

std::string list_of(const Shares& list) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), 5); ++i)
    text += (i ? ", " : "") + list[i].first + " (" +
            std::to_string(static_cast<int>(std::lround(100 * list[i].second))) + " %)";
  return text.empty() ? "none" : text;
}

}  // namespace

std::string stiffness_csv(const api::Stiffness& s) {
  std::string text = "time,index,tau,lambda_min,lambda_max,fastest_species\n";
  for (std::size_t i = 0; i < s.times.size(); ++i) {
    for (double value : {s.times[i], s.index[i], s.tau[i], s.lambda_min[i], s.lambda_max[i]})
      text += format_number(value) + ",";
    text += csv_cell(s.fastest[i]) + "\n";
  }
  return text;
}

std::string stiffness_verdict(const api::Stiffness& s) {
  std::string text = "verdict: " + s.verdict + "; the index is at most " +
                     format_short(s.peak_index) + " (span " + format_short(s.span) + "), at time " +
                     format_short(s.peak_time) + "\n";
  if (s.peak_lambda_min < 0)
    text += "fastest mode: time constant " + format_short(s.peak_tau) + "; species " +
            list_of(s.species) + "; reactions " + list_of(s.reactions) + "\n";
  else
    text += "nothing decays at any moment\n";
  return text + "an explicit method needs at least " + format_short(s.explicit_steps) +
         " steps to stay stable\nrecommended method: " + s.recommended + "\n";
}

std::vector<Plot> stiffness_pictures(const std::string& model, const api::Stiffness& s) {
  std::vector<Plot> plots{index_over_time(model, s), spectrum_over_time(s)};
  if (!s.eigenvalues.empty()) plots.push_back(eigenvalues_at_peak(s));
  return plots;
}

std::string stiffness_page(const std::string& model, const api::Stiffness& s,
                           const std::string& verdict, const std::string& csv,
                           const std::string& json) {
  HtmlPage page("Stiffness of " + model);
  add_lines(page, verdict);
  const std::vector<Plot> plots = stiffness_pictures(model, s);
  page.picture(plots, page_width, "stiffness");
  page.heading("The fastest mode, at its fastest");
  page.table({"", ""}, {{"time", format_short(s.peak_time)},
                        {"time constant", format_short(s.peak_tau)},
                        {"smallest real part", format_short(s.peak_lambda_min)},
                        {"largest real part", format_short(s.peak_lambda_max)},
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
