// SPDX-License-Identifier: Apache-2.0
#include "cli/run_inputs.h"

#include "base/version.h"

namespace stiffit::internal {

Provenance run_provenance(const std::string& command, const Arguments& arguments) {
  Provenance settings{{"version", version()}, {"command", command}, {"seed", "1"}};
  std::string words;
  for (const std::string& word : arguments.positional()) words += (words.empty() ? "" : " ") + word;
  if (!words.empty()) settings["of"] = words;
  for (auto& [name, values] : arguments.provenance()) {
    std::string text;
    for (const std::string& value : values) text += (text.empty() ? "" : " ") + value;
    settings[name] = text.empty() ? "yes" : text;
  }
  for (const std::string& word : arguments.positional()) add_model(settings, word);
  for (const char* option : {"data", "start-from"})
    add_tables_read(settings, arguments.all(option));
  return settings;
}

}  // namespace stiffit::internal
