// Pictures of curves, points and filled regions as SVG that needs nothing else: readable on light
// and dark screens and in print, where dashes and marks tell the curves apart.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/plots/axis.h"

namespace stiffit::internal {

constexpr double page_width = 840;  // of a row of pictures

struct PlotPoint {
  double x = 0, y = 0;
};

struct PlotCurve {
  std::string name;  // in the legend; empty: not there
  std::vector<PlotPoint> points;
  bool line = true, marks = false;
  int style = -1;  // colour, dash and mark; -1: its number among the curves
};

// Filled; where rings overlap, every second one is a hole.
struct PlotRegion {
  std::string name;
  std::vector<std::vector<PlotPoint>> rings;
  bool strong = false;  // darker: a band within a band
};

// A line across the picture, with a word at its end.
struct PlotGuide {
  bool vertical = false;
  double at = 0;
  std::string label;
};

struct Plot {
  std::string title, x_label, y_label;
  Axis x{AxisScale::linear, 0, 1}, y{AxisScale::linear, 0, 1};
  std::vector<PlotRegion> regions;
  std::vector<PlotGuide> guides;
  std::vector<PlotCurve> curves;
  double width = 640, height = 400;  // with everything around it
  std::string description;           // for those who do not see it; empty: made of the rest
};

// Pictures side by side in rows up to `wide` pixels, as one SVG document. What lies outside the
// axes is cut off. With a `name` it is a part of a page, whose other pictures have other names;
// without, a file.
std::string svg_of(const std::vector<Plot>& plots, double wide, const std::string& name = {});

// What the legend of a picture of this width takes of its height.
double legend_height(const Plot& plot);

// How pictures look on dark screens: rules for the page that they are parts of.
std::string dark_plot_rules();

// The beginning of an SVG document of this size; `name` as above. Its end is "</svg>\n".
std::string svg_opening(double width, double height, const std::string& title,
                        const std::string& description, const std::string& name);

}  // namespace stiffit::internal
