// SPDX-License-Identifier: Apache-2.0
#include "report/plots/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include "base/markup.h"
#include "base/number.h"

namespace stiffit::internal {
namespace {

// Colours that most people tell apart (M. Okabe, K. Ito, Color Universal Design, 2008), each for a
// light and a dark ground.
struct Colour {
  const char *light, *dark;
};
constexpr std::array<Colour, 8> colours{{{"#0072b2", "#56b4e9"},
                                         {"#d55e00", "#ff8f4d"},
                                         {"#00805a", "#35c59a"},
                                         {"#a8457f", "#e08fc0"},
                                         {"#8a6d00", "#f0e442"},
                                         {"#3b3fa0", "#9aa0ff"},
                                         {"#7a4a21", "#d0a070"},
                                         {"#444444", "#cccccc"}}};
constexpr std::array<const char*, 4> dashes{"", "7 3", "2 3", "9 3 2 3"};
constexpr int mark_shapes = 5;

constexpr double left = 68, right = 24, top = 34, bottom = 50, legend_line = 17;
constexpr double letter = 6.8;  // width of one, about

// A tenth of a pixel is enough, and "-0.0" is "0".
std::string pixel(double value) {
  if (!std::isfinite(value)) value = 0;
  char text[40];
  std::snprintf(text, sizeof text, "%.1f", std::clamp(value, -1e5, 1e5));
  std::string s = text;
  if (s.ends_with(".0")) s.resize(s.size() - 2);
  return s == "-0" ? "0" : s;
}

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + value + "\"";
}
std::string at(const char* name, double value) { return attribute(name, pixel(value)); }

std::string text_at(double x, double y, std::string_view content, const char* anchor,
                    const char* extra = "") {
  return "<text" + at("x", x) + at("y", y) + attribute("text-anchor", anchor) + extra + ">" +
         escape_markup(content) + "</text>\n";
}

std::string colour_class(int style) { return "p" + std::to_string(style % colours.size()); }
std::string colour_of(int style) { return colours[style % colours.size()].light; }

std::string mark(int style, double x, double y) {
  const double r = 3;
  const std::string look =
      attribute("class", colour_class(style) + "f") + attribute("fill", colour_of(style));
  auto shape = [&](std::initializer_list<PlotPoint> corners) {
    std::string d;
    for (const PlotPoint& p : corners)
      d += (d.empty() ? "M" : "L") + pixel(x + r * p.x) + " " + pixel(y + r * p.y);
    return "<path" + attribute("d", d + "Z") + look + "/>\n";
  };
  switch (style % mark_shapes) {
    case 0:
      return "<circle" + at("cx", x) + at("cy", y) + at("r", r) + look + "/>\n";
    case 1:
      return shape({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}});
    case 2:
      return shape({{0, -1.2}, {1.1, 0.8}, {-1.1, 0.8}});
    case 3:
      return shape({{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}});
    default:
      return shape({{0, 1.2}, {1.1, -0.8}, {-1.1, -0.8}});
  }
}

std::string stroke(int style) {
  const char* dash = dashes[(style / colours.size() + style) % dashes.size()];
  std::string text = attribute("class", colour_class(style)) +
                     attribute("stroke", colour_of(style)) + attribute("fill", "none") +
                     attribute("stroke-width", "1.6");
  if (*dash) text += attribute("stroke-dasharray", dash);
  return text;
}

// Of each name that has one: x and row, from 1 on.
std::vector<PlotPoint> legend_places(const Plot& plot) {
  std::vector<PlotPoint> places;
  double x = 0, row = 0;
  auto take = [&](const std::string& name) {
    if (name.empty()) return;
    const double wide = 38 + letter * static_cast<double>(name.size());
    if (row == 0 || x + wide > plot.width - left - right) {
      ++row;
      x = 0;
    }
    places.push_back({x, row});
    x += wide;
  };
  for (const PlotRegion& region : plot.regions) take(region.name);
  for (const PlotCurve& curve : plot.curves) take(curve.name);
  return places;
}

