// SPDX-License-Identifier: Apache-2.0
#include "contest.h"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stiffit::internal::benchmark {
namespace {

// Absolute tolerances in units of rtol and the state's maximum, the same freedom for both sides.
constexpr double cvodes_scales[] = {1e-2, 1e-4, 1e-6};
constexpr double our_scales[] = {1e-2, 1e-3, 1e-5};  // 1e-3 is our default
constexpr std::size_t finalists = 5;                 // settings of a side that are timed well

// Of this thread, so that other work on the machine counts as little as possible.
double cpu_microseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e6 * double(now.tv_sec) + 1e-3 * double(now.tv_nsec);
}

double median(std::vector<double> values) {
  auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Entry {
  std::unique_ptr<Competitor> competitor;
  Finding finding;
  int side = 0, repeats = 1;
  std::vector<double> times{};
};

// Everyone in turn, again and again; short runs several times in a row.
void time_interleaved(std::vector<Entry>& entries, double seconds) {
  std::vector<double> states;
  double round = 0;
  for (Entry& e : entries) {
    const double begin = cpu_microseconds();
    e.competitor->run(states);
    const double spent = cpu_microseconds() - begin;
    e.repeats = std::clamp(int(300 / spent), 1, 100);
    round += spent * e.repeats;
  }
  const int rounds = std::clamp(int(seconds * 1e6 / round), 5, 201);
  for (int r = 0; r < rounds; ++r)
    for (Entry& e : entries) {
      const double begin = cpu_microseconds();
      for (int k = 0; k < e.repeats; ++k) e.competitor->run(states);
      e.times.push_back((cpu_microseconds() - begin) / e.repeats);
    }
  for (Entry& e : entries) e.finding.microseconds = median(e.times);
}

}  // namespace

Contest::Contest(const ProblemSpec& spec, const ContestOptions& options)
    : spec_(spec), options_(options), problem_(build(spec)) {
  request_ = request_of(spec, end_of(spec));
  reference_ = find_reference(problem_, request_);
  keep_useful_solvers();
  for (const std::string& method : options_.methods)
    ours_.push_back(survey(our_scales, [&](double rtol, double scale) {
      return make_ours(problem_, request_, method, rtol, scale);
    }));
  cvodes_ = survey(cvodes_scales, [&](double rtol, double scale) {
    return make_cvodes(problem_, request_, CvodesBuild::o3, solvers_.front(), rtol, scale,
                       reference_.largest);
  });
}

// A solver that takes twice the time of the best at a common tolerance is not tried further.
void Contest::keep_useful_solvers() {
  std::vector<std::pair<double, CvodesSolver>> timed;
  for (CvodesSolver solver :
       {CvodesSolver::dense, CvodesSolver::klu_amd, CvodesSolver::klu_colamd}) {
    auto runner =
        make_cvodes(problem_, request_, CvodesBuild::o3, solver, 1e-5, 1e-2, reference_.largest);
    std::vector<double> states;
    double best = 1e300;
    for (int k = 0; k < 3; ++k) {
      const double begin = cpu_microseconds();
      runner->run(states);
      best = std::min(best, cpu_microseconds() - begin);
    }
    timed.push_back({best, solver});
  }
  std::sort(timed.begin(), timed.end());
  for (auto& [time, solver] : timed)
    if (time <= 2 * timed.front().first) solvers_.push_back(solver);
}

// Every half decade of tolerance with every scale: error and a rough time. Tolerances too tight
// for the method end the series.
template <class Make>
std::vector<Contest::Setting> Contest::survey(const double (&scales)[3], Make make) {
  std::vector<Setting> found;
  std::vector<double> states;
  for (double scale : scales)
    for (int half = 2; half <= 24; ++half) {
      const double rtol = std::pow(10.0, -0.5 * half);
      auto competitor = make(rtol, scale);
      double best = 1e300;
      bool done = true;
      for (int repeat = 0; repeat < 3 && done && (repeat == 0 || best < 3e5); ++repeat) {
        const double begin = cpu_microseconds();
        done = competitor->run(states).done;
        best = std::min(best, cpu_microseconds() - begin);
      }
      if (!done) continue;
      const double error = reference_.error(states);
      found.push_back({rtol, scale, error, best});
      if (error < 1e-3 * options_.targets.back()) break;
    }
  return found;
}

std::vector<Contest::Setting> Contest::shortlist(const std::vector<Setting>& all, double target) {
  std::vector<Setting> list;
  for (const Setting& s : all)
    if (s.error <= target) list.push_back(s);
  std::sort(list.begin(), list.end(),
            [](const Setting& a, const Setting& b) { return a.microseconds < b.microseconds; });
  if (list.size() > finalists) list.resize(finalists);
  return list;
}

Comparison Contest::compare_at(double target) {
  std::vector<Entry> entries;
  auto enter = [&](int side, const Setting& s, std::unique_ptr<Competitor> competitor) {
    std::vector<double> states;
    const RunResult result = competitor->run(states);
    const double error = reference_.error(states);
    if (!result.done || !(error <= target)) return;
    Finding finding{competitor->name, s.rtol, s.scale, error, 0, result.counters};
    entries.push_back({std::move(competitor), std::move(finding), side});
  };
  for (std::size_t m = 0; m < ours_.size(); ++m)
    for (const Setting& s : shortlist(ours_[m], target))
      enter(int(m), s, make_ours(problem_, request_, options_.methods[m], s.rtol, s.scale));
  for (const Setting& s : shortlist(cvodes_, target))
    for (CvodesSolver solver : solvers_)
      for (CvodesBuild build : {CvodesBuild::o3, CvodesBuild::o2})
        enter(-1, s,
              make_cvodes(problem_, request_, build, solver, s.rtol, s.scale, reference_.largest));
  time_interleaved(entries, options_.seconds);

  Comparison result{spec_.name, spec_.group, problem_.program->states, target, {}, {}};
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.finding.microseconds < b.finding.microseconds;
  });
  std::vector<bool> seen(ours_.size());
  for (const Entry& e : entries)
    if (e.side < 0) {
      if (result.cvodes.name.empty()) result.cvodes = e.finding;
    } else if (!seen[std::size_t(e.side)]) {
      seen[std::size_t(e.side)] = true;
      result.ours.push_back(e.finding);
    }
  return result;
}

std::vector<Comparison> Contest::compare() {
  std::vector<Comparison> results;
  for (double target : options_.targets) results.push_back(compare_at(target));
  return results;
}

}  // namespace stiffit::internal::benchmark
