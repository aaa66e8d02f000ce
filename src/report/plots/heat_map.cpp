// SPDX-License-Identifier: Apache-2.0
#include "report/plots/heat_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/markup.h"
#include "report/plots/plot.h"

namespace stiffit::internal {
namespace {

constexpr int steps = 10;             // of colour to each side of zero
constexpr std::size_t numbered = 14;  // rows and columns with numbers in their cells
constexpr double map_top = 34, map_letter = 6.8, widest = 720;

std::string whole(double value) { return std::to_string(std::lround(value)); }

// From blue (-1) over near white to red (1); black letters can be read on all of them.
std::string colour(int level) {
  constexpr std::array<double, 3> low{86, 141, 204}, middle{243, 243, 243}, high{224, 112, 84};
  const double share = std::abs(level) / static_cast<double>(steps);
  const auto& end = level < 0 ? low : high;
  char text[16];
  auto mix = [&](std::size_t k) {
    return static_cast<unsigned>(std::lround(middle[k] + share * (end[k] - middle[k]))) & 255u;
  };
  std::snprintf(text, sizeof text, "#%02x%02x%02x", mix(0), mix(1), mix(2));
  return text;
}

std::string cut(const std::string& name) {
  constexpr std::size_t longest = 24;
  return name.size() <= longest ? name : name.substr(0, longest - 3) + "...";
}

std::string label(double x, double y, const std::string& text, const char* extra) {
  return "<text x=\"" + whole(x) + "\" y=\"" + whole(y) + "\"" + extra + ">" + escape_markup(text) +
         "</text>\n";
}

}  // namespace

std::string svg_of(const HeatMap& map, const std::string& name) {
  const std::size_t n = map.names.size();
  std::size_t longest = 2;
  for (const std::string& id : map.names) longest = std::max(longest, cut(id).size());
  const double margin = 12 + map_letter * static_cast<double>(longest);
  const bool names = n <= 50, numbers = n <= numbered;
  const double left = names ? margin : 12;
  double side =
      numbers ? 42 : std::max(4.0, std::min(18.0, (widest - left) / static_cast<double>(n)));
  if (names && !numbers) side = std::max(side, 12.0);
  const double inner = side * static_cast<double>(n), above = names ? map_top + margin : map_top;
  const double width = std::max(left + inner + 16, 320.0), height = above + inner + 52;
  std::string out = svg_opening(width, height, map.title, map.description, name);
  out += label(12, 20, map.title, " font-size=\"14\" font-weight=\"bold\"");

  // One path for each colour: small even for many cells.
  std::array<std::string, 2 * steps + 1> cells;
  std::string inside;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      const double value = map.values[i * n + j];
      if (!std::isfinite(value)) continue;
      const double x = left + side * static_cast<double>(j),
                   y = above + side * static_cast<double>(i);
      const int level = static_cast<int>(std::lround(steps * std::clamp(value, -1.0, 1.0)));
      cells[level + steps] += "M" + whole(x) + " " + whole(y) + "h" + whole(side - 1) + "v" +
                              whole(side - 1) + "h-" + whole(side - 1) + "z";
      if (!numbers) continue;
      char text[16];
      std::snprintf(text, sizeof text, "%.2f", value);
      inside += label(x + side / 2, y + side / 2 + 4, text,
                      " text-anchor=\"middle\" class=\"oncell\" fill=\"#111111\" font-size=\"11\"");
    }
  for (std::size_t k = 0; k < cells.size(); ++k)
    if (!cells[k].empty())
      out +=
          "<path fill=\"" + colour(static_cast<int>(k) - steps) + "\" d=\"" + cells[k] + "\"/>\n";
  out += inside;
  for (std::size_t i = 0; names && i < n; ++i) {
    const double middle = side * (static_cast<double>(i) + 0.5);
    out += label(left - 6, above + middle + 4, cut(map.names[i]), " text-anchor=\"end\"");
    const std::string turned =
        " transform=\"rotate(-90 " + whole(left + middle + 4) + " " + whole(above - 6) + ")\"";
    out += label(left + middle + 4, above - 6, cut(map.names[i]), turned.c_str());
  }
  // The scale below.
  constexpr double patch = 10;
  const double y = above + inner + 20;
  out += label(12, y + 9, "-1", "");
  for (int level = -steps; level <= steps; ++level)
    out += "<rect x=\"" + whole(32 + patch * (level + steps)) + "\" y=\"" + whole(y) +
           "\" width=\"10\" height=\"10\" fill=\"" + colour(level) + "\"/>\n";
  out += label(32 + patch * (2 * steps + 1) + 6, y + 9, "1", "");
  return out + "</svg>\n";
}

}  // namespace stiffit::internal
