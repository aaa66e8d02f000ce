// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/stability.h"

#include <algorithm>
#include <cmath>

#include "compile/program.h"
#include "ode/method_registry.h"
#include "symbolic/system.h"

namespace stiffit::internal {
namespace {

constexpr int usual_steps = 40;  // enough for a memory of the start to fade
constexpr double far = 1e4;      // where looking ends
constexpr double vanished = 1e-60;
constexpr double usual_slack = 1e-6;  // rounding of that many steps
// Of (4 fine - coarse)/3: where both of its runs neither grow nor decay it turns between 1 and 5/3
// for ever, which must not be taken for growth.
constexpr int steps_of_combined = 1000;
constexpr double slack_of_combined = 1.1e-3;

// x' = a x - b y, y' = b x + a y: the complex test equation as two real ones.
std::shared_ptr<const Model> test_equation() {
  auto model = std::make_shared<Model>();
  Expressions& e = model->expressions;
  for (const char* id : {"a", "b", "x", "y"}) {
    Parameter p;
    p.id = id;
    p.value = p.id == "x" ? 1 : 0;
    p.constant = p.id == "a" || p.id == "b";
    model->parameters.push_back(p);
  }
  auto symbol = [&](int index) { return e.symbol({SymbolKind::parameter, index}); };
  auto times = [&](int i, int j) { return e.apply(Op::mul, symbol(i), symbol(j)); };
  Rule x, y;
  x.kind = y.kind = RuleKind::rate;
  x.target = {SymbolKind::parameter, 2};
  x.value = e.apply(Op::sub, times(0, 2), times(1, 3));
  y.target = {SymbolKind::parameter, 3};
  y.value = e.apply(Op::add, times(1, 2), times(0, 3));
  model->rules = {x, y};
  return model;
}

}  // namespace

struct StabilityTrial::Parts {
  Problem problem;
  IntegrationOptions options;
  int a = 0, b = 0;
  int steps = usual_steps;
  double slack = usual_slack;
};

StabilityTrial::StabilityTrial(const std::string& method, int order)
    : parts_(std::make_unique<Parts>()) {
  SystemOptions varied;
  varied.varied = {"a", "b"};
  ResolvedSystem resolved = resolve(test_equation(), varied);
  parts_->a = resolved.system.parameter_index("a");
  parts_->b = resolved.system.parameter_index("b");
  parts_->problem = make_problem(compile(resolved.system, {}));
  parts_->options.method = method;
  parts_->options.fixed_step = 1;
  parts_->options.max_order = order;
  if (find_method(method)->combines_runs) {
    parts_->steps = steps_of_combined;
    parts_->slack = slack_of_combined;
  }
}

StabilityTrial::~StabilityTrial() = default;

double StabilityTrial::growth(std::complex<double> z) {
  Request request;
  request.parameters = parts_->problem.program->parameter_values;
  request.parameters[parts_->a] = z.real();
  request.parameters[parts_->b] = z.imag();
  for (int k = 1; k <= parts_->steps; ++k) request.times.push_back(k);
  const Trajectory run = simulate(parts_->problem, request, parts_->options);
  // Steps whose result is still a number to compute with.
  std::vector<double> size{1};
  for (std::size_t k = 0; k < run.rows_reached && size.back() > vanished; ++k)
    size.push_back(std::hypot(run.states[2 * k], run.states[2 * k + 1]));
  const bool failed = run.outcome.status != Status::done && size.back() > vanished;
  if (failed || !std::isfinite(size.back())) return INFINITY;  // it overflowed on the way
  const std::size_t last = size.size() - 1, middle = last / 2;
  // Of two steps the larger: one that changes its sign may cancel another in every second step.
  auto about = [&](std::size_t k) {
    return last < 8 ? size[k] : std::max(size[k], size[k - 1]);  // else all but gone in a few steps
  };
  return std::pow(about(last) / about(middle), 1.0 / static_cast<double>(last - middle));
}

double StabilityTrial::limit(std::complex<double> direction) {
  auto stable = [&](double s) { return growth(s * direction) <= 1 + parts_->slack; };
  double good = 0, bad = 0;
  for (double s = 0.05; s <= far; s *= 1.05)
    if (stable(s)) {
      good = s;
    } else {
      bad = s;
      break;
    }
  if (bad == 0) return INFINITY;
  for (int i = 0; i < 40; ++i) {
    const double middle = 0.5 * (good + bad);
    (stable(middle) ? good : bad) = middle;
  }
  return good;
}

bool StabilityTrial::a_stable() {
  for (double angle : {0.5, 0.52, 0.6, 0.7, 0.85, 1.0})  // of pi
    for (double size = 0.1; size < 1e4; size *= 1.6)
      if (!(growth(std::polar(size, angle * M_PI)) <= 1 + parts_->slack)) return false;
  return true;
}

bool StabilityTrial::l_stable() { return a_stable() && growth(-1e6) < 1e-3; }

double StabilityTrial::real_limit() { return limit(-1); }
double StabilityTrial::imaginary_limit() { return limit({0, 1}); }

}  // namespace stiffit::internal
