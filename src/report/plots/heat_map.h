// A square table of numbers from -1 to 1 as a picture of coloured cells.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace stiffit::internal {

struct HeatMap {
  std::string title, description;
  std::vector<std::string> names;  // of rows and columns
  std::vector<double> values;      // [row][column]; NaN: an empty cell
};

// Few cells have their numbers in them. `name` as for svg_of.
std::string svg_of(const HeatMap& map, const std::string& name = {});

}  // namespace stiffit::internal
