// `stiffit methods`: every integrator.
// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.h"
#include "report/json.h"
#include "report/text_table.h"
#include "stiffit/lists.h"

namespace stiffit::internal {
namespace {

CommandSpec methods_spec() {
  CommandSpec s;
  s.name = "methods";
  s.summary = "every integrator: name, family, order, stability, for what";
  s.options = with_general_options({});
  s.examples = {{"stiffit methods", "the table"},
                {"stiffit simulate oregonator --method " + method_in_role("large stiff"),
                 "uses one of them"}};
  return s;
}

int run_methods_command(const Arguments& arguments, const Console& console) {
  if (arguments.has("json")) {
    JsonWriter json;
    json.begin_object().key("methods").begin_array();
    for (const api::ListedMethod& m : api::methods())
      json.begin_object()
          .member("name", m.name)
          .member("family", m.family)
          .member("order", m.order)
          .member("stability", m.stability)
          .member("use", m.use)
          .end_object();
    deliver(json.end_array().end_object().text(), console);
    return exit_done;
  }
  std::vector<std::vector<std::string>> rows;
  for (const api::ListedMethod& m : api::methods())
    rows.push_back({m.name, m.family, m.order, m.stability, m.use});
  deliver(text_table({"name", "family", "order", "stability", "for"}, rows), console);
  return exit_done;
}

}  // namespace

Command methods_command() { return {methods_spec(), run_methods_command}; }

}  // namespace stiffit::internal
