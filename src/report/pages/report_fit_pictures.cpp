// SPDX-License-Identifier: Apache-2.0
#include "report/pages/report_fit_pictures.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/number.h"
#include "report/csv.h"
#include "report/pages/report_curves.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t most_bars = 150;  // in one picture

// Names in the order in which they come first.
template <class Get>
std::vector<std::string> distinct(const std::vector<FittedDatum>& data, Get get) {
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const FittedDatum& d : data)
    if (seen.insert(get(d)).second) names.push_back(get(d));
  return names;
}

struct Ends {
  double low, high;
};

// One standard deviation to each side, as values.
Ends bar_of(const FittedDatum& d) {
  // A Student t has one from three degrees of freedom on; before, its scale is shown.
  const double sd = d.kind == NoiseKind::laplace ? std::sqrt(2.0) * d.noise
                    : d.kind == NoiseKind::student_t && d.freedom > 3
                        ? std::sqrt(d.freedom / (d.freedom - 2)) * d.noise
                        : d.noise;
  if (d.transformation == Transformation::none) return {d.measurement - sd, d.measurement + sd};
  const double factor = d.transformation == Transformation::log ? std::exp(sd) : std::pow(10.0, sd);
  return {d.measurement / factor, d.measurement * factor};
}

// The fitted curve: between the data where it is known there, through them otherwise.
std::vector<std::vector<PlotPoint>> curves_of(const std::vector<FittedDatum>& data,
                                              const std::string& experiment,
                                              const FittedCurves& curves) {
  std::map<std::string, std::vector<PlotPoint>> lines;
  for (const FittedDatum& d : data)
    if (d.experiment == experiment && std::isfinite(d.time))
      lines[d.curve].push_back({d.time, d.simulation});
  if (lines.size() == 1)
    for (std::size_t i = 0; i < curves.values.size(); ++i)
      if (curves.points[i].quantity == data.front().observable &&
          curves.points[i].experiment == experiment)
        lines.begin()->second.push_back({curves.points[i].time, curves.values[i]});
  std::vector<std::vector<PlotPoint>> result;
  for (auto& [key, points] : lines) {
    std::stable_sort(points.begin(), points.end(),
                     [](const PlotPoint& a, const PlotPoint& b) { return a.x < b.x; });
    result.push_back(thinned(points));
  }
  return result;
}

// Values that are only known to lie below or above a limit: a mark there, a line to that side.
void add_limits(Plot& plot, const std::vector<FittedDatum>& data, const std::string& experiment,
                int style) {
  double low = INFINITY, high = -INFINITY;
  for (const FittedDatum& d : data) {
    low = std::min({low, d.measurement, d.simulation});
    high = std::max({high, d.measurement, d.simulation});
  }
  for (Censoring side : {Censoring::below, Censoring::above}) {
    PlotCurve marks{
        side == Censoring::below ? "below these" : "above these", {}, false, true, style};
    for (const FittedDatum& d : data) {
      if (d.censoring != side || d.experiment != experiment || !std::isfinite(d.time)) continue;
      marks.points.push_back({d.time, d.measurement});
      const double length = (side == Censoring::below ? -0.08 : 0.08) * (high - low);
      const std::vector<PlotPoint> tail{{d.time, d.measurement}, {d.time, d.measurement + length}};
      plot.curves.push_back({"", tail, true, false, style});
    }
    if (!marks.points.empty()) plot.curves.push_back(std::move(marks));
  }
}

