// SPDX-License-Identifier: Apache-2.0
#include "report/pages/report_curves.h"

#include <algorithm>
#include <cmath>

namespace stiffit::internal {
namespace {

template <class Visit>
void each_point(Plot& plot, Visit visit) {
  for (PlotCurve& curve : plot.curves)
    for (PlotPoint& p : curve.points) visit(p);
  for (PlotRegion& region : plot.regions)
    for (auto& ring : region.rings)
      for (PlotPoint& p : ring) visit(p);
}

bool crowded(std::vector<double> times) {
  std::erase_if(times, [](double t) { return !(t > 0); });
  if (times.size() < 4) return false;
  std::sort(times.begin(), times.end());
  return times.back() > 200 * times.front() && times[times.size() / 2] < 0.1 * times.back();
}

}  // namespace

Plot report_plot(const std::string& title, const std::string& x_label, const std::string& y_label) {
  Plot plot;
  plot.title = title;
  plot.x_label = x_label;
  plot.y_label = y_label;
  plot.width = report_plot_width;
  plot.height = report_plot_height;
  return plot;
}

void set_time_axes(Plot& plot, bool log_values) {
  std::vector<double> times, marked, values, measured;
  each_point(plot, [&](const PlotPoint& p) {
    times.push_back(p.x);
    values.push_back(p.y);
  });
  for (const PlotCurve& curve : plot.curves)
    if (curve.marks)
      for (const PlotPoint& p : curve.points) {
        marked.push_back(p.x);
        measured.push_back(p.y);
      }
  // Where there are data they decide; a curve may come from almost nothing.
  double smallest = INFINITY, largest = 0;
  bool negative = false;
  for (double v : measured.empty() ? values : measured) {
    if (!std::isfinite(v)) continue;
    negative |= v < 0;
    largest = std::max(largest, v);
    if (v > 0) smallest = std::min(smallest, v);
  }
  const bool wide = largest > 0 && !negative && smallest < 1e-4 * largest;
  const bool logarithmic = (wide || log_values) && largest > 0;
  // What falls to nothing would stretch the axis without end.
  const double least = measured.empty() ? 1e-10 * largest : 0.03 * smallest;
  for (double& v : values)
    if (logarithmic && v < least) v = NAN;
  plot.y = axis_around(logarithmic ? AxisScale::logarithmic : AxisScale::linear, values);
  plot.height = report_plot_height + legend_height(plot);
  const bool negative_time =
      std::any_of(times.begin(), times.end(), [](double t) { return t < 0; });
  if (!negative_time && crowded(marked.empty() ? times : marked)) {
    std::vector<double> positive = times;
    std::erase_if(positive, [](double t) { return !(t > 0); });
    plot.x = axis_around(AxisScale::logarithmic, positive);
    each_point(plot, [&](PlotPoint& p) { p.x = std::max(p.x, plot.x.low()); });
    if (positive.size() < times.size()) plot.x_label += " (0 at the left edge)";
  } else {
    const auto [low, high] = std::minmax_element(times.begin(), times.end());
    if (times.empty()) return;
    const double edge = marked.empty() ? 0 : 0.02 * (*high - *low);  // marks are seen whole
    plot.x = Axis(AxisScale::linear, *low - edge, *high + edge);
  }
  // A band may reach below what a logarithmic axis has.
  if (plot.y.scale() == AxisScale::logarithmic)
    for (PlotRegion& region : plot.regions)
      for (auto& ring : region.rings)
        for (PlotPoint& p : ring)
          if (!(p.y > plot.y.low())) p.y = plot.y.low();
}

std::vector<PlotPoint> thinned(std::vector<PlotPoint> points, std::size_t most) {
  if (points.size() <= most) return points;
  const std::size_t every = points.size() / most + 1;
  std::vector<PlotPoint> kept;
  for (std::size_t i = 0; i < points.size(); i += every) kept.push_back(points[i]);
  if ((points.size() - 1) % every != 0) kept.push_back(points.back());
  return kept;
}

PlotRegion band_between(const std::string& name, const std::vector<PlotPoint>& low,
                        const std::vector<PlotPoint>& high, bool strong) {
  PlotRegion region;
  region.name = name;
  region.strong = strong;
  std::vector<PlotPoint> ring;
  for (const PlotPoint& p : low)
    if (std::isfinite(p.y)) ring.push_back(p);
  for (auto p = high.rbegin(); p != high.rend(); ++p)
    if (std::isfinite(p->y)) ring.push_back(*p);
  if (ring.size() > 2) region.rings.push_back(std::move(ring));
  return region;
}

Plot band_plot(const std::string& title, const std::string& y_label,
               const std::vector<double>& times,
               const std::function<double(std::size_t row, double share)>& quantile) {
  Plot plot = report_plot(title, "time", y_label);
  auto curve = [&](double share) {
    std::vector<PlotPoint> points;
    for (std::size_t r = 0; r < times.size(); ++r) points.push_back({times[r], quantile(r, share)});
    return thinned(std::move(points));
  };
  plot.regions = {band_between("95 %", curve(0.025), curve(0.975), false),
                  band_between("50 %", curve(0.25), curve(0.75), true)};
  plot.curves = {{"median", curve(0.5), true, false, 0}};
  return plot;
}

}  // namespace stiffit::internal
