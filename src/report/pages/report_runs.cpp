// SPDX-License-Identifier: Apache-2.0
#include "report/pages/report_runs.h"

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "report/pages/report_curves.h"
#include "report/pages/report_model.h"
#include "report/pages/report_text.h"
#include "report/tables/difference_text.h"
#include "report/tables/ensemble_tables.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t most_plots = 24;

// Columns of about the same size share a picture, so that none lies flat on the axis.
std::vector<std::vector<std::size_t>> groups_of(const TimeCourse& course) {
  const std::size_t n = course.columns.size();
  std::vector<std::vector<std::size_t>> groups;
  std::vector<double> sizes;
  for (std::size_t c = 0; c < n; ++c) {
    double size = 0;
    for (std::size_t r = 0; r < course.times.size(); ++r)
      if (std::isfinite(course.values[r * n + c]))
        size = std::max(size, std::fabs(course.values[r * n + c]));
    const bool fits = !groups.empty() && groups.back().size() < curves_per_plot &&
                      size <= 8 * sizes.back() && sizes.back() <= 8 * size;
    if (!fits) {
      groups.emplace_back();
      sizes.push_back(size);
    }
    groups.back().push_back(c);
  }
  return groups;
}

std::vector<Plot> course_pictures(const TimeCourse& course) {
  std::vector<Plot> plots;
  const std::size_t n = course.columns.size();
  for (auto& group : groups_of(course)) {
    std::string title = course.columns[group.front()];
    if (group.size() > 1) title += " to " + course.columns[group.back()];
    Plot plot = report_plot(title, "time", "");
    for (std::size_t c : group) {
      PlotCurve curve;
      curve.name = course.columns[c];
      for (std::size_t r = 0; r < course.times.size(); ++r)
        curve.points.push_back({course.times[r], course.values[r * n + c]});
      curve.points = thinned(std::move(curve.points));
      plot.curves.push_back(std::move(curve));
    }
    set_time_axes(plot);
    plots.push_back(std::move(plot));
  }
  return plots;
}

void add_verification(HtmlPage& page, const api::Verification& v) {
  page.heading("Accuracy");
  if (!v.done()) {
    page.paragraph("The time course could not be verified by another method.");
    for (const std::string& line : v.tried) page.paragraph(line);
    return;
  }
  if (!v.agrees())
    page.paragraph("Not to be trusted: farther apart than " + format_short(v.allowed, 2) +
                   " of a column's maximum.");
  page.paragraph("Computed again with " + v.method + " at relative tolerance " +
                 format_short(v.rtol) + ": at most " + format_short(v.worst, 2) +
                 " of a column's maximum apart.");
  std::vector<std::vector<std::string>> rows;
  for (const api::ColumnDifference& d : v.differences)
    rows.push_back({d.name, format_short(d.largest), format_short(d.share), format_short(d.time)});
  page.table({"column", "largest difference", "of its maximum", "at time"}, rows);
}

}  // namespace

std::string course_page(const CourseReport& r) {
  HtmlPage page("Time course of " + r.name);
  if (r.course.outcome.status != Status::done)
    page.paragraph("Not finished: " + r.course.explanation);
  page.heading("Curves");
  add_gallery(page, course_pictures(r.course), "curves", most_plots);
  page.table_download("curves.csv", "text/csv", r.csv);
  if (r.verification) add_verification(page, *r.verification);
  page.heading("The run");
  page.preformatted("Method, counters and time", r.stats);
  if (r.course.outcome.status == Status::done)
    add_stiffness(page, r.name, r.model, r.start, r.course.times.back(), r.interrupt);
  add_model(page, r.model);
  add_settings(page, r.provenance);
  return page.text();
}

std::string ensemble_page(const EnsembleReport& r) {
  HtmlPage page("Ensemble of " + r.name);
  const EnsemblePlan& plan = r.ensemble.plan();
  page.paragraph(std::to_string(r.ensemble.done()) + " of " + std::to_string(plan.samples) +
                 " samples simulated with " + r.ensemble.integration().method + "; " +
                 std::to_string(r.ensemble.failures()) + " failed and are left out.");
  page.heading("What was drawn");
  std::vector<std::vector<std::string>> rows;
  for (const ParameterDistribution& option : r.sampled)
    rows.push_back({option.name, to_text(option.distribution)});
  page.table({"name", "distribution"}, rows);
  page.heading("Bands");
  const std::vector<std::string>& names = plan.problem.program->output_names;
  std::vector<Plot> plots;
  for (std::size_t k = 0; k < names.size(); ++k) {
    plots.push_back(band_plot(names[k], names[k], plan.times, [&](std::size_t row, double share) {
      return r.ensemble.bands().quantile(row * names.size() + k, share);
    }));
    set_time_axes(plots.back());
  }
  add_gallery(page, std::move(plots), "bands", most_plots);
  page.table_download("bands.csv", "text/csv", bands_csv(r.ensemble));
  if (r.ensemble.failures() > 0) {
    page.heading("Failures");
    const FailedSample& first = r.ensemble.failed().front();
    page.paragraph("The first, sample " + std::to_string(first.sample) + ": " + first.reason);
    page.table_download("failures.csv", "text/csv", failures_csv(r.ensemble, r.sampled));
  }
  add_model(page, r.model);
  add_settings(page, r.provenance);
  return page.text();
}

}  // namespace stiffit::internal