Plot data_picture(const std::string& observable, const std::vector<FittedDatum>& data,
                  const std::vector<std::string>& experiments, const FittedCurves& curves) {
  Plot plot = report_plot(observable, "time", observable);
  const std::size_t count = std::count_if(data.begin(), data.end(), [&](const FittedDatum& d) {
    return std::find(experiments.begin(), experiments.end(), d.experiment) != experiments.end();
  });
  bool logarithmic = false;
  for (std::size_t e = 0; e < experiments.size(); ++e) {
    const int style = static_cast<int>(e);
    bool first = true;
    for (auto& points : curves_of(data, experiments[e], curves)) {
      PlotCurve line;
      if (first) line.name = experiments.size() == 1 ? "fit" : experiments[e];
      line.points = std::move(points);
      line.style = style;
      plot.curves.push_back(std::move(line));
      first = false;
    }
    PlotCurve marks;
    marks.line = false;
    marks.marks = true;
    marks.style = style;
    if (experiments.size() == 1) marks.name = "data";
    add_limits(plot, data, experiments[e], style);
    for (const FittedDatum& d : data) {
      if (d.experiment != experiments[e] || !std::isfinite(d.time)) continue;
      if (d.censoring != Censoring::none) continue;
      marks.points.push_back({d.time, d.measurement});
      logarithmic |= d.transformation != Transformation::none;
      if (count > most_bars || !std::isfinite(d.noise)) continue;
      const Ends bar = bar_of(d);
      plot.curves.push_back({"", {{d.time, bar.low}, {d.time, bar.high}}, true, false, style});
    }
    marks.points = thinned(std::move(marks.points));
    plot.curves.push_back(std::move(marks));
  }
  set_time_axes(plot, logarithmic);
  return plot;
}

Plot steady_picture(const std::string& observable, const std::vector<FittedDatum>& data) {
  Plot plot = report_plot(observable + " at the steady state", "simulated", "measured");
  PlotCurve marks{"data", {}, false, true, -1};
  std::vector<double> values;
  for (const FittedDatum& d : data)
    if (!std::isfinite(d.time)) {
      marks.points.push_back({d.simulation, d.measurement});
      values.insert(values.end(), {d.simulation, d.measurement});
    }
  plot.x = plot.y = axis_around(AxisScale::linear, values);
  plot.curves = {marks, {"equal", {{plot.x.low(), plot.x.low()}, {plot.x.high(), plot.x.high()}}}};
  return plot;
}

// Where a standard normal, or a Laplace distribution of scale 1, has this share below it.
double normal_quantile(double share) {
  double low = -40, high = 40;
  for (int i = 0; i < 80; ++i) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < share ? low : high) = middle;
  }
  return 0.5 * (low + high);
}
double laplace_quantile(double share) {
  return share < 0.5 ? std::log(2 * share) : -std::log(2 - 2 * share);
}

double student_quantile(double share, double freedom) {
  return boost::math::quantile(boost::math::students_t(freedom), share);
}

Plot quantile_picture(const std::vector<FittedDatum>& data) {
  auto all_are = [&](NoiseKind kind) {
    return !data.empty() && std::all_of(data.begin(), data.end(),
                                        [&](const FittedDatum& d) { return d.kind == kind; });
  };
  const bool laplace = all_are(NoiseKind::laplace), student = all_are(NoiseKind::student_t);
  auto expected = [&](double share) {
    return laplace   ? laplace_quantile(share)
           : student ? student_quantile(share, data.front().freedom)
                     : normal_quantile(share);
  };
  Plot plot = report_plot("Residuals against what the noise should give",
                          laplace   ? "Laplace quantiles"
                          : student ? "Student t quantiles"
                                    : "normal quantiles",
                          "residuals, sorted");
  std::vector<double> sorted;
  for (const FittedDatum& d : data)
    if (std::isfinite(d.residual)) sorted.push_back(d.residual);
  std::sort(sorted.begin(), sorted.end());
  PlotCurve marks{"residuals", {}, false, true, 0};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(sorted.size());
    marks.points.push_back({expected(share), sorted[i]});
  }
  marks.points = thinned(std::move(marks.points), 800);
  std::vector<double> x{-2, 2}, y{-2, 2};
  for (const PlotPoint& p : marks.points) {
    x.push_back(p.x);
    y.push_back(p.y);
  }
  plot.x = axis_around(AxisScale::linear, x);
  plot.y = axis_around(AxisScale::linear, y);
  const double from = std::max(plot.x.low(), plot.y.low()),
               to = std::min(plot.x.high(), plot.y.high());
  plot.curves = {marks, {"as expected", {{from, from}, {to, to}}, true, false, 1}};
  return plot;
}

}  // namespace

