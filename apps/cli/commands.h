// Every command of the program: its options, and the pipeline that carries it out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "cli/console.h"

namespace stiffit::internal {

struct Command {
  CommandSpec spec;
  // Carries it out. If it can use other processes it is called in all of them, and in those that
  // are not the coordinator only serves it.
  std::function<int(const Arguments& arguments, const Console& console)> run;  // the exit code
  bool with_others = false;
};

Command models_command();
Command info_command();
Command simulate_command();
Command methods_command();
Command check_command();
Command convert_command();
Command conform_command();
Command steady_command();
Command evaluate_command();
Command fit_command();
Command profile_command();
Command reduce_command();
Command stiffness_command();
Command scan_command();
Command ensemble_command();
Command compare_command();
// Made of what the commands declare, which is asked for when it is needed.
using Specs = std::function<std::vector<CommandSpec>()>;
Command completion_command(const Specs& specs);
Command man_command(const Specs& specs);

// All of them, in the order of the help. `more` are commands of apps beside this one.
std::vector<Command> all_commands(const std::vector<Command>& more = {});

// The whole program: `words` without the program's own name. Catches everything; the result is the
// exit code. `more` are commands of apps beside this one.
int run_stiffit(const std::vector<std::string>& words, const Console& console,
                const std::vector<Command>& more = {});

// Whether this process works for another one, the coordinator, which speaks and keeps the results.
bool helps_others(const Console& console);

// The options that every command has.
std::vector<OptionSpec> with_general_options(std::vector<OptionSpec> own);

// A method of integration by its role (api::ListedMethod), for examples in the help.
std::string method_in_role(const std::string& role);

// Writes to stdout and says so if that fails (a full disk); throws InputError then.
void deliver(const std::string& text, const Console& console);

}  // namespace stiffit::internal