// Labels that would lie over others are left out; zero is the last to go.
std::vector<Tick> readable(std::vector<Tick> ticks, const Axis& axis, double length, bool upright) {
  std::erase_if(ticks, [](const Tick& tick) { return tick.label.empty(); });
  std::stable_sort(ticks.begin(), ticks.end(),
                   [](const Tick& a, const Tick& b) { return (a.value == 0) > (b.value == 0); });
  std::vector<Tick> kept;
  for (const Tick& tick : ticks) {
    const bool over = std::any_of(kept.begin(), kept.end(), [&](const Tick& other) {
      const double letters = static_cast<double>(tick.label.size() + other.label.size());
      const double room = upright ? 12 : letter * letters / 2 + 4;
      return std::fabs(axis.place(tick.value) - axis.place(other.value)) * length < room;
    });
    if (!over) kept.push_back(tick);
  }
  return kept;
}

class Drawing {
 public:
  Drawing(const Plot& plot, double x, double y, std::string clip)
      : plot_(plot), x_(x), y_(y), clip_(std::move(clip)) {
    place_legend();
  }

  std::string text() {
    std::string out =
        "<g" + attribute("transform", "translate(" + pixel(x_) + " " + pixel(y_) + ")") + ">\n";
    // A long title is set smaller rather than cut off.
    const double wide = 8.2 * static_cast<double>(plot_.title.size());
    const double size = std::clamp(14 * plot_.width / std::max(wide, 1.0), 8.0, 14.0);
    const std::string look = at("font-size", size) + " font-weight=\"bold\"";
    out += text_at(plot_.width / 2, 20, plot_.title, "middle", look.c_str());
    out += "<clipPath" + attribute("id", clip_) + "><rect" + frame() + "/></clipPath>\n";
    out += "<g" + attribute("clip-path", "url(#" + clip_ + ")") + ">\n";
    out += regions() + grid() + guides() + curves() + "</g>\n";
    out += "<rect" + frame() + " class=\"ink\" fill=\"none\" stroke=\"#333333\"/>\n";
    out += labels() + legend();
    return out + "</g>\n";
  }

 private:
  double px(double value) const { return left + inner_width_ * plot_.x.place(value); }
  double py(double value) const { return top + inner_height_ * (1 - plot_.y.place(value)); }
  std::string frame() const {
    return at("x", left) + at("y", top) + at("width", inner_width_) + at("height", inner_height_);
  }

  // Names in rows below the picture.
  void place_legend() {
    inner_width_ = plot_.width - left - right;
    places_ = legend_places(plot_);
    inner_height_ = plot_.height - top - bottom - legend_height(plot_);
  }

  int style_of(std::size_t curve) const {
    const int wanted = plot_.curves[curve].style;
    return wanted >= 0 ? wanted : static_cast<int>(curve);
  }

  std::string regions() const {
    std::string out;
    for (const PlotRegion& region : plot_.regions) {
      std::string d;
      for (const auto& ring : region.rings) {
        bool first = true;
        for (const PlotPoint& p : ring) {
          d += (first ? "M" : "L") + pixel(px(p.x)) + " " + pixel(py(p.y));
          first = false;
        }
        d += "Z";
      }
      out += "<path" + attribute("d", d) + region_look(region) + "/>\n";
    }
    return out;
  }
  static std::string region_look(const PlotRegion& region) {
    return region.strong
               ? " class=\"area2\" fill=\"#b4cbe2\" stroke=\"none\" fill-rule=\"evenodd\""
               : " class=\"area\" fill=\"#dfe7ef\" stroke=\"#6f8296\" fill-rule=\"evenodd\"";
  }