std::vector<Plot> data_pictures(const std::vector<FittedDatum>& data, const FittedCurves& curves) {
  std::vector<Plot> plots;
  for (const std::string& observable :
       distinct(data, [](const FittedDatum& d) { return d.observable; })) {
    std::vector<FittedDatum> own;
    std::copy_if(data.begin(), data.end(), std::back_inserter(own),
                 [&](const FittedDatum& d) { return d.observable == observable; });
    std::vector<FittedDatum> timed;
    std::copy_if(own.begin(), own.end(), std::back_inserter(timed),
                 [](const FittedDatum& d) { return std::isfinite(d.time); });
    if (timed.size() < own.size()) plots.push_back(steady_picture(observable, own));
    const auto experiments = distinct(timed, [](const FittedDatum& d) { return d.experiment; });
    for (std::size_t from = 0; from < experiments.size(); from += curves_per_plot) {
      const std::size_t to = std::min(from + curves_per_plot, experiments.size());
      plots.push_back(data_picture(observable, timed,
                                   {experiments.begin() + from, experiments.begin() + to}, curves));
    }
  }
  return plots;
}

std::vector<Plot> residual_pictures(const std::vector<FittedDatum>& data) {
  Plot over_time = report_plot("Residuals over time", "time", "(data - fit)/noise");
  const auto observables = distinct(data, [](const FittedDatum& d) { return d.observable; });
  for (std::size_t k = 0; k < observables.size(); ++k) {
    PlotCurve marks{observables.size() > curves_per_plot ? "" : observables[k],
                    {},
                    false,
                    true,
                    static_cast<int>(k)};
    for (const FittedDatum& d : data)
      if (d.observable == observables[k] && std::isfinite(d.time) && std::isfinite(d.residual))
        marks.points.push_back({d.time, d.residual});
    marks.points =
        thinned(std::move(marks.points), 800 / std::min<std::size_t>(8, observables.size()));
    if (!marks.points.empty()) over_time.curves.push_back(std::move(marks));
  }
  over_time.guides = {{false, 0, ""}, {false, 2, "2"}, {false, -2, "-2"}};
  std::vector<Plot> plots;
  if (!over_time.curves.empty()) {
    set_time_axes(over_time);
    over_time.y =
        axis_around(AxisScale::linear, {-2.5, 2.5, over_time.y.low(), over_time.y.high()});
    plots.push_back(std::move(over_time));
  }
  plots.push_back(quantile_picture(data));
  return plots;
}

Plot waterfall_picture(const FitSummary& fit) {
  Plot plot = report_plot("Waterfall of the starts", "start, the best first",
                          "objective above the best, plus 1");
  const double best = fit.best().fit.at.value;
  std::map<std::string, PlotCurve> kinds;
  std::vector<double> values{1, 10};
  for (std::size_t rank = 0; rank < fit.order.size(); ++rank) {
    const LocalFit& own = fit.starts[fit.order[rank]].fit;
    PlotCurve& curve = kinds[outcome_name(own.outcome)];
    curve.points.push_back({static_cast<double>(rank + 1), own.at.value - best + 1});
    values.push_back(own.at.value - best + 1);
  }
  for (auto& [name, curve] : kinds) {
    curve.name = name;
    curve.line = false;
    curve.marks = true;
    plot.curves.push_back(std::move(curve));
  }
  plot.x = Axis(AxisScale::linear, 0, static_cast<double>(fit.order.size()) + 1);
  plot.y = axis_around(AxisScale::logarithmic, values);
  return plot;
}

