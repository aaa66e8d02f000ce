// The exact Jacobian and df/dt of every library model against complex steps, and the compiled
// kernels against the values of the graph they were made from.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>

#include "compiled_model.h"
#include "linear/aligned_array.h"

namespace stiffit::internal {
namespace {

using Complex = std::complex<double>;

// Leaves of a system with an imaginary step on at most one of them.
struct Point {
  Complex time;
  std::vector<Complex> states;
  std::vector<double> parameters;

  double real_leaf(Leaf kind, int index) const {
    const auto i = static_cast<std::size_t>(index);
    return kind == Leaf::time    ? time.real()
           : kind == Leaf::state ? states[i].real()
                                 : parameters[i];
  }
};

Complex evaluate_complex(Op op, Complex a, Complex b, Complex c) {
  switch (op) {
    case Op::neg:
      return -a;
    case Op::add:
      return a + b;
    case Op::sub:
      return a - b;
    case Op::mul:
      return a * b;
    case Op::div:
      return a / b;
    case Op::pow:
      return std::pow(a, b);
    case Op::sqrt:
      return std::sqrt(a);
    case Op::exp:
      return std::exp(a);
    case Op::ln:
      return std::log(a);
    case Op::sin:
      return std::sin(a);
    case Op::cos:
      return std::cos(a);
    case Op::select:
      return b.real() != 0 ? a : c;
    case Op::min:
    case Op::max:
      return evaluate(op, a.real(), b.real()) == a.real() ? a : b;
    default:  // comparisons and logic; anything else would have no derivative here
      EXPECT_TRUE(is_boolean(op)) << name_of(op) << " needs a complex form in this test";
      return evaluate(op, a.real(), b.real(), c.real());
  }
}

// Values of all nodes, operands first.
std::vector<Complex> evaluate_all(const Graph& graph, std::size_t nodes, const Point& point) {
  std::vector<Complex> values(nodes);
  for (NodeId id = 0; id < nodes; ++id) {
    const GraphNode& n = graph[id];
    const auto index = static_cast<std::size_t>(n.b);
    if (n.op == Op::number)
      values[id] = n.value;
    else if (n.op == Op::symbol)
      values[id] = static_cast<Leaf>(n.a) == Leaf::time    ? point.time
                   : static_cast<Leaf>(n.a) == Leaf::state ? point.states[index]
                                                           : Complex(point.parameters[index]);
    else
      values[id] = evaluate_complex(n.op, values[n.a], values[n.b], values[n.c]);
  }
  return values;
}

// Somewhere near the start, where no state is zero and none equals another.
Point point_near_start(const System& system, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> spread(0.5, 1.5);
  Point point;
  point.time = system.start_time + spread(random);
  for (const SystemParameter& parameter : system.parameters)
    point.parameters.push_back(parameter.value);
  auto leaf = [&](Leaf, int index) { return point.parameters[static_cast<std::size_t>(index)]; };
  for (NodeId initial : system.initial) {
    double start = system.graph.value(initial, leaf);
    point.states.push_back(start == 0 ? 0.3 * spread(random) : start * spread(random));
  }
  return point;
}

class LibraryDerivatives : public testing::TestWithParam<std::string> {};

// An imaginary step has no cancellation: the derivative is exact to rounding.
TEST_P(LibraryDerivatives, AreThoseOfComplexSteps) {
  System system = resolve_library(GetParam()).system;
  const std::size_t model_nodes = system.graph.size();  // derivatives come after
  const SparseExpressions j = jacobian(system);
  const std::vector<NodeId> by_time = time_derivatives(system);
  constexpr double step = 1e-100;
  Point point = point_near_start(system, 1);
  const std::vector<Complex> all = evaluate_all(system.graph, system.graph.size(), point);
  const std::size_t n = system.states.size();
  // What a difference of rounded terms may leave in a row of the Jacobian.
  std::vector<double> row_scale(n, 0);
  for (std::size_t k = 0; k < j.values.size(); ++k) {
    auto row = static_cast<std::size_t>(j.pattern.row[k]);
    row_scale[row] = std::max(row_scale[row], std::abs(all[j.values[k]]));
  }
  for (std::size_t column = 0; column < n; ++column) {
    std::vector<double> exact(n, 0);
    for (int k = j.pattern.column_start[column]; k < j.pattern.column_start[column + 1]; ++k) {
      auto at = static_cast<std::size_t>(k);
      exact[static_cast<std::size_t>(j.pattern.row[at])] = all[j.values[at]].real();
    }
    point.states[column] += Complex(0, step);
    const std::vector<Complex> moved = evaluate_all(system.graph, model_nodes, point);
    point.states[column] = point.states[column].real();
    for (std::size_t row = 0; row < n; ++row)
      ASSERT_NEAR(exact[row], moved[system.rhs[row]].imag() / step, 1e-13 * row_scale[row])
          << "d " << system.states[row].name << "' / d " << system.states[column].name;
  }
  point.time += Complex(0, step);
  const std::vector<Complex> moved = evaluate_all(system.graph, model_nodes, point);
  for (std::size_t row = 0; row < n; ++row) {
    const double expected = moved[system.rhs[row]].imag() / step;
    ASSERT_NEAR(all[by_time[row]].real(), expected, 1e-13 * std::fabs(expected))
        << "d " << system.states[row].name << "' / dt";
  }
}

// Every kernel, lanes with points of their own, against Graph::value.
TEST_P(LibraryDerivatives, KernelsHaveTheValuesOfTheGraph) {
  ResolvedSystem resolved = resolve_library(GetParam());
  System& system = resolved.system;
  const std::size_t n = system.states.size();
  for (int lanes : {1, 4, 8}) {
    ProgramOptions options;
    options.lanes = lanes;
    const auto program = compile(system, resolved.columns, options);
    const SparseExpressions j = jacobian(system);
    const std::vector<NodeId> by_time = time_derivatives(system);
    const auto width = static_cast<std::size_t>(lanes);
    std::vector<Point> points;
    AlignedArray time(width), states(n * width), f(n * width), initial(n * width),
        values(j.values.size() * width), outputs(resolved.columns.size() * width),
        parameters(static_cast<std::size_t>(program->parameter_slots) * width);
    for (std::size_t l = 0; l < width; ++l) {
      points.push_back(point_near_start(system, static_cast<unsigned>(l) + 1));
      Point& point = points.back();
      for (double& p : point.parameters) p *= 1 + 0.01 * static_cast<double>(l);
      time[l] = point.time.real();
      for (std::size_t i = 0; i < n; ++i) states[i * width + l] = point.states[i].real();
      for (std::size_t i = 0; i < point.parameters.size(); ++i)
        parameters[i * width + l] = point.parameters[i];
    }
    auto expect = [&](const AlignedArray& got, const std::vector<NodeId>& nodes, const char* what) {
      for (std::size_t i = 0; i < nodes.size(); ++i)
        for (std::size_t l = 0; l < width; ++l) {
          double value = system.graph.value(
              nodes[i], [&](Leaf kind, int k) { return points[l].real_leaf(kind, k); });
          // Sums are taken in the same order; only fused roundings differ.
          double scale = std::fabs(value) + 1e-2;
          ASSERT_NEAR(got[i * width + l], value, 1e-9 * scale) << what << " " << i << " lane " << l;
        }
    };
    double* prepare[2] = {parameters.data(), initial.data()};
    program->prepare(prepare);
    program->initial(prepare);
    expect(initial, system.initial, "initial");
    double* arrays[4] = {time.data(), states.data(), parameters.data(), f.data()};
    program->rhs(arrays);
    expect(f, system.rhs, "f");
    if (program->time_derivative) {
      program->time_derivative(arrays);
      expect(f, by_time, "df/dt");
    }
    arrays[3] = values.data();
    program->jacobian(arrays);
    expect(values, j.values, "J");
    arrays[3] = outputs.data();
    program->outputs(arrays);
    std::vector<NodeId> columns;
    for (const Output& output : resolved.columns) columns.push_back(output.node);
    expect(outputs, columns, "output");
  }
}

INSTANTIATE_TEST_SUITE_P(Every, LibraryDerivatives, testing::ValuesIn(library_names()),
                         [](const testing::TestParamInfo<std::string>& test) {
                           return test_name(test.param);
                         });

}  // namespace
}  // namespace stiffit::internal
