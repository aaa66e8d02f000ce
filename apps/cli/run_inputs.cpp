// SPDX-License-Identifier: Apache-2.0
#include "cli/run_inputs.h"

#include "base/version.h"
#include "runtime/checkpoint/input_hashes.h"

namespace stiffit::internal {

void add_options(RunSettings& settings, const Arguments& arguments,
                 std::initializer_list<const char*> names) {
  for (const char* name : names) {
    std::string text;
    for (const std::string& word : arguments.all(name)) text += (text.empty() ? "" : " ") + word;
    if (!text.empty()) settings[name] = text;
  }
}

RunSettings run_provenance(const std::string& command, const Arguments& arguments) {
  RunSettings settings{{"version", version()}, {"command", command}, {"seed", "1"}};
  std::string words;
  for (const std::string& word : arguments.positional()) words += (words.empty() ? "" : " ") + word;
  if (!words.empty()) settings["of"] = words;
  for (auto& [name, values] : arguments.provenance()) {
    std::string text;
    for (const std::string& value : values) text += (text.empty() ? "" : " ") + value;
    settings[name] = text.empty() ? "yes" : text;
  }
  add_input_hashes(settings, arguments);
  return settings;
}

void add_input_hashes(RunSettings& settings, const Arguments& arguments) {
  for (const std::string& word : arguments.positional()) add_model_hashes(settings, word);
  for (const char* option : {"data", "start-from"})
    add_file_hashes(settings, arguments.all(option));
}

}  // namespace stiffit::internal
