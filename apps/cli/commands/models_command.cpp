// `stiffit models`: the library.
// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "report/json.h"
#include "report/text_table.h"
#include "stiffit/lists.h"

namespace stiffit::internal {
namespace {

CommandSpec models_spec() {
  CommandSpec s;
  s.name = "models";
  s.arguments = "[NAME]";
  s.summary = "lists the library; with a name prints the model's text";
  s.most = 1;
  s.options = with_general_options({});
  s.examples = {{"stiffit models", "every model, with a line about it"},
                {"stiffit models oregonator > my.rxn", "a copy to change"}};
  return s;
}

void print_one(const std::string& name, bool as_json, const Console& console) {
  const std::string text = api::model_text(name);
  if (!as_json) return deliver(text, console);
  JsonWriter json;
  json.begin_object().member("name", name);
  for (const api::ListedModel& m : api::models())
    if (m.name == name) json.member("title", m.title);
  deliver(json.member("text", text).end_object().text(), console);
}

int run_models_command(const Arguments& arguments, const Console& console) {
  const bool as_json = arguments.has("json");
  if (!arguments.positional().empty()) {
    print_one(arguments.positional().front(), as_json, console);
    return exit_done;
  }
  if (as_json) {
    JsonWriter json;
    json.begin_object().key("models").begin_array();
    for (const api::ListedModel& m : api::models())
      json.begin_object().member("name", m.name).member("title", m.title).end_object();
    deliver(json.end_array().end_object().text(), console);
    return exit_done;
  }
  std::vector<std::vector<std::string>> rows;
  for (const api::ListedModel& m : api::models()) rows.push_back({m.name, m.title});
  deliver(text_table({}, rows), console);
  return exit_done;
}

}  // namespace

Command models_command() { return {models_spec(), run_models_command}; }

}  // namespace stiffit::internal
