// SPDX-License-Identifier: Apache-2.0
#include "analysis/ensemble/distribution.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "base/normal_draw.h"
#include "base/number.h"

namespace stiffit::internal {
namespace {

using Kind = Distribution::Kind;

struct Named {
  std::string_view name;
  Kind kind;
};
constexpr Named known[] = {{"normal", Kind::normal},
                           {"lognormal", Kind::lognormal},
                           {"uniform", Kind::uniform},
                           {"loguniform", Kind::loguniform}};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

double finite(std::string_view text) {
  auto value = parse_number(trimmed(text));
  if (!value || !std::isfinite(*value))
    throw std::invalid_argument("'" + std::string(text) + "' is not a number");
  return *value;
}

void check(const Distribution& d) {
  const bool range = d.kind == Kind::uniform || d.kind == Kind::loguniform;
  if (range && !(d.a < d.b)) throw std::invalid_argument("the range must ascend");
  if (!range && !(d.b >= 0))
    throw std::invalid_argument("the standard deviation must not be negative");
  if ((d.kind == Kind::lognormal || d.kind == Kind::loguniform) && !(d.a > 0))
    throw std::invalid_argument("a logarithm needs values above zero");
}

}  // namespace

Distribution parse_distribution(std::string_view text) {
  text = trimmed(text);
  const std::size_t open = text.find('('), comma = text.find(',');
  if (open == std::string_view::npos || comma == std::string_view::npos || comma < open ||
      text.back() != ')')
    throw std::invalid_argument("'" + std::string(text) +
                                "' is no distribution; write lognormal(1,0.2), normal(m,s), "
                                "uniform(low,high) or loguniform(low,high)");
  for (const Named& entry : known)
    if (entry.name == trimmed(text.substr(0, open))) {
      Distribution d{entry.kind, finite(text.substr(open + 1, comma - open - 1)),
                     finite(text.substr(comma + 1, text.size() - comma - 2))};
      check(d);
      return d;
    }
  throw std::invalid_argument("there is no distribution '" +
                              std::string(trimmed(text.substr(0, open))) +
                              "'; there are normal, lognormal, uniform and loguniform");
}

std::string to_text(const Distribution& d) {
  std::string name;
  for (const Named& entry : known)
    if (entry.kind == d.kind) name = entry.name;
  return name + "(" + format_number(d.a) + "," + format_number(d.b) + ")";
}

double draw(const Distribution& d, std::uint64_t seed, std::uint64_t sample, std::uint64_t which) {
  SplitMix middle = stream(seed, sample);
  SplitMix random(middle.next() ^ (which * 0x8CB92BA72F3D8DD7u));
  switch (d.kind) {
    case Kind::normal:
      return d.a + d.b * normal_draw(random);
    case Kind::lognormal:
      return d.a * std::exp(d.b * normal_draw(random));
    case Kind::uniform:
      return d.a + (d.b - d.a) * random.unit();
    case Kind::loguniform:
      return d.a * std::exp(random.unit() * std::log(d.b / d.a));
  }
  return 0;
}

}  // namespace stiffit::internal