  std::string grid() const {
    std::string out;
    for (const Tick& tick : plot_.x.ticks(6))
      out += rule(px(tick.value), top, px(tick.value), top + inner_height_, tick.label.empty());
    for (const Tick& tick : plot_.y.ticks(6))
      out += rule(left, py(tick.value), left + inner_width_, py(tick.value), tick.label.empty());
    return out;
  }
  static std::string rule(double x1, double y1, double x2, double y2, bool small) {
    return "<line" + at("x1", x1) + at("y1", y1) + at("x2", x2) + at("y2", y2) +
           (small ? " class=\"faint\" stroke=\"#f0f0f0\"" : " class=\"grid\" stroke=\"#d5d5d5\"") +
           "/>\n";
  }

  std::string guides() const {
    std::string out;
    for (const PlotGuide& guide : plot_.guides) {
      const double x = guide.vertical ? px(guide.at) : left,
                   y = guide.vertical ? top : py(guide.at);
      const double x2 = guide.vertical ? x : left + inner_width_;
      const double y2 = guide.vertical ? top + inner_height_ : y;
      out += "<line" + at("x1", x) + at("y1", y) + at("x2", x2) + at("y2", y2) +
             " class=\"ink\" stroke=\"#333333\" stroke-dasharray=\"3 3\"/>\n";
      if (!guide.label.empty())
        out += text_at(guide.vertical ? x + 4 : x2 - 5, guide.vertical ? y + 12 : y - 4,
                       guide.label, guide.vertical ? "start" : "end");
    }
    return out;
  }

  std::string curves() const {
    std::string out;
    for (std::size_t i = 0; i < plot_.curves.size(); ++i) {
      const PlotCurve& curve = plot_.curves[i];
      std::string d, marks;
      bool going = false;
      std::set<std::pair<long, long>> drawn;  // marks that would hide each other are drawn once
      for (const PlotPoint& p : curve.points) {
        if (!plot_.x.shows(p.x) || !plot_.y.shows(p.y)) {
          going = false;
          continue;
        }
        d += (going ? "L" : "M") + pixel(px(p.x)) + " " + pixel(py(p.y));
        going = true;
        const double x = px(p.x), y = py(p.y);
        if (curve.marks && drawn.emplace(std::lround(x), std::lround(y)).second)
          marks += mark(style_of(i), x, y);
      }
      if (curve.line && !d.empty())
        out += "<path" + attribute("d", d) + stroke(style_of(i)) + "/>\n";
      out += marks;
    }
    return out;
  }

  std::string labels() const {
    std::string out;
    for (const Tick& tick : readable(plot_.x.ticks(6), plot_.x, inner_width_, false))
      out += text_at(px(tick.value), top + inner_height_ + 15, tick.label, "middle");
    for (const Tick& tick : readable(plot_.y.ticks(6), plot_.y, inner_height_, true))
      out += text_at(left - 6, py(tick.value) + 4, tick.label, "end");
    out += text_at(left + inner_width_ / 2, top + inner_height_ + 32, plot_.x_label, "middle");
    const double y = top + inner_height_ / 2;
    const std::string turned = " transform=\"rotate(-90 14 " + pixel(y) + ")\"";
    return out + text_at(14, y, plot_.y_label, "middle", turned.c_str());
  }

  std::string legend() const {
    std::string out;
    std::size_t next = 0;
    auto spot = [&] {
      const PlotPoint& p = places_[next++];
      return PlotPoint{left + p.x, top + inner_height_ + 32 + legend_line * p.y};
    };
    for (const PlotRegion& region : plot_.regions) {
      if (region.name.empty()) continue;
      const PlotPoint p = spot();
      out += "<rect" + at("x", p.x) + at("y", p.y - 9) + " width=\"22\" height=\"10\"" +
             region_look(region) + "/>\n" + text_at(p.x + 27, p.y, region.name, "start");
    }
    for (std::size_t i = 0; i < plot_.curves.size(); ++i) {
      if (plot_.curves[i].name.empty()) continue;
      const PlotPoint p = spot();
      const int style = style_of(i);
      if (plot_.curves[i].line)
        out += "<line" + at("x1", p.x) + at("y1", p.y - 4) + at("x2", p.x + 22) +
               at("y2", p.y - 4) + stroke(style) + "/>\n";
      if (plot_.curves[i].marks) out += mark(style, p.x + 11, p.y - 4);
      out += text_at(p.x + 27, p.y, plot_.curves[i].name, "start");
    }
    return out;
  }

