// Options that several commands read the same way.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "ode/method_registry.h"
#include "workbench/command_line.h"
#include "workbench/console.h"
#include "workbench/time_course.h"

namespace stiffit {

// The integrator of that name; UsageError with the nearest one if there is none.
const MethodEntry& named_method(const std::string& name);

// Whether the method goes with steps of a fixed size, where one is given, or without. Throws
// UsageError.
void require_suitable_step(const MethodEntry& method, bool step_given);
// Only some methods give sensitivities. Throws UsageError.
void require_sensitivities(const std::string& method);

// --integrator M, of fits, profiles and evaluations: one that gives sensitivities.
OptionSpec integrator_option();
std::string integrator_of(const Arguments& arguments, const std::string& usual);

// --max-step H, of every command that integrates: no step is longer.
OptionSpec max_step_option();
double max_step_of(const Arguments& arguments);

// --threads, all cores by default.
// `--set` and `--assume` as they are described to the user, and what they say, in one list.
OptionSpec set_option();
OptionSpec assume_option();
std::vector<std::string> settings_option(const Arguments& arguments);

int threads_option(const Arguments& arguments);
// --seed, a whole number from 0 on.
std::uint64_t seed_option(const Arguments& arguments);

// Start, end, points, settings, columns, method and tolerances of a command that runs a model many
// times side by side, in as many lanes as the method allows.
TimeCourseOptions many_runs_options(const Arguments& arguments, const Console& console,
                                    long points);

}  // namespace stiffit
