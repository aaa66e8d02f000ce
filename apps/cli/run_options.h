// Options that several commands read the same way.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "analysis/pipeline/method_choice.h"
#include "analysis/pipeline/time_course.h"
#include "cli/command_line.h"
#include "cli/console.h"

namespace stiffit {

// --max-step H, of every command that integrates: no step is longer.
OptionSpec max_step_option();
double max_step_of(const Arguments& arguments);

// --threads, all cores by default.
// `--set` and `--assume` as they are described to the user, and what they say, in one list.
OptionSpec set_option();
OptionSpec assume_option();
ModelSettings settings_option(const Arguments& arguments);

int threads_option(const Arguments& arguments);
// --seed, a whole number from 0 on.
std::uint64_t seed_option(const Arguments& arguments);

// Start, end, points, settings, columns, method and tolerances of a command that runs a model many
// times side by side, in as many lanes as the method allows.
TimeCourseOptions many_runs_options(const Arguments& arguments, const Console& console,
                                    long points);

}  // namespace stiffit
