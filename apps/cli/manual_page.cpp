// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "cli/completion.h"

namespace stiffit::internal {
namespace {

// Text that roff shows as it is.
std::string roff(const std::string& text) {
  std::string out;
  bool line_start = true;
  for (char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    line_start = c == '\n';
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

void add_option(std::string& page, const OptionSpec& option) {
  page += ".TP\n";
  if (option.letter) page += bold(std::string("-") + option.letter) + ", ";
  page += bold("--" + option.name);
  if (!option.value.empty()) page += " " + italic(option.value);
  page += "\n" + roff(option.help) + "\n";
}

void add_command(std::string& page, const CommandSpec& command) {
  page += ".SS " + command.name + "\n" + bold("stiffit " + command.name);
  if (!command.arguments.empty()) page += " " + italic(command.arguments);
  if (!command.options.empty()) page += " [" + italic("options") + "]";
  page += "\n.PP\n" + roff(command.summary) + "\n";
  for (const OptionSpec& option : command.options) add_option(page, option);
  if (!command.notes.empty()) page += ".PP\n" + roff(command.notes) + "\n";
  for (auto& [line, meaning] : command.examples)
    page += ".PP\n" + roff(meaning) + ":\n.RS 4\n.nf\n" + roff(line) + "\n.fi\n.RE\n";
}

}  // namespace

std::string manual_page(const std::vector<CommandSpec>& commands, const std::string& version) {
  std::string page = ".TH STIFFIT 1 \"\" \"Stiffit " + version + "\" \"User Commands\"\n";
  page +=
      ".SH NAME\nstiffit \\- simulate reaction networks, fit their rate constants\n"
      ".SH SYNOPSIS\n\\fBstiffit\\fR \\fICOMMAND\\fR [\\fIoptions\\fR]\n"
      ".SH DESCRIPTION\n" +
      roff(
          "Reads a model of a reaction network (a short text, SBML or a BioNetGen network), turns "
          "its equations into machine code and computes time courses, steady states, stiffness, "
          "fits to data and their uncertainty. MODEL is a file or the name of a model of the "
          "library ('stiffit models'); PROBLEM is a PEtab YAML file, or a model with --data and "
          "--estimate. Results go to standard output or to the file of -o, messages to standard "
          "error.") +
      "\n.SH COMMANDS\n";
  for (const CommandSpec& command : commands) add_command(page, command);
  page += ".SH EXIT STATUS\n";
  for (auto [code, meaning] : {std::pair{"0", "done"},
                               {"1", "bad input: a model, a file"},
                               {"2", "bad command line"},
                               {"3", "the numerics failed, or were interrupted"},
                               {"70", "a bug of Stiffit"}})
    page += std::string(".TP\n\\fB") + code + "\\fR\n" + meaning + "\n";
  return page;
}

}  // namespace stiffit::internal
