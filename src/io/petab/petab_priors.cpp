// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "base/number.h"
#include "io/petab/petab_parameters.h"

namespace stiffit::internal {
namespace {

struct PriorName {
  PetabVersion version;
  std::string_view name;
  PriorKind kind;
  bool on_scale;
  int parameters;
};

constexpr std::array prior_names{
    PriorName{PetabVersion::v1, "uniform", PriorKind::uniform, false, 2},
    PriorName{PetabVersion::v1, "normal", PriorKind::normal, false, 2},
    PriorName{PetabVersion::v1, "laplace", PriorKind::laplace, false, 2},
    PriorName{PetabVersion::v1, "logNormal", PriorKind::log_normal, false, 2},
    PriorName{PetabVersion::v1, "logLaplace", PriorKind::log_laplace, false, 2},
    PriorName{PetabVersion::v1, "parameterScaleUniform", PriorKind::uniform, true, 2},
    PriorName{PetabVersion::v1, "parameterScaleNormal", PriorKind::normal, true, 2},
    PriorName{PetabVersion::v1, "parameterScaleLaplace", PriorKind::laplace, true, 2},
    PriorName{PetabVersion::v2, "cauchy", PriorKind::cauchy, false, 2},
    PriorName{PetabVersion::v2, "chisquare", PriorKind::chi_squared, false, 1},
    PriorName{PetabVersion::v2, "exponential", PriorKind::exponential, false, 1},
    PriorName{PetabVersion::v2, "gamma", PriorKind::gamma, false, 2},
    PriorName{PetabVersion::v2, "laplace", PriorKind::laplace, false, 2},
    PriorName{PetabVersion::v2, "log-laplace", PriorKind::log_laplace, false, 2},
    PriorName{PetabVersion::v2, "log-normal", PriorKind::log_normal, false, 2},
    PriorName{PetabVersion::v2, "log-uniform", PriorKind::log_uniform, false, 2},
    PriorName{PetabVersion::v2, "normal", PriorKind::normal, false, 2},
    PriorName{PetabVersion::v2, "rayleigh", PriorKind::rayleigh, false, 1},
    PriorName{PetabVersion::v2, "uniform", PriorKind::uniform, false, 2},
};

bool is_interval(PriorKind kind) {
  return kind == PriorKind::uniform || kind == PriorKind::log_uniform;
}

double on_scale(double value, Scale scale) {
  return scale == Scale::lin ? value : scale == Scale::log ? std::log(value) : std::log10(value);
}

// What makes the distribution's parameters impossible, or "".
std::string mistake_in(const Prior& prior) {
  if (is_interval(prior.kind)) {
    if (!(prior.a < prior.b)) return "the lower end is not below the upper one";
    if (prior.kind == PriorKind::log_uniform && prior.a <= 0)
      return "the lower end is not positive";
    return "";
  }
  switch (prior.kind) {
    case PriorKind::chi_squared:
      return prior.a > 0 ? "" : "the degrees of freedom are not positive";
    case PriorKind::exponential:
    case PriorKind::rayleigh:
      return prior.a > 0 ? "" : "the scale is not positive";
    case PriorKind::gamma:
      return prior.a > 0 && prior.b > 0 ? "" : "shape and scale are not both positive";
    default:
      return prior.b > 0 ? "" : "the scale is not positive";
  }
}

}  // namespace

std::optional<Prior> read_petab_prior(const TsvRow& row, PetabVersion version,
                                      std::string_view type_column,
                                      std::string_view parameters_column,
                                      const ProblemParameter& parameter) {
  if (!row.has(type_column)) {
    if (row.has(parameters_column))
      row.warning(parameters_column, "numbers of a prior without its type are not read");
    return std::nullopt;
  }
  const std::string& name = row[type_column].text;
  const PriorName* found = nullptr;
  std::vector<std::string> known;
  for (const PriorName& candidate : prior_names) {
    if (candidate.version != version) continue;
    known.emplace_back(candidate.name);
    if (candidate.name == name) found = &candidate;
  }
  if (!found) {
    std::string nearest = nearest_name(name, known);
    row.error(type_column, "there is no prior '" + name + "'",
              nearest.empty() ? "" : "did you mean '" + nearest + "'?");
    return std::nullopt;
  }
  Prior prior;
  prior.kind = found->kind;
  prior.on_scale = found->on_scale;
  std::vector<Cell> parts = split_list(row[parameters_column]);
  if (parts.empty() && version == PetabVersion::v1 && is_interval(prior.kind)) {
    prior.a = prior.on_scale ? on_scale(parameter.lower, parameter.scale) : parameter.lower;
    prior.b = prior.on_scale ? on_scale(parameter.upper, parameter.scale) : parameter.upper;
    return prior;
  }
  if (static_cast<int>(parts.size()) != found->parameters) {
    row.error(parameters_column, "prior '" + name + "' takes " + std::to_string(found->parameters) +
                                     (found->parameters == 1 ? " number" : " numbers") + ", not " +
                                     std::to_string(parts.size()));
    return std::nullopt;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    auto number = parse_number(parts[i].text);
    if (!number || !std::isfinite(*number)) {
      row.file().error(parts[i].span, "'" + parts[i].text + "' is not a number (column " +
                                          std::string(parameters_column) + ")");
      return std::nullopt;
    }
    (i == 0 ? prior.a : prior.b) = *number;
  }
  if (std::string mistake = mistake_in(prior); !mistake.empty()) {
    row.error(parameters_column, "of prior '" + name + "', " + mistake);
    return std::nullopt;
  }
  return prior;
}

}  // namespace stiffit::internal
