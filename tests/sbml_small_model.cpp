// SPDX-License-Identifier: Apache-2.0
#include "sbml_small_model.h"

#include "io/sbml/read_sbml.h"
#include "ode/simulate.h"

namespace stiffit::internal {

std::string sbml_text(int level, int version, const std::string& lists) {
  std::string place = "http://www.sbml.org/sbml/level" + std::to_string(level);
  if (level == 2 && version > 1) place += "/version" + std::to_string(version);
  if (level == 3) place += "/version" + std::to_string(version) + "/core";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<sbml xmlns=\"" + place + "\" level=\"" +
         std::to_string(level) + "\" version=\"" + std::to_string(version) + "\"><model>" + lists +
         "</model></sbml>";
}

std::string mathml(const std::string& inside) {
  return "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">" + inside + "</math>";
}

std::vector<double> simulate_sbml(const std::string& text, const std::vector<std::string>& names,
                                  double time, int seed) {
  auto source = std::make_shared<const Source>("small.xml", text);
  Diagnostics diagnostics(source);
  auto model = read_sbml(source, diagnostics);
  if (!model) throw InputError(render(diagnostics));
  ResolvedSystem resolved = resolve(std::make_shared<const Model>(std::move(*model)));
  std::vector<Output> outputs;
  for (const std::string& name : names) {
    auto output = resolved.find(name);
    if (!output) throw InputError("no '" + name + "'");
    outputs.push_back(*output);
  }
  Problem problem = make_problem(compile(resolved.system, outputs));
  Request request;
  request.times = {0, time};
  if (time == 0) request.times = {0};
  IntegrationOptions options;
  options.rtol = 1e-9;
  options.seed = static_cast<std::uint64_t>(seed);
  Trajectory trajectory = simulate(problem, request, options);
  return {trajectory.outputs.end() - static_cast<std::ptrdiff_t>(names.size()),
          trajectory.outputs.end()};
}

}  // namespace stiffit::internal
