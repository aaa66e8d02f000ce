// Curves, data and bands over time as pictures of a report: axes that suit the numbers, and no more
// points than a picture can show.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "report/plots/plot.h"

namespace stiffit::internal {

constexpr double report_plot_width = 412, report_plot_height = 290;
constexpr std::size_t curves_per_plot = 8;
constexpr std::size_t most_points = 400;  // of one curve

Plot report_plot(const std::string& title, const std::string& x_label, const std::string& y_label);

// Both axes around all that the curves and regions show. Logarithmic time where most points crowd
// at the beginning of a long span; points at time 0 then go to the left edge, which its label says.
// Logarithmic values if `log_values`, or if they are positive and span more than four decades.
void set_time_axes(Plot& plot, bool log_values = false);

// Every so many of them, if there are more than a picture can show.
std::vector<PlotPoint> thinned(std::vector<PlotPoint> points, std::size_t most = most_points);

// The region between two curves of the same abscissas.
PlotRegion band_between(const std::string& name, const std::vector<PlotPoint>& low,
                        const std::vector<PlotPoint>& high, bool strong);

// Median, half and 95 % of a distribution at each time; `quantile` by row and share. The axes are
// still to be set.
Plot band_plot(const std::string& title, const std::string& y_label,
               const std::vector<double>& times,
               const std::function<double(std::size_t row, double share)>& quantile);

}  // namespace stiffit::internal
