// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/design/design_words.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/listed.h"
#include "base/number.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t most_named = 4;

// "P at 3 and 10 (with an error of 0.02)", for all points of one quantity in one experiment.
std::string points_words(const std::vector<const DesignPoint*>& points, bool several) {
  std::vector<std::string> times;
  double least = points.front()->error, most = least;
  for (const DesignPoint* p : points) {
    const std::string time = std::isinf(p->time) ? "the steady state" : format_short(p->time, 4);
    if (times.empty() || times.back() != time) times.push_back(time);
    least = std::min(least, p->error);
    most = std::max(most, p->error);
  }
  const DesignPoint& first = *points.front();
  std::string words = first.quantity;
  if (!first.within.empty())
    words += " (measured so far only within " + listed(first.within) + ")";
  else if (!first.measured)
    words += " (not measured so far)";
  words += " at " + std::string(std::isinf(first.time) ? "" : "time ") + listed(times);
  if (times.size() == 1 && points.size() > 1)
    words += ", " + std::to_string(points.size()) + " times";
  if (several) words += " of experiment " + first.experiment;
  const std::string low = format_short(least, 2), high = format_short(most, 2);
  return words + ", with " +
         (low == high ? "an error of " + low : "errors of " + low + " to " + high);
}

}  // namespace

std::string design_words(const MeasurementDesign& design, bool several) {
  std::map<std::pair<std::string, std::string>, std::vector<const DesignPoint*>> groups;
  for (const DesignPoint& p : design.points) groups[{p.experiment, p.quantity}].push_back(&p);
  std::string words;
  for (auto& [place, points] : groups) {
    std::stable_sort(points.begin(), points.end(),
                     [](const DesignPoint* a, const DesignPoint* b) { return a->time < b->time; });
    words += (words.empty() ? "" : "; ") + points_words(points, several);
  }
  std::vector<const DesignGain*> narrower, known;
  for (const DesignGain& g : design.gains)
    if (g.matters) (g.open ? known : narrower).push_back(&g);
  std::stable_sort(narrower.begin(), narrower.end(),
                   [](const DesignGain* a, const DesignGain* b) { return a->factor > b->factor; });
  std::vector<std::string> parts;
  if (narrower.size() > most_named) {
    parts.push_back("limits would be " + format_short(design.factor, 2) +
                    " times narrower on average, most of all those of " + narrower.front()->name +
                    ": " + format_short(narrower.front()->factor, 2) + " times");
  } else {
    std::vector<std::string> each;
    for (const DesignGain* g : narrower)
      each.push_back((each.empty() ? "the limits of " : "those of ") + g->name +
                     (each.empty() ? " would be " : " ") + format_short(g->factor, 2) + " times" +
                     (each.empty() ? " narrower" : ""));
    if (!each.empty()) parts.push_back(listed(each));
  }
  if (known.size() > most_named) {
    parts.push_back(std::to_string(known.size()) +
                    " parameters without limits on both sides would get them");
  } else {
    for (const DesignGain* g : known)
      parts.push_back(g->name + ", without limits on both sides so far, would be " + g->verdict);
  }
  std::string gained;
  for (const std::string& part : parts) gained += (gained.empty() ? "" : "; ") + part;
  return words + ": " + gained;
}

}  // namespace stiffit::internal
