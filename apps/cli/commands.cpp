// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"

#include <algorithm>
#include <exception>
#include <new>
#include <ostream>

#include "base/diagnostic.h"
#include "base/interrupt.h"
#include "base/version.h"
#include "report/text_table.h"
#include "stiffit/errors.h"
#include "stiffit/lists.h"

namespace stiffit::internal {
namespace {

std::string overview(const std::vector<Command>& commands) {
  std::vector<std::vector<std::string>> rows;
  for (const Command& c : commands)
    rows.push_back(
        {c.spec.name + (c.spec.arguments.empty() ? "" : " " + c.spec.arguments), c.spec.summary});
  return "stiffit " + version() + ": a workbench for the kinetics of reaction networks\n\n" +
         "usage: stiffit COMMAND [options]\n\n" + text_table({}, rows, 2) +
         "\n'stiffit COMMAND -h' shows the options of a command, with examples.\n"
         "'stiffit --version' says which version this is.\n"
         "exit codes: 0 done, 1 bad input, 2 bad command line, 3 numerics failed, 70 our bug\n";
}

// By their names, so that a run of one does not make the tables of options of all.
struct NamedCommand {
  std::string_view name;
  Command (*make)();
};
constexpr NamedCommand named_commands[] = {
    {"models", models_command},     {"info", info_command},
    {"simulate", simulate_command}, {"methods", methods_command},
    {"check", check_command},       {"convert", convert_command},
    {"conform", conform_command},   {"stiffness", stiffness_command},
    {"compare", compare_command},   {"steady", steady_command},
    {"scan", scan_command},         {"ensemble", ensemble_command},
    {"evaluate", evaluate_command}, {"fit", fit_command},
    {"profile", profile_command},   {"reduce", reduce_command},
};

Command find_command(const std::vector<Command>& more, const std::string& name) {
  for (const NamedCommand& c : named_commands)
    if (c.name == name) return c.make();
  std::vector<std::string> names;
  for (Command& c : all_commands(more)) {
    if (c.spec.name == name) return std::move(c);
    names.push_back(c.spec.name);
  }
  std::string nearest = nearest_name(name, names);
  throw UsageError(
      "unknown " + std::string(name.starts_with("-") ? "option" : "command") + " '" + name + "'",
      nearest.empty() ? "" : "did you mean '" + nearest + "'?");
}

int dispatch(const std::vector<std::string>& words, const Console& console,
             const std::vector<Command>& more, std::string& usage) {
  usage = "usage: stiffit COMMAND [options]\n'stiffit --help' lists the commands";
  if (words.empty()) throw UsageError("no command given");
  if (words[0] == "-h" || words[0] == "--help" || words[0] == "help") {
    if (words[0] == "help" && words.size() > 1)
      deliver(help_text(find_command(more, words[1]).spec), console);
    else
      deliver(overview(all_commands(more)), console);
    return exit_done;
  }
  if (words[0] == "--version") {
    deliver("stiffit " + version() + "\n", console);
    return exit_done;
  }
  const Command command = find_command(more, words[0]);
  usage = usage_line(command.spec) + "\n'stiffit " + command.spec.name +
          " -h' shows the options, with examples";
  Arguments arguments = read_arguments(command.spec, {words.begin() + 1, words.end()});
  if (arguments.help()) {
    deliver(help_text(command.spec), console);
    return exit_done;
  }
  if (helps_others(console) && !command.with_others) return exit_done;
  return command.run(arguments, console);
}

}  // namespace

std::vector<Command> all_commands(const std::vector<Command>& more) {
  const Specs specs = [more] {
    std::vector<CommandSpec> list;
    for (Command& command : all_commands(more)) list.push_back(std::move(command.spec));
    return list;
  };
  std::vector<Command> commands;
  for (const NamedCommand& c : named_commands) commands.push_back(c.make());
  commands.push_back(completion_command(specs));
  commands.push_back(man_command(specs));
  commands.insert(commands.end(), more.begin(), more.end());
  return commands;
}

int run_stiffit(const std::vector<std::string>& words, const Console& console,
                const std::vector<Command>& more) {
  std::string usage;
  const InterruptScope scope(console.interrupt);
  try {
    return dispatch(words, console, more, usage);
  } catch (const Interrupted&) {  // before there was anything to keep
    console.messages << "error: interrupted\n";
    return exit_numerics_failed;
  } catch (const UsageError& error) {
    console.messages << "error: " << error.what() << "\n";
    if (!error.hint().empty()) console.messages << "  " << error.hint() << "\n";
    console.messages << usage << "\n";
    return exit_bad_command_line;
  } catch (const OptionError& error) {
    console.messages << "error: " << error.message("--") << "\n";
    if (const std::string hint = error.hint("--"); !hint.empty())
      console.messages << "  " << hint << "\n";
    console.messages << usage << "\n";
    return exit_bad_command_line;
  } catch (const api::Interrupted&) {  // likewise
    console.messages << "error: interrupted\n";
    return exit_numerics_failed;
  } catch (const api::OptionError& error) {
    console.messages << error.spelled("--") << usage << "\n";
    return exit_bad_command_line;
  } catch (const api::InputError& error) {
    const std::string text = error.spelled("--");
    console.messages << text << (text.ends_with("\n") ? "" : "\n");
    return exit_bad_input;
  } catch (const InputError& error) {
    const std::string text = spelled(error.what(), "--");
    console.messages << text << (text.ends_with("\n") ? "" : "\n");
    return exit_bad_input;
  } catch (const std::bad_alloc&) {
    console.messages << "error: not enough memory for this\n";
    return exit_our_bug;
  } catch (const std::exception& error) {
    console.messages << "internal error: " << error.what()
                     << "\n  this is a bug in Stiffit, not in your input\n";
    return exit_our_bug;
  }
}

std::vector<OptionSpec> with_general_options(std::vector<OptionSpec> own) {
  own.push_back({"json", "", "one JSON document on stdout instead of text", 0, false, false});
  own.push_back({"threads", "N", "threads to use (default: all cores)", 0, false, false});
  own.push_back({"seed", "S", "of everything random (default 1)", 0, false});
  return own;
}

std::string method_in_role(const std::string& role) {
  for (const api::ListedMethod& m : api::methods())
    if (m.role == role) return m.name;
  throw std::logic_error("no method has the role '" + role + "'");
}

bool helps_others(const Console& console) {
  return console.workers && !console.workers->is_coordinator();
}

void deliver(const std::string& text, const Console& console) {
  console.out << text << std::flush;
  if (!console.out) throw InputError("error: standard output cannot be written");
}

}  // namespace stiffit::internal