HeatMap correlation_picture(const FitStatistics& s, std::size_t most) {
  const std::size_t m = s.free.size();
  std::vector<std::size_t> chosen(m);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  if (m > most) {
    std::vector<double> strength(m, 0);
    for (std::size_t a = 0; a < m; ++a)
      for (std::size_t b = 0; b < m; ++b)
        if (a != b && std::isfinite(s.correlation[a * m + b]))
          strength[a] = std::max(strength[a], std::fabs(s.correlation[a * m + b]));
    std::stable_sort(chosen.begin(), chosen.end(),
                     [&](std::size_t a, std::size_t b) { return strength[a] > strength[b]; });
    chosen.resize(most);
    std::sort(chosen.begin(), chosen.end());
  }
  HeatMap map;
  map.title = "Correlations of the estimates";
  map.description = "A square of cells, blue for negative and red for positive correlations of " +
                    std::to_string(chosen.size()) +
                    " parameters; the numbers are in correlations.csv.";
  for (std::size_t a : chosen) {
    map.names.push_back(s.each[s.free[a]].id);
    for (std::size_t b : chosen) map.values.push_back(s.correlation[a * m + b]);
  }
  return map;
}

std::string correlations_csv(const FitStatistics& s) {
  const std::size_t m = s.free.size();
  std::string text = "parameter";
  auto id = [&](std::size_t a) { return csv_cell(s.each[s.free[a]].id); };
  for (std::size_t a = 0; a < m; ++a) text += "," + id(a);
  text += "\n";
  for (std::size_t a = 0; a < m; ++a) {
    text += id(a);
    for (std::size_t b = 0; b < m; ++b) text += "," + format_number(s.correlation[a * m + b]);
    text += "\n";
  }
  return text;
}

std::vector<Plot> profile_pictures(const ProfileSummary& p) {
  std::vector<Plot> plots;
  for (const Profile& profile : p.profiles) {
    const EstimatedParameter& unknown = p.unknowns[profile.unknown];
    Plot plot = report_plot(unknown.id, unknown.id, "2 (objective - minimum)");
    auto value = [&](double theta) { return from_theta(theta, unknown.scale); };
    PlotCurve curve{"profile", {}, true, true, 0};
    for (auto at = profile.lower.points.rbegin(); at != profile.lower.points.rend(); ++at)
      curve.points.push_back({value(at->theta), at->ratio});
    const double best = value(p.best.x[profile.unknown]);
    curve.points.push_back({best, 0});
    for (const ProfilePoint& at : profile.upper.points)
      curve.points.push_back({value(at.theta), at.ratio});
    std::vector<double> x{best};  // what is far beyond the limit is of no interest
    for (const PlotPoint& point : curve.points)
      if (point.y < 2 * p.quantile) x.push_back(point.x);
    plot.x =
        axis_around(unknown.scale == Scale::lin ? AxisScale::linear : AxisScale::logarithmic, x);
    const auto [low, high] = std::minmax_element(x.begin(), x.end());
    // Round decades would leave a narrow profile as a spike.
    if (*low > 0 && *high < 10 * *low) plot.x = Axis(AxisScale::linear, *low, *high);
    plot.y = Axis(AxisScale::linear, 0, 1.6 * p.quantile);
    plot.guides = {{false, p.quantile, format_short(100 * p.level) + " %"}, {true, best, ""}};
    plot.curves = {std::move(curve)};
    plots.push_back(std::move(plot));
  }
  return plots;
}

std::vector<Plot> prediction_pictures(const ProfileSummary& p) {
  std::vector<Plot> plots;
  for (const PredictionProfile& one : p.predictions) {
    Plot plot = report_plot(one.words, one.words, "2 (objective - minimum)");
    PlotCurve curve{"profile", {}, true, true, 0};
    for (auto at = one.lower.points.rbegin(); at != one.lower.points.rend(); ++at)
      curve.points.push_back({at->prediction, at->ratio});
    curve.points.push_back({one.estimate, 0});
    for (const PredictionPoint& at : one.upper.points)
      curve.points.push_back({at.prediction, at.ratio});
    std::vector<double> x{one.estimate};
    for (const PlotPoint& point : curve.points)
      if (point.y < 2 * p.quantile) x.push_back(point.x);
    plot.x = axis_around(AxisScale::linear, x);
    plot.y = Axis(AxisScale::linear, 0, 1.6 * p.quantile);
    plot.guides = {{false, p.quantile, format_short(100 * p.level) + " %"},
                   {true, one.estimate, ""}};
    plot.curves = {std::move(curve)};
    plots.push_back(std::move(plot));
  }
  return plots;
}

