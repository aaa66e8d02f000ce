// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/shared_courses.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace stiffit::internal {
namespace {

// Parameters whose values reach the states: the dynamic ones, what the formulas read, and what is
// assigned to any of these.
std::vector<char> reaching(const std::vector<CompiledExperiment>& experiments,
                           const std::vector<int>& dynamic,
                           const std::vector<const Differentiated*>& formulas,
                           std::size_t parameters) {
  std::vector<char> reaches(parameters, 0);
  for (int p : dynamic) reaches[p] = 1;
  for (const Differentiated* d : formulas)
    for (const auto& entry : d->by_parameter) reaches[entry.column] = 1;
  for (bool grows = true; grows;) {
    grows = false;
    auto reach = [&](int p) {
      grows |= !reaches[p];
      reaches[p] = 1;
    };
    for (const CompiledExperiment& e : experiments)
      for (const CompiledPeriod& period : e.periods)
        for (const CompiledAssignment& a : period.assignments) {
          if (a.parameter >= 0 && !reaches[a.parameter]) continue;
          if (a.source >= 0) reach(a.source);
          if (a.expression < 0) continue;
          for (const auto& entry : period.expressions.by_parameter)
            if (entry.row == a.expression) reach(entry.column);
        }
  }
  return reaches;
}

// All that the course of an experiment's states depends on; equal keys, equal courses.
using Key = std::vector<double>;

Key key_of(const CompiledExperiment& experiment, const std::vector<char>& reaches) {
  Key key;
  for (std::size_t k = 0; k < experiment.active; ++k)
    key.push_back(static_cast<double>(experiment.columns[k]));
  for (const CompiledPeriod& period : experiment.periods) {
    key.push_back(INFINITY);
    key.push_back(period.start);
    key.push_back(period.resizes);
    std::vector<const CompiledAssignment*> relevant;
    for (const CompiledAssignment& a : period.assignments)
      if (a.parameter < 0 || reaches[a.parameter]) relevant.push_back(&a);
    std::stable_sort(relevant.begin(), relevant.end(),
                     [](const CompiledAssignment* a, const CompiledAssignment* b) {
                       return std::pair(a->parameter, a->state) < std::pair(b->parameter, b->state);
                     });
    for (const CompiledAssignment* a : relevant)
      for (double x : {static_cast<double>(a->parameter), static_cast<double>(a->state),
                       static_cast<double>(a->source), static_cast<double>(a->node),
                       a->source < 0 && a->expression < 0 ? a->number : 0.0})
        key.push_back(x);
  }
  return key;
}

std::size_t periods_needed(const CompiledExperiment& experiment) {
  std::size_t last = experiment.periods.size();
  while (last > 1 && experiment.periods[last - 1].times.empty() &&
         experiment.at_steady_state.empty())
    --last;
  return last;
}

void join(std::vector<CompiledExperiment*>& members, int course) {
  for (CompiledExperiment* e : members) {
    e->course = course;
    e->sharing = static_cast<int>(members.size());
  }
  for (std::size_t k = 0; k < members.front()->periods.size(); ++k) {
    std::set<double> all;
    for (CompiledExperiment* e : members)
      all.insert(e->periods[k].times.begin(), e->periods[k].times.end());
    for (CompiledExperiment* e : members) {
      CompiledPeriod& period = e->periods[k];
      period.shared_times.assign(all.begin(), all.end());
      for (double time : period.times)
        period.shared_rows.push_back(
            std::lower_bound(period.shared_times.begin(), period.shared_times.end(), time) -
            period.shared_times.begin());
    }
  }
}

}  // namespace

int share_courses(std::vector<CompiledExperiment>& experiments, const std::vector<int>& dynamic,
                  const std::vector<const Differentiated*>& formulas, std::size_t parameters) {
  const std::vector<char> reaches = reaching(experiments, dynamic, formulas, parameters);
  std::map<Key, std::vector<CompiledExperiment*>> groups;
  int next = 0;
  for (CompiledExperiment& e : experiments) {
    Key key = key_of(e, reaches);
    key.push_back(static_cast<double>(periods_needed(e)));
    bool ordered = true;  // NaN, which is no key
    for (double x : key) ordered &= !std::isnan(x);
    std::vector<CompiledExperiment*> alone{&e};
    if (ordered)
      groups[key].push_back(&e);
    else
      join(alone, next++);
  }
  for (auto& [key, members] : groups) join(members, next++);
  return next;
}

}  // namespace stiffit::internal
