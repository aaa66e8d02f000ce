// SPDX-License-Identifier: Apache-2.0
#include "ode/reference_trial.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace stiffit::internal {
namespace {

// Expressions of one graph, written as on paper.
struct E {
  Graph* g;
  NodeId id;
};
E operator+(E a, E b) { return {a.g, a.g->add(a.id, b.id)}; }
E operator-(E a, E b) { return {a.g, a.g->sub(a.id, b.id)}; }
E operator*(E a, E b) { return {a.g, a.g->mul(a.id, b.id)}; }
E operator/(E a, E b) { return {a.g, a.g->div(a.id, b.id)}; }
E operator+(E a, double b) { return a + E{a.g, a.g->number(b)}; }
E operator+(double a, E b) { return b + a; }
E operator-(double a, E b) { return E{b.g, b.g->number(a)} - b; }
E operator*(double a, E b) { return E{b.g, b.g->number(a)} * b; }
E operator/(double a, E b) { return E{b.g, b.g->number(a)} / b; }
E operator/(E a, double b) { return a / E{a.g, a.g->number(b)}; }
E operator-(E a) { return {a.g, a.g->neg(a.id)}; }
E exp(E a) { return {a.g, a.g->apply(Op::exp, a.id)}; }

using Equations = std::vector<E> (*)(E t, const std::vector<E>& y);

ReferenceProblem make(const std::string& name, const std::vector<double>& start, Equations f) {
  ReferenceProblem problem;
  problem.name = name;
  System& s = problem.system;
  std::vector<E> y;
  for (std::size_t i = 0; i < start.size(); ++i) {
    s.states.push_back({"y" + std::to_string(i), {}, false});
    s.parameters.push_back({"y0" + std::to_string(i), {}, start[i], false});
    s.initial.push_back(s.graph.parameter(static_cast<int>(i)));
    y.push_back({&s.graph, s.graph.state(static_cast<int>(i))});
  }
  std::vector<E> slopes = f({&s.graph, s.graph.time()}, y);
  for (std::size_t i = 0; i < slopes.size(); ++i) {
    s.rates.push_back(slopes[i].id);
    s.rhs.push_back(slopes[i].id);
    s.terms.push_back({{static_cast<int>(i), s.graph.number(1)}});
  }
  return problem;
}

void load(ReferenceProblem& problem, const std::string& path, std::size_t first_column = 1) {
  std::ifstream file(path);
  std::string line, cell;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::vector<double> row;
    while (std::getline(cells, cell, ',')) row.push_back(std::stod(cell));
    problem.times.push_back(row[0]);
    for (std::size_t i = 0; i < problem.system.states.size(); ++i)
      problem.solution.push_back(row[first_column + i]);
  }
}

template <int Variant>  // 0: H, 1: OH; the stiff one has kf1 = 1000.3
std::vector<E> water(E, const std::vector<E>& y) {
  E h2 = y[0], o2 = y[1], o = y[2], h = y[3], oh = y[4], h2o = y[5];
  const double kf1 = Variant & 2 ? 1000.3 : 1.3;
  E r1 = kf1 * (h2 * o) - 1.2 * (h * oh);
  E r2 = 1.4 * (h * o2) - 0.6 * (o * oh);
  E r3 = h2 * oh - 1.3 * (h2o * (Variant & 1 ? oh : h));
  return {-r1 - r3, -r2, r2 - r1, r1 - r2 + r3, r1 + r2 - r3, r3};
}

template <int Case>
std::vector<E> escep(E, const std::vector<E>& y) {
  constexpr double eps[3] = {0.1, 0.01, 1e-4}, p[3] = {1.5, 1.5, 2}, q[3] = {1, 1, 1.5};
  E s = y[0], c = y[1];
  return {q[Case] * c - (1 - c) * s, ((1 - c) * s - p[Case] * c) / eps[Case]};
}

template <int Alpha>
std::vector<E> van_der_pol(E, const std::vector<E>& y) {
  return {y[1], Alpha * ((1 - y[0] * y[0]) * y[1]) - y[0]};
}

std::vector<E> repressilator(E, const std::vector<E>& y) {
  std::vector<E> f;
  for (std::size_t i = 0; i < 3; ++i) {
    E p = y[3 + (i + 2) % 3];
    f.push_back(216 / (1 + p * p) - y[i] + 0.216);
  }
  for (std::size_t i = 0; i < 3; ++i) f.push_back(0.2 * (y[i] - y[3 + i]));
  return f;
}

}  // namespace

