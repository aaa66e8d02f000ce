// Units of measurement: a factor and the exponents of the base dimensions, so that two units can be
// compared however they were written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stiffit::internal {

// One of this unit is `factor` times the product of its base units: metre, kilogram, second,
// ampere, kelvin, mole, candela, item (SBML counts items apart from moles).
struct Unit {
  static constexpr std::size_t length = 0, mass = 1, time = 2, current = 3, temperature = 4,
                               substance = 5, luminosity = 6, item = 7, dimensions = 8;
  double factor = 1;
  std::array<double, dimensions> exponents{};
};

Unit operator*(const Unit& a, const Unit& b);
Unit operator/(const Unit& a, const Unit& b);
Unit power(const Unit& unit, double exponent);

// Equal but for rounding.
bool same_unit(const Unit& a, const Unit& b);
bool same_dimension(const Unit& a, const Unit& b);
bool is_dimensionless(const Unit& unit);  // whatever its factor
// A positive, finite factor and finite exponents.
bool is_usable(const Unit& unit);
// True for what is counted per length, area or volume.
bool is_spatial(const Unit& unit);

// The units that need no definition, by SBML's names for them ("mole", "litre", "meter", ...).
std::optional<Unit> built_in_unit(std::string_view name);

// The unit in built-in ones: factor * mole^1 * litre^-1, what is counted first.
struct UnitParts {
  double factor = 1;
  std::vector<std::pair<std::string_view, double>> powers;  // name, exponent
};
UnitParts unit_parts(const Unit& unit);

// "0.001 mole/litre": its parts as text; parse_unit reads it back.
std::string unit_text(const Unit& unit);

// Products, quotients and powers of names and numbers: "1e-3 mole/litre", "1/(second*mole^2)". A
// number binds to the name that follows: "1 mole/5 litre". Nothing if it is not that, if
// `lookup` does not know a name, or if it is beyond all numbers.
std::optional<Unit> parse_unit(std::string_view text,
                               const std::function<std::optional<Unit>(std::string_view)>& lookup);

}  // namespace stiffit::internal
