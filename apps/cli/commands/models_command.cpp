// `stiffit models`: the library.
// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostic.h"
#include "cli/commands.h"
#include "model/library/library.h"
#include "report/json.h"
#include "report/text_table.h"

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

const LibraryModel& named_model(const std::string& name) {
  if (const LibraryModel* model = find_library_model(name)) return *model;
  std::vector<std::string> names;
  for (const LibraryModel& m : library_models()) names.emplace_back(m.name);
  std::string nearest = nearest_name(name, names);
  throw InputError("error: no library model is called '" + name + "'\n" +
                   (nearest.empty() ? "" : "  did you mean '" + nearest + "'?\n"));
}

void print_one(const LibraryModel& model, bool as_json, const Console& console) {
  if (!as_json) return deliver(std::string(model.text), console);
  JsonWriter json;
  json.begin_object().member("name", model.name).member("title", model.title);
  deliver(json.member("text", model.text).end_object().text(), console);
}

int run_models_command(const Arguments& arguments, const Console& console) {
  const bool as_json = arguments.has("json");
  if (!arguments.positional().empty()) {
    print_one(named_model(arguments.positional().front()), as_json, console);
    return exit_done;
  }
  if (as_json) {
    JsonWriter json;
    json.begin_object().key("models").begin_array();
    for (const LibraryModel& m : library_models())
      json.begin_object().member("name", m.name).member("title", m.title).end_object();
    deliver(json.end_array().end_object().text(), console);
    return exit_done;
  }
  std::vector<std::vector<std::string>> rows;
  for (const LibraryModel& m : library_models())
    rows.push_back({std::string(m.name), std::string(m.title)});
  deliver(text_table({}, rows), console);
  return exit_done;
}

}  // namespace

Command models_command() { return {models_spec(), run_models_command}; }

}  // namespace stiffit::internal