double ReferenceProblem::error(const std::vector<double>& states) const {
  const std::size_t n = system.states.size();
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double largest = 0, off = 0;
    for (std::size_t k = 0; k < times.size(); ++k)
      largest = std::max(largest, std::fabs(solution[k * n + i]));
    for (std::size_t k = 0; k < times.size(); ++k) {
      if (times[k] > skip_from && times[k] < skip_to) continue;
      double d = std::fabs(states[k * n + i] - solution[k * n + i]);
      if (!(d <= off)) off = d;  // NaN too
    }
    double share = off / largest;
    if (!(share <= worst)) worst = share;
  }
  return worst;
}

std::vector<ReferenceProblem> reference_problems(const std::string& folder) {
  std::vector<ReferenceProblem> list;
  auto add = [&](const std::string& file, std::vector<double> start, Equations f) {
    list.push_back(make(file, start, f));
    load(list.back(), folder + "/" + file + ".csv");
  };
  add("hemker_1_2", {-1, 0, 1, 2, 3, 4}, [](E t, const std::vector<E>& y) {
    std::vector<E> f;
    for (E x : y) f.push_back((5 * t + 3) / ((t + 1) * (t + 1)) - 2.5 * x);
    return f;
  });
  add("escep_a", {1, 0}, escep<0>);
  add("escep_b", {1, 0}, escep<1>);
  add("escep_c", {1, 0}, escep<2>);
  add("lotka_x_sens", {1, 0.001, 0.001, 0}, [](E, const std::vector<E>& x) -> std::vector<E> {
    E a = x[0] * x[1], b = 1.5 * (x[1] * x[2]), c = 0.1 * x[2];
    return {-a, a - b, b - c, c};
  });
  const std::vector<double> cold{10, 3, 4, 5, 6, 7}, rich{1e4, 3, 4, 5, 6, 7};
  add("water_nonstiff_H", cold, water<0>);
  add("water_nonstiff_OH", cold, water<1>);
  add("water_moderate_H", rich, water<0>);
  add("water_moderate_OH", rich, water<1>);
  add("water_stiff_H", rich, water<2>);
  add("water_stiff_OH", rich, water<3>);
  add("vdp1", {2, 0}, van_der_pol<1>);
  add("vdp1000", {2, 0}, van_der_pol<1000>);
  list.back().skip_from = 806;
  list.back().skip_to = 808;
  add("oregonator", {1, 1, 1}, [](E, const std::vector<E>& v) -> std::vector<E> {
    E x = v[0], y = v[1], z = v[2];
    return {(0.005 * y - x * y + x * (1 - x)) / 0.01, (0.6 * z - 0.005 * y - x * y) / 0.01, x - z};
  });
  add("repressilator", {0, 10, 0, 0, 0, 0}, repressilator);
  add("stiff1000", {0}, [](E t, const std::vector<E>& y) -> std::vector<E> {
    return {-(1000 * (y[0] - exp(-t))) - exp(-t)};
  });
  add("bk51_solution", {2, 4, 7}, [](E, const std::vector<E>& x) -> std::vector<E> {
    E square = x[0] * x[0];
    return {x[1], x[1] - x[0] - x[1] * x[2], square - x[2] + square};
  });
  add("bk52_solution", {30, 0}, [](E, const std::vector<E>& x) -> std::vector<E> {
    E x3 = 10 - x[1], x4 = 30 - x[0] - x[1];
    E bound = 0.5 * (x[0] * x3);
    return {0.1 * x[1] - bound, bound - 0.3 * x[1] + 0.05 * (x3 * x4)};
  });
  return list;
}

ReferenceProblem robertson_problem() {
  ReferenceProblem problem =
      make("robertson", {1, 0, 0}, [](E, const std::vector<E>& y) -> std::vector<E> {
        E a = 0.04 * y[0], b = 1e4 * (y[1] * y[2]), c = 3e7 * (y[1] * y[1]);
        return {b - a, a - b - c, c};
      });
  for (double t = 1e-6; t < 2e6; t *= 10) problem.times.push_back(t);
  return problem;
}

}  // namespace stiffit::internal
