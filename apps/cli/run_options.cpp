// SPDX-License-Identifier: Apache-2.0
#include "cli/run_options.h"

#include <algorithm>
#include <cmath>

#include "base/diagnostic.h"
#include "base/number.h"
#include "runtime/distributed/load_channel.h"

namespace stiffit {

OptionSpec max_step_option() {
  return {"max-step", "H", "no step is longer (default: as long as the errors allow)", 0, false};
}

double max_step_of(const Arguments& arguments) { return arguments.positive("max-step", INFINITY); }

OptionSpec set_option() {
  return {"set", "name=value", "a parameter, compartment or initial value; may be repeated", 0,
          true};
}

OptionSpec assume_option() {
  return {"assume", "size=1", "for compartments that the model gives no size", 0, false};
}

ModelSettings settings_option(const Arguments& arguments) {
  ModelSettings settings;
  for (const std::string& text : arguments.all("set")) {
    // The last '=': names of BioNetGen species may hold anything, a number does not.
    const std::size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0)
      throw UsageError("--set needs name=value, not '" + text + "'");
    const std::string name = text.substr(0, equals);
    const auto value = parse_number(std::string_view(text).substr(equals + 1));
    if (!value || !std::isfinite(*value))
      throw UsageError("--set " + name + " needs a number, not '" + text.substr(equals + 1) + "'");
    settings.values.emplace_back(name, *value);
  }
  if (!arguments.has("assume")) return settings;
  const std::string text = arguments.text("assume");
  const auto size =
      text.starts_with("size=") ? parse_number(std::string_view(text).substr(5)) : std::nullopt;
  if (!size || !(*size > 0) || !std::isfinite(*size))
    throw UsageError("--assume knows size=NUMBER, above 0, for compartments without a size",
                     "not '" + text + "'");
  settings.assumed_size = *size;
  return settings;
}

int threads_option(const Arguments& arguments) {
  constexpr long most = 1024;
  return static_cast<int>(std::min(arguments.count("threads", own_cores()), most));
}

std::uint64_t seed_option(const Arguments& arguments) {
  constexpr double largest = 9e15;  // beyond it doubles skip whole numbers
  const double seed = arguments.number("seed", 1);
  if (seed < 0 || seed != std::floor(seed) || seed > largest)
    throw UsageError("--seed is a whole number from 0 on");
  return static_cast<std::uint64_t>(seed);
}

TimeCourseOptions many_runs_options(const Arguments& arguments, const Console& console,
                                    long points) {
  TimeCourseOptions o;
  o.start = arguments.number("start", not_set);
  o.end = arguments.number("end", not_set);
  o.points = arguments.count("points", points);
  o.set = settings_option(arguments);
  o.show = arguments.list("show");
  const MethodEntry& method = named_method(arguments.text("method", "automatic"));
  const std::string name(method.info.name);
  if (method.needs_step)
    throw UsageError("method '" + name + "' has no error control",
                     "choose one that finds its own steps; 'stiffit methods' lists them");
  o.integration.method = name;
  o.integration.rtol = arguments.positive("rtol", o.integration.rtol);
  o.integration.atol = arguments.positive("atol", o.integration.atol);
  o.integration.max_step = max_step_of(arguments);
  o.integration.interrupt = console.interrupt;
  o.lanes = method.any_lanes ? 0 : 1;
  return o;
}

}  // namespace stiffit
