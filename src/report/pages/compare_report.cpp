// SPDX-License-Identifier: Apache-2.0
#include "report/pages/compare_report.h"

#include <algorithm>
#include <cmath>

#include "analysis/compare/stability.h"
#include "base/number.h"
#include "ode/method_registry.h"
#include "report/plots/contour.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t grid_width = 60, grid_height = 24;  // of the upper half plane
constexpr double slack = 1e-6;  // of the growth: rounding of the steps it is found by

Plot work_picture(const std::string& title, const char* measure) {
  Plot plot;
  plot.title = title;
  plot.x_label = "true error";
  plot.y_label = measure;
  plot.width = 820;
  plot.height = 480;
  return plot;
}

void set_axes(Plot& plot) {
  std::vector<double> x, y;
  for (const PlotCurve& curve : plot.curves)
    for (const PlotPoint& p : curve.points) {
      x.push_back(p.x);
      y.push_back(p.y);
    }
  plot.x = axis_around(AxisScale::logarithmic, x);
  plot.y = axis_around(AxisScale::logarithmic, y);
}

// By error; a run counts only if none with a smaller error was cheaper.
std::vector<PlotPoint> frontier(std::vector<PlotPoint> points) {
  std::sort(points.begin(), points.end(), [](const PlotPoint& a, const PlotPoint& b) {
    return a.x != b.x ? a.x < b.x : a.y < b.y;
  });
  std::vector<PlotPoint> kept;
  for (const PlotPoint& p : points)
    if (kept.empty() || p.y < kept.back().y) kept.push_back(p);
  return kept;
}

// Round and symmetric enough that explicit methods show their shape.
Axis plane_axis(const std::vector<double>& values, double low, double high) {
  for (double v : values) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  const bool far = std::max(-low, high) > 12;
  return {far ? AxisScale::symmetric : AxisScale::linear, 1.1 * low, 1.1 * high};
}

PlotRegion stable_region(const std::string& method, const Axis& x, const Axis& y) {
  StabilityTrial trial(method, find_method(method)->order_drawn);
  std::vector<double> xs, ys;
  for (std::size_t i = 0; i <= grid_width; ++i)
    xs.push_back(x.value_at(static_cast<double>(i) / grid_width));
  for (std::size_t j = 0; j <= 2 * grid_height; ++j)
    ys.push_back(y.value_at(static_cast<double>(j) / (2 * grid_height)));
  std::vector<double> values(xs.size() * ys.size());
  for (std::size_t j = grid_height; j < ys.size(); ++j)
    for (std::size_t i = 0; i < xs.size(); ++i) {
      // The factor of a step is real on the real axis: both halves are the same.
      const double growth = std::log(trial.growth({xs[i], ys[j]})) - slack;
      const double v = std::isnan(growth) ? 1 : std::clamp(growth, -1.0, 1.0);
      values[j * xs.size() + i] = values[(2 * grid_height - j) * xs.size() + i] = v;
    }
  PlotRegion region;
  region.name = "stable";
  region.rings = rings_below_zero(xs, ys, values);
  return region;
}

}  // namespace

std::vector<Plot> work_pictures(const std::string& model, const api::Comparison& comparison) {
  Plot steps = work_picture(model + ": steps for a given error", "steps");
  Plot time = work_picture(model + ": time for a given error", "seconds");
  for (std::size_t m = 0; m < comparison.curves.size(); ++m) {
    const auto& [method, runs] = comparison.curves[m];
    PlotCurve curve, timed;
    curve.name = timed.name = method;
    curve.marks = timed.marks = true;
    curve.style = timed.style = static_cast<int>(m);
    for (const api::Work& run : runs)
      if (std::isfinite(run.achieved) && run.achieved > 0 && run.achieved < 1)
        curve.points.push_back({run.achieved, static_cast<double>(run.steps)});
    for (const api::Comparison::Row& row : comparison.table)
      if (row.method == method && row.best && row.best->achieved > 0)
        timed.points.push_back({row.best->achieved, row.best->seconds});
    curve.points = frontier(std::move(curve.points));
    timed.points = frontier(std::move(timed.points));
    if (!curve.points.empty()) steps.curves.push_back(std::move(curve));
    if (!timed.points.empty()) time.curves.push_back(std::move(timed));
  }
  std::vector<Plot> plots{steps, time};
  for (Plot& plot : plots) {
    set_axes(plot);
    plot.height += 12.0 * static_cast<double>(plot.curves.size() / 4);  // for the legend
  }
  return plots;
}

Plot stability_picture(const std::string& method, const std::string& caption,
                       const std::vector<std::complex<double>>& points) {
  Plot plot;
  plot.title = method;
  if (const int order = find_method(method)->order_drawn)
    plot.title += " (order " + std::to_string(order) + ")";
  plot.x_label = "Re(h*lambda)";
  plot.y_label = "Im(h*lambda)";
  plot.width = 410;
  plot.height = 380;
  PlotCurve marks;
  marks.name = caption;
  marks.line = false;
  marks.marks = true;
  std::vector<double> real, imaginary;
  for (auto z : points) {
    marks.points.push_back({z.real(), z.imag()});
    real.push_back(z.real());
    imaginary.insert(imaginary.end(), {z.imag(), -z.imag()});
  }
  plot.x = plane_axis(real, -6, 3);
  plot.y = plane_axis(imaginary, -4, 4);
  plot.regions = {stable_region(method, plot.x, plot.y)};
  plot.guides = {{true, 0, ""}, {false, 0, ""}};
  plot.curves = {marks};
  return plot;
}

std::vector<Plot> stability_pictures(const api::Comparison& comparison) {
  std::vector<Plot> plots;
  for (const api::MethodSteps& steps : comparison.steps)
    plots.push_back(stability_picture(
        steps.method, steps.error > 0 ? "h*lambda at error " + format_short(steps.error) : "",
        steps.eigenvalues));
  return plots;
}

}  // namespace stiffit::internal