  const Plot& plot_;
  double x_, y_, inner_width_ = 0, inner_height_ = 0;
  std::string clip_;
  std::vector<PlotPoint> places_;  // of the legend: x and row
};

std::string words_of(const Axis& axis, const std::string& label) {
  return (label.empty() ? "values" : label) + " from " + format_short(axis.low()) + " to " +
         format_short(axis.high()) +
         (axis.scale() == AxisScale::logarithmic ? " (logarithmic)" : "");
}

std::string description_of(const Plot& plot) {
  if (!plot.description.empty()) return plot.description;
  std::string text = plot.title + ": across " + words_of(plot.x, plot.x_label) + ", upwards " +
                     words_of(plot.y, plot.y_label);
  std::string names;
  for (const PlotRegion& region : plot.regions)
    if (!region.name.empty()) names += (names.empty() ? "" : ", ") + region.name;
  for (const PlotCurve& curve : plot.curves)
    if (!curve.name.empty()) names += (names.empty() ? "" : ", ") + curve.name;
  return text + (names.empty() ? "." : ". Shown: " + names + ".");
}

}  // namespace

double legend_height(const Plot& plot) {
  const std::vector<PlotPoint> places = legend_places(plot);
  return places.empty() ? 0 : legend_line * places.back().y;
}

// Attributes hold the light colours, which also print; on dark screens rules take their place.
std::string dark_plot_rules() {
  std::string rules =
      ".plot text{fill:#e6e6e6}.plot .ground{fill:#16181c}.plot .ink{stroke:#d8d8d8}"
      ".plot .grid{stroke:#3d4148}.plot .faint{stroke:#26292e}"
      ".plot .area{fill:#2c3a49;stroke:#8fa5bb}.plot .area2{fill:#44607c}"
      ".plot .oncell{fill:#111}";
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const std::string name = ".plot .p" + std::to_string(i);
    rules += name + "{stroke:" + colours[i].dark + "}" + name + "f{fill:" + colours[i].dark + "}";
  }
  return "@media screen and (prefers-color-scheme:dark){" + rules + "}";
}

std::string svg_opening(double width, double height, const std::string& title,
                        const std::string& description, const std::string& name) {
  std::string out = name.empty() ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" : "";
  out += "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\"" +
         attribute("viewBox", "0 0 " + pixel(width) + " " + pixel(height)) + at("width", width) +
         at("height", height) + " role=\"img\"" +
         attribute("aria-labelledby", name + "title " + name + "desc") +
         " font-family=\"sans-serif\" font-size=\"12\">\n";
  out += "<title" + attribute("id", name + "title") + ">" + escape_markup(title) + "</title>\n";
  out += "<desc" + attribute("id", name + "desc") + ">" + escape_markup(description) + "</desc>\n";
  if (name.empty()) out += "<style>" + dark_plot_rules() + "</style>\n";
  return out + "<rect class=\"ground\" fill=\"#ffffff\"" + at("width", width) +
         at("height", height) + "/>\n";
}

std::string svg_of(const std::vector<Plot>& plots, double wide, const std::string& name) {
  double width = 0, height = 0, x = 0, row = 0;
  std::string body;
  int number = 0;
  for (const Plot& plot : plots) {
    if (x > 0 && x + plot.width > wide) {
      height += row;
      x = row = 0;
    }
    body += Drawing(plot, x, height, name + "clip" + std::to_string(number++)).text();
    x += plot.width;
    row = std::max(row, plot.height);
    width = std::max(width, x);
  }
  height += row;
  std::string described;
  for (const Plot& plot : plots) described += (described.empty() ? "" : " ") + description_of(plot);
  return svg_opening(width, height, plots.empty() ? "" : plots.front().title, described, name) +
         body + "</svg>\n";
}

}  // namespace stiffit::internal
