// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <algorithm>

#include "stiffit/lists.h"

namespace stiffit::internal {
namespace {

// What may stand somewhere: these words, and files if wanted.
struct Candidates {
  std::vector<std::string> words;
  bool files = false, folders = false;
};

std::vector<std::string> split_at_bars(const std::string& text) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == '|')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::vector<std::string> integrators() {
  std::vector<std::string> names;
  for (const api::ListedMethod& method : api::methods()) names.push_back(method.name);
  return names;
}

std::vector<std::string> fit_methods() {
  std::vector<std::string> names;
  for (const api::ListedOptimizer& optimizer : api::optimizers()) names.push_back(optimizer.name);
  return names;
}

bool mentions(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

Candidates values_of(const OptionSpec& option) {
  Candidates c;
  if (option.name == "method" || option.name == "methods") {
    const bool integrates = mentions(option.help, "'stiffit methods'") || option.name == "methods";
    if (integrates) c.words = integrators();
    if (!integrates || mentions(option.help, "'stiffit fit'"))
      for (std::string& name : fit_methods()) c.words.push_back(std::move(name));
  } else if (option.name == "integrator") {
    for (const api::ListedMethod& method : api::methods())
      if (method.sensitivities) c.words.push_back(method.name);
  } else if (mentions(option.value, "FILE") || option.name == "start-from") {
    c.files = true;
  } else if (mentions(option.value, "DIR")) {
    c.folders = true;
  } else if (mentions(option.value, "|")) {
    c.words = split_at_bars(option.value);
  }
  return c;
}

Candidates arguments_of(const CommandSpec& command) {
  Candidates c;
  const std::string& a = command.arguments;
  if (mentions(a, "MODEL") || mentions(a, "NAME") || mentions(a, "PROBLEM"))
    for (const api::ListedModel& model : api::models()) c.words.push_back(model.name);
  c.files = mentions(a, "MODEL") || mentions(a, "PROBLEM") || mentions(a, "FILE");
  c.folders = mentions(a, "DIR");
  std::string words = a.substr(0, a.find(' '));
  if (mentions(words, "|") && words.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ[") == words.npos)
    c.words = split_at_bars(words);
  return c;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::vector<std::string> names_of(const OptionSpec& option) {
  std::vector<std::string> names{"--" + option.name};
  if (option.letter) names.push_back(std::string("-") + option.letter);
  return names;
}

std::vector<std::string> options_of(const CommandSpec& command) {
  std::vector<std::string> names;
  for (const OptionSpec& option : command.options)
    for (std::string& name : names_of(option)) names.push_back(std::move(name));
  names.insert(names.end(), {"--help", "-h"});
  return names;
}

std::string escaped(const std::string& text, const std::string& special) {
  std::string out;
  for (char c : text) {
    if (special.find(c) != std::string::npos) out += '\\';
    out += c;
  }
  return out;
}

// Between single quotes of any shell.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string reply(const Candidates& c) {
  std::string text = "COMPREPLY=( $(compgen ";
  if (c.files) text += "-f ";
  if (c.folders) text += "-d ";
  if (!c.words.empty()) text += "-W " + quoted(joined(c.words)) + " ";
  return text + "-- \"$word\") )";
}

bool any(const Candidates& c) { return c.files || c.folders || !c.words.empty(); }

}  // namespace

std::string bash_completion(const std::vector<CommandSpec>& commands) {
  std::vector<std::string> names{"help", "--help", "--version"};
  for (const CommandSpec& command : commands) names.push_back(command.name);
  std::string text =
      "# bash completion for stiffit; made by 'stiffit completion bash'\n"
      "_stiffit() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  local command=\"${COMP_WORDS[1]}\"\n"
      "  COMPREPLY=()\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
      "    COMPREPLY=( $(compgen -W " +
      quoted(joined(names)) +
      " -- \"$word\") )\n    return\n  fi\n"
      "  case \"$command\" in\n";
  for (const CommandSpec& command : commands) {
    text += "    " + command.name + ")\n      case \"$before\" in\n";
    for (const OptionSpec& option : command.options) {
      if (option.value.empty()) continue;
      std::string pattern;
      for (const std::string& name : names_of(option))
        pattern += (pattern.empty() ? "" : "|") + name;
      const Candidates values = values_of(option);
      text +=
          "        " + pattern + ") " + (any(values) ? reply(values) + "; " : "") + "return ;;\n";
    }
    text += "      esac\n      if [[ \"$word\" == -* ]]; then\n        " +
            reply({options_of(command)}) + "\n";
    if (const Candidates values = arguments_of(command); any(values))
      text += "      else\n        " + reply(values) + "\n";
    text += "      fi ;;\n";
  }
  return text + "    help) COMPREPLY=( $(compgen -W " + quoted(joined(names)) +
         " -- \"$word\") ) ;;\n" + "  esac\n}\ncomplete -o filenames -F _stiffit stiffit\n";
}

std::string zsh_completion(const std::vector<CommandSpec>& commands) {
  auto action = [](const Candidates& c) -> std::string {
    std::string words = joined(c.words);
    if (!c.files && !c.folders) return words.empty() ? " " : "(" + words + ")";
    const std::string paths = c.files ? "_files" : "_files -/";
    if (words.empty()) return paths;
    return "{_alternative \"w:word:(" + words + ")\" \"f:path:" + paths + "\"}";
  };
  std::string text =
      "#compdef stiffit\n# zsh completion for stiffit; made by 'stiffit completion zsh'\n"
      "_stiffit() {\n  local -a commands\n  commands=(\n";
  for (const CommandSpec& command : commands)
    text += "    " + quoted(command.name + ":" + escaped(command.summary, ":\\")) + "\n";
  text +=
      "  )\n  if (( CURRENT == 2 )); then\n    _describe -t commands command commands\n    return\n"
      "  fi\n  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const CommandSpec& command : commands) {
    text += "    " + command.name + ")\n      _arguments";
    for (const OptionSpec& option : command.options)
      for (const std::string& name : names_of(option)) {
        std::string spec =
            (option.repeated ? "*" : "") + name + "[" + escaped(option.help, "[]\\:") + "]";
        if (!option.value.empty())
          spec += ":" + escaped(option.value, "[]\\:") + ":" + action(values_of(option));
        text += " \\\n        " + quoted(spec);
      }
    text += " \\\n        '(- *)'{-h,--help}'[this text]'";
    text += " \\\n        " + quoted("*:" + escaped(command.arguments, "[]\\:") + ":" +
                                     action(arguments_of(command)));
    text += " ;;\n";
  }
  return text +
         "  esac\n}\nif [ \"$funcstack[1]\" = _stiffit ]; then\n  _stiffit \"$@\"\nelse\n"
         "  compdef _stiffit stiffit\nfi\n";
}

std::string fish_completion(const std::vector<CommandSpec>& commands) {
  std::string text =
      "# fish completion for stiffit; made by 'stiffit completion fish'\n"
      "complete -c stiffit -f\n"
      "complete -c stiffit -n __fish_use_subcommand -l version -d 'which version this is'\n";
  for (const CommandSpec& command : commands)
    text += "complete -c stiffit -n __fish_use_subcommand -a " + command.name + " -d " +
            quoted(command.summary) + "\n";
  for (const CommandSpec& command : commands) {
    const std::string here =
        "complete -c stiffit -n '__fish_seen_subcommand_from " + command.name + "'";
    const Candidates arguments = arguments_of(command);
    if (!arguments.words.empty()) text += here + " -a " + quoted(joined(arguments.words)) + "\n";
    if (arguments.files) text += here + " -F\n";
    if (arguments.folders) text += here + " -a '(__fish_complete_directories)'\n";
    for (const OptionSpec& option : command.options) {
      text += here + " -l " + option.name;
      if (option.letter) text += std::string(" -s ") + option.letter;
      text += " -d " + quoted(option.help);
      if (!option.value.empty()) {
        const Candidates values = values_of(option);
        text += " -r";
        if (!values.words.empty()) text += " -a " + quoted(joined(values.words));
        if (values.files) text += " -F";
        if (values.folders) text += " -a '(__fish_complete_directories)'";
      }
      text += "\n";
    }
    text += here + " -s h -l help -d 'this text'\n";
  }
  return text;
}

}  // namespace stiffit::internal
