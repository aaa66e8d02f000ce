// Pictures and pages: well-formed, complete, safe to open.
// SPDX-License-Identifier: Apache-2.0
#include "report/plots/plot.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "report/plots/contour.h"
#include "report/plots/markup_trial.h"
#include "report/plots/page.h"

namespace stiffit::internal {
namespace {

Plot example() {
  Plot plot;
  plot.title = "a < b & \"c\"\x01";
  plot.x_label = "time";
  plot.y = Axis(AxisScale::logarithmic, 1e-3, 1);
  plot.curves = {{"first", {{0, 0.1}, {0.5, NAN}, {1, 0.9}}, true, true, -1},
                 {"second", {{0, 0}, {0.3, 0.2}, {0.6, INFINITY}, {1, 0.5}}, true, false, -1}};
  plot.regions = {{"region", {{{0, 0.1}, {1, 0.1}, {0.5, 0.5}}}}};
  plot.guides = {{false, 0.1, "bound"}, {true, 0.2, ""}};
  return plot;
}

TEST(Plot, IsWellFormedAndNeedsNothing) {
  const std::string svg = svg_of({example(), example(), example()}, 1300);
  EXPECT_EQ(trouble_in(svg), "");
  EXPECT_TRUE(svg.starts_with("<?xml"));
  EXPECT_NE(svg.find("a &lt; b &amp; &quot;c&quot;</text>"), std::string::npos);
  EXPECT_NE(svg.find("width=\"1280\" height=\"800\""), std::string::npos);  // two, and one below
  for (const char* bad : {"nan", "inf", "href", "<script", "@import", "\x01"})
    EXPECT_EQ(svg.find(bad), std::string::npos) << bad;
  for (const char* there : {">first<", ">second<", ">region<", ">bound<", ">time<"})
    EXPECT_NE(svg.find(there), std::string::npos) << there;
}

TEST(Plot, CurvesBreakWhereThereIsNoNumber) {
  Plot plot = example();
  plot.curves.resize(1);
  plot.curves[0].marks = false;
  plot.curves[0].points = {{0, 0.1}, {0.25, 0.1}, {0.5, NAN}, {0.75, 0.1}, {1, 0.1}};
  const std::string svg = svg_of({plot}, 700);
  const std::size_t path = svg.find("class=\"p0\"");
  const std::string line = svg.substr(svg.rfind('<', path), path - svg.rfind('<', path));
  EXPECT_EQ(std::count(line.begin(), line.end(), 'M'), 2);
  EXPECT_EQ(std::count(line.begin(), line.end(), 'L'), 2);
}

TEST(Contour, OfACircleHasItsArea) {
  std::vector<double> xs, ys, values;
  for (int i = -40; i <= 40; ++i) xs.push_back(0.05 * i);
  ys = xs;
  auto rings = [&](auto f) {
    values.clear();
    for (double y : ys)
      for (double x : xs) values.push_back(f(x, y));
    return rings_below_zero(xs, ys, values);
  };
  auto area = [](const std::vector<PlotPoint>& ring) {
    double sum = 0;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const PlotPoint &a = ring[i], &b = ring[(i + 1) % ring.size()];
      sum += 0.5 * (a.x * b.y - a.y * b.x);
    }
    return sum;
  };
  const auto disc = rings([](double x, double y) { return x * x + y * y - 1; });
  ASSERT_EQ(disc.size(), 1u);
  EXPECT_NEAR(area(disc[0]), M_PI, 0.01);
  const auto hole = rings([](double x, double y) { return 1 - x * x - y * y; });
  ASSERT_EQ(hole.size(), 2u);  // the border of the grid, and the hole the other way around
  EXPECT_NEAR(area(hole[0]) + area(hole[1]), 16 - M_PI, 0.01);
  EXPECT_TRUE(rings([](double, double) { return 1; }).empty());
  EXPECT_NEAR(area(rings([](double, double) { return -1; }).at(0)), 16, 1e-12);
  EXPECT_EQ(
      rings([](double x, double y) { return x * y < 0 || x == 0 || y == 0 ? 1 : NAN; }).size(), 0u);
}

TEST(Page, HoldsEverythingAndRunsNothing) {
  HtmlPage page("Title <of> it");
  page.heading("Part");
  page.table({"name", "value"}, {{"a&b", "1e-3"}});
  page.facts({"setting", "value"}, {{"seed", "1"}});
  page.picture({example()}, 840, "one");
  page.picture({example()}, 840, "two");
  page.download("x.csv", "text/csv", "a,b\n1,2\n");
  const std::string text = page.text();
  EXPECT_EQ(trouble_in(text, {"meta"}), "");
  EXPECT_NE(text.find("<title>Title &lt;of&gt; it</title>"), std::string::npos);
  EXPECT_NE(text.find("<td>a&amp;b</td><td class=\"number\">1e-3</td>"), std::string::npos);
  EXPECT_NE(text.find("<td>seed</td><td>1</td>"), std::string::npos);
  EXPECT_NE(text.find("data:text/csv;base64,YSxiCjEsMgo=\">x.csv"), std::string::npos);
  EXPECT_NE(text.find("download=\"two.svg\""), std::string::npos);
  EXPECT_NE(text.find("Content-Security-Policy"), std::string::npos);
  EXPECT_NE(text.find("id=\"picture1clip0\""), std::string::npos);
  EXPECT_NE(text.find("id=\"picture2clip0\""), std::string::npos);
  for (const char* bad : {"<script", "http-equiv=\"refresh", "src=", "onclick"})
    EXPECT_EQ(text.find(bad), std::string::npos) << bad;
}

}  // namespace
}  // namespace stiffit::internal
