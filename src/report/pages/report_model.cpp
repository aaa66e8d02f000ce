// SPDX-License-Identifier: Apache-2.0
#include "report/pages/report_model.h"

#include "analysis/pipeline/model_stiffness.h"
#include "analysis/stiffness/stiffness.h"
#include "base/diagnostic.h"
#include "base/option_error.h"
#include "io/text/writer/write_text.h"
#include "report/pages/report_curves.h"
#include "report/pages/report_text.h"
#include "report/pages/stiffness_report.h"
#include "report/text_table.h"
#include "symbolic/text/expression_text.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t longest_text = 40'000;  // characters shown; the file to save has all
constexpr std::size_t most_equations = 150;
constexpr std::size_t most_states = 300;  // eigenvalues at every row are not for more
constexpr int stiffness_rows = 200;

std::string beginning(const std::string& text) {
  if (text.size() <= longest_text) return text;
  return text.substr(0, text.rfind('\n', longest_text) + 1) + "... (cut here)\n";
}

std::string equations_of(const std::shared_ptr<const Model>& model) {
  const ResolvedSystem resolved = resolve(model);
  const System& system = resolved.system;
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(system.states.size(), most_equations); ++i)
    rows.push_back({state_text(*model, system.states[i]) + "'",
                    "= " + expression_text(*model, system, system.rhs[i], 2000)});
  std::string text = text_table({}, rows);
  if (system.states.size() > most_equations)
    text += "... and " + std::to_string(system.states.size() - most_equations) + " more\n";
  return text;
}

}  // namespace

void add_model(HtmlPage& page, const std::shared_ptr<const Model>& model) {
  page.heading("The model");
  if (!model->title.empty()) page.paragraph(model->title);
  try {
    const Writing writing = write_text(*model);
    page.preformatted("As text", beginning(writing.text));
    if (2 * writing.text.size() < page.room())
      page.download("model.rxn", "text/plain", writing.text);
    for (const std::string& line : writing.left_out) page.paragraph(line);
  } catch (const InputError& error) {
    page.paragraph(std::string("It cannot be written as text: ") + error.what());
  }
  try {
    page.preformatted("Its equations", equations_of(model));
  } catch (const InputError& error) {
    page.paragraph(std::string("No equations: ") + error.what());
  }
}

void add_stiffness(HtmlPage& page, const std::string& name,
                   const std::shared_ptr<const Model>& model, double start, double end,
                   const std::atomic<bool>* interrupt) {
  page.heading("Stiffness");
  try {
    Request request;
    request.start = start;
    for (int k = 0; k <= stiffness_rows; ++k)
      request.times.push_back(start + (end - start) * k / stiffness_rows);
    SystemOptions system_options;
    system_options.start_time = start;
    ResolvedSystem resolved = resolve(model, system_options);
    if (!resolved.system.delays.empty() || resolved.system.states.empty() || !(end > start) ||
        resolved.system.states.size() > most_states) {
      page.paragraph("Not looked at: the model has delays, does not move, or is too large for it.");
      return;
    }
    Problem problem = make_problem(compile(resolved.system, {}));
    IntegrationOptions options;
    options.max_steps = 50000;
    options.interrupt = interrupt;
    const api::Stiffness stiffness =
        public_stiffness({find_stiffness(resolved.system, rate_names(*model), problem, request,
                                         options, end - start),
                          problem.program->state_names, end - start});
    if (stiffness.status != "done") {
      page.paragraph("Not known: " + stiffness.explanation);
      return;
    }
    add_lines(page, stiffness_verdict(stiffness));
    std::vector<Plot> plots = stiffness_pictures(name, stiffness);
    for (Plot& plot : plots) {
      plot.width = report_plot_width;
      plot.height = report_plot_height + legend_height(plot);
    }
    page.gallery(plots, "stiffness");
    page.table_download("stiffness.csv", "text/csv", stiffness_csv(stiffness));
  } catch (const InputError& error) {
    page.paragraph(std::string("Not known: ") + error.what());
  } catch (const OptionError& error) {
    page.paragraph(std::string("Not known: ") + error.what());
  }
}

}  // namespace stiffit::internal
