// SPDX-License-Identifier: Apache-2.0
#include "round_trip.h"

#include <cmath>

#include "base/diagnostic.h"
#include "base/number.h"
#include "compile/program.h"
#include "io/bng/read_bng.h"
#include "io/bng/write_net.h"
#include "io/files/load_model.h"
#include "io/sbml/read_sbml.h"
#include "io/sbml/write_sbml.h"
#include "io/text/read_text.h"
#include "io/text/writer/write_text.h"
#include "io/written/written_names.h"
#include "ode/simulate.h"
#include "symbolic/system.h"

namespace stiffit::internal {
namespace {

template <class Read>
SharedModel read_with(const std::string& name, const std::string& text, Read read) {
  auto source = std::make_shared<const Source>(name, text);
  Diagnostics diagnostics(source);
  std::optional<Model> model = read(source, diagnostics);
  if (!model) throw InputError(render(diagnostics) + "--- in\n" + text);
  return std::make_shared<const Model>(std::move(*model));
}

std::vector<Ref> quantities(const Model& model) {
  std::vector<Ref> refs;
  auto all = [&](SymbolKind kind, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) refs.push_back({kind, static_cast<std::int32_t>(i)});
  };
  all(SymbolKind::species, model.species.size());
  all(SymbolKind::compartment, model.compartments.size());
  all(SymbolKind::parameter, model.parameters.size());
  all(SymbolKind::observable, model.observables.size());
  for (std::size_t i = 0; i < model.reactions.size(); ++i)
    if (model.reactions[i].rate != no_expr && !model.reactions[i].fast)
      refs.push_back({SymbolKind::reaction, static_cast<std::int32_t>(i)});
  return refs;
}

// Where an id is no name of the target language, it was made one.
std::string name_in(const Model& again, const std::string& id) {
  std::string made = as_identifier(id);
  for (const std::string& name : {id, made, id + "()"})
    if (SymbolKind kind = again.find(name).kind;
        kind != SymbolKind::none && kind != SymbolKind::time)
      return name;
  return made + "_2";
}

struct Run {
  std::vector<double> values;
  Status status = Status::done;
};

Run run(ResolvedSystem& resolved, const std::vector<Output>& outputs, double end) {
  Problem problem = make_problem(compile(resolved.system, outputs));
  Request request;
  request.start = resolved.system.start_time;
  for (int i = 0; i <= 20; ++i)
    request.times.push_back(request.start + (end - request.start) * i / 20.0);
  Trajectory trajectory = simulate(problem, request, {});
  return {trajectory.outputs, trajectory.outcome.status};
}

}  // namespace

SharedModel text_model(const std::string& text) {
  return read_with("m.rxn", text, [](auto& s, auto& d) { return read_text(s, d); });
}
SharedModel sbml_model(const std::string& text, const std::string& folder) {
  return read_with("m.xml", text, [&](auto& s, auto& d) { return read_sbml(s, d, folder); });
}
SharedModel net_model(const std::string& text) {
  return read_with("m.net", text, [](auto& s, auto& d) { return read_bng(s, d); });
}
SharedModel model_file(const std::string& path) { return load_model(path).model; }

SharedModel through_text(const SharedModel& model) { return text_model(write_text(*model).text); }
SharedModel through_sbml(const SharedModel& model) { return sbml_model(write_sbml(*model).text); }

SharedModel through_net(const SharedModel& model) { return net_model(write_net(*model).text); }

std::string first_difference(const SharedModel& model, const SharedModel& again, double end,
                             double tolerance) {
  SystemOptions options;  // the one thing SBML cannot say
  options.start_time = model->start_time;
  ResolvedSystem one = resolve(model, options), two = resolve(again, options);
  std::vector<Output> ones, twos;
  for (Ref ref : quantities(*model)) {
    const std::string& id = model->id_of(ref);
    std::string name = name_in(*again, id);
    // A network has reactions of its own.
    if (ref.kind == SymbolKind::reaction && again->find(name).kind != SymbolKind::reaction)
      continue;
    auto first = one.find(id), second = two.find(name);
    if (!first) continue;
    if (!second) return "there is no " + name;
    ones.push_back(*first);
    twos.push_back(*second);
  }
  Run a = run(one, ones, end), b = run(two, twos, end);
  if (a.status != b.status) return "the runs end differently";
  const std::size_t width = ones.size();
  for (std::size_t k = 0; k < width; ++k) {
    double largest = 0;
    for (std::size_t i = k; i < a.values.size(); i += width)
      if (std::isfinite(a.values[i])) largest = std::max(largest, std::fabs(a.values[i]));
    for (std::size_t i = k; i < a.values.size(); i += width) {
      double x = a.values[i], y = b.values[i];
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      if (!(std::fabs(x - y) <= tolerance * largest))
        return ones[k].name + " in row " + std::to_string(i / width) + " is " + format_number(x) +
               ", then " + format_number(y);
    }
  }
  return {};
}

}  // namespace stiffit::internal