std::vector<Plot> pair_pictures(const ProfileSummary& p) {
  std::vector<Plot> plots;
  for (const PairRegion& r : p.pairs) {
    const EstimatedParameter &a = p.unknowns[r.first], &b = p.unknowns[r.second];
    Plot plot = report_plot(a.id + " and " + b.id, a.id, b.id);
    const PlotPoint best{from_theta(p.best.x[r.first], a.scale),
                         from_theta(p.best.x[r.second], b.scale)};
    PlotCurve contour{format_short(100 * p.level) + " % contour", {}, true, false, 0};
    for (const PairPoint& at : r.points)
      contour.points.push_back({from_theta(at.a, a.scale), from_theta(at.b, b.scale)});
    if (r.closed && !contour.points.empty()) contour.points.push_back(contour.points.front());
    std::vector<double> x{best.x}, y{best.y};
    for (const PlotPoint& point : contour.points) {
      x.push_back(point.x);
      y.push_back(point.y);
    }
    auto axis = [](const EstimatedParameter& u, const std::vector<double>& values) {
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      return axis_around(
          u.scale != Scale::lin && *high > 10 * *low ? AxisScale::logarithmic : AxisScale::linear,
          values);
    };
    plot.x = axis(a, x);
    plot.y = axis(b, y);
    plot.curves = {std::move(contour), {"best fit", {best}, false, true, 1}};
    plots.push_back(std::move(plot));
  }
  return plots;
}

std::vector<Plot> band_pictures(const Posterior& p, const std::vector<FittedDatum>& data) {
  std::vector<Plot> measured, others;
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> cells;
  std::vector<std::pair<std::string, std::string>> order;
  for (std::size_t i = 0; p.bands && i < p.points.size(); ++i) {
    const std::pair key{p.points[i].quantity, p.points[i].experiment};
    auto& own = cells[key];
    if (own.empty()) order.push_back(key);
    own.push_back(i);
  }
  for (auto& key : order) {
    const std::vector<std::size_t>& own = cells[key];
    std::vector<double> times;
    for (std::size_t i : own) times.push_back(p.points[i].time);
    Plot plot = band_plot(
        key.first + (key.second.empty() ? "" : ", " + key.second), key.first, times,
        [&](std::size_t row, double share) { return p.bands->quantile(own[row], share); });
    PlotCurve marks{"data", {}, false, true, 1};
    for (const FittedDatum& d : data)
      if (d.observable == key.first && d.experiment == key.second && std::isfinite(d.time))
        marks.points.push_back({d.time, d.measurement});
    const bool has_data = !marks.points.empty();
    marks.points = thinned(std::move(marks.points));
    if (has_data) plot.curves.push_back(std::move(marks));
    set_time_axes(plot);
    (has_data ? measured : others).push_back(std::move(plot));
  }
  measured.insert(measured.end(), others.begin(), others.end());
  return measured;
}

Plot convergence_picture(const Posterior& p) {
  Plot plot = report_plot("R-hat of the chains", "parameter, in the order of the table", "R-hat");
  PlotCurve marks{"", {}, false, true, 0};
  std::vector<double> values{1, 1.06};
  for (std::size_t i = 0; i < p.marginals.size(); ++i) {
    const double r = p.marginals[i].convergence.r_hat;
    marks.points.push_back({static_cast<double>(i + 1), r});
    values.push_back(r);
  }
  plot.x = Axis(AxisScale::linear, 0, static_cast<double>(p.marginals.size()) + 1);
  plot.y = axis_around(AxisScale::linear, values);
  plot.guides = {{false, ConvergenceLimits().r_hat, "wanted below"}};
  plot.curves = {std::move(marks)};
  return plot;
}

}  // namespace stiffit::internal
