// Programs of a network built by hand: index tables against straight-line code, and parameters.
// SPDX-License-Identifier: Apache-2.0
#include "compile/program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace stiffit::internal {
namespace {

// Random reactions of order 0 to 3; some species react with themselves.
std::shared_ptr<const Model> random_network(int species, int reactions) {
  std::mt19937_64 random(7);
  auto any = [&](int count) { return static_cast<int>(random() % static_cast<unsigned>(count)); };
  auto model = std::make_shared<Model>();
  Expressions& e = model->expressions;
  for (int i = 0; i < species; ++i) {
    Species s;
    s.id = "s" + std::to_string(i);
    s.initial = 0.1 + 0.01 * i;
    model->species.push_back(s);
  }
  for (int r = 0; r < reactions; ++r) {
    Parameter k;
    k.id = "k" + std::to_string(r);
    k.value = 0.5 + 0.1 * any(10);
    model->parameters.push_back(k);
    Reaction reaction;
    reaction.id = "r" + std::to_string(r);
    ExprId rate = e.symbol({SymbolKind::parameter, r});
    // A statistical factor, as BioNetGen writes it.
    if (any(3) == 0) rate = e.apply(Op::mul, e.number(2), rate);
    for (int order = any(4); order-- > 0;) {
      int one = any(species);
      SpeciesReference reference;
      reference.species = one;
      reaction.reactants.push_back(reference);
      rate = e.apply(Op::mul, rate, e.symbol({SymbolKind::species, one}));
    }
    for (int products = 1 + any(2); products-- > 0;) {
      SpeciesReference reference;
      reference.species = any(species);
      reference.stoichiometry = 1 + any(2);
      reaction.products.push_back(reference);
    }
    reaction.rate = rate;
    model->reactions.push_back(std::move(reaction));
  }
  return model;
}

// Zeros on a 64-byte boundary.
class AlignedZeros {
 public:
  explicit AlignedZeros(std::size_t size) : lines_(size / 8 + 1) {}
  double* data() { return lines_.front().values; }
  double& operator[](std::size_t i) { return data()[i]; }

 private:
  struct alignas(64) Line {
    double values[8] = {};
  };
  std::vector<Line> lines_;
};

struct Evaluated {
  std::vector<double> f, dense;  // [state][lane], [row][column][lane]
};

Evaluated evaluate_program(const Program& p) {
  const std::size_t width = p.lanes, n = p.states;
  AlignedZeros time(width), y(n * width), f(n * width),
      parameters(static_cast<std::size_t>(p.parameter_slots) * width),
      values(p.pattern.row.size() * width);
  for (std::size_t l = 0; l < width; ++l) {
    time[l] = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(p.parameters); ++i)
      parameters[i * width + l] = p.parameter_values[i] * (1 + 0.1 * static_cast<double>(l));
  }
  double* start[2] = {parameters.data(), y.data()};
  p.prepare(start);
  p.initial(start);
  for (std::size_t i = 0; i < n * width; ++i) y[i] *= 1 + 0.3 * std::sin(static_cast<double>(i));
  double* arrays[4] = {time.data(), y.data(), parameters.data(), f.data()};
  p.rhs(arrays);
  arrays[3] = values.data();
  p.jacobian(arrays);
  Evaluated result;
  result.f.assign(f.data(), f.data() + n * width);
  result.dense.assign(n * n * width, 0);
  for (std::size_t column = 0; column < n; ++column)
    for (int k = p.pattern.column_start[column]; k < p.pattern.column_start[column + 1]; ++k)
      for (std::size_t l = 0; l < width; ++l) {
        const std::size_t at = k;
        const std::size_t row = p.pattern.row[at];
        result.dense[(row * n + column) * width + l] += values[at * width + l];
      }
  return result;
}

TEST(Program, TablesComputeWhatStraightLineCodeDoes) {
  for (Isa isa : possible_isas())
    for (int lanes : {1, 4, 8}) {
      ResolvedSystem resolved = resolve(random_network(30, 120));
      ProgramOptions options;
      options.lanes = lanes;
      options.isa = isa;
      auto straight = compile(resolved.system, {}, options);
      options.largest_straight_line = 0;
      auto tables = compile(resolved.system, {}, options);
      ASSERT_FALSE(straight->from_tables);
      ASSERT_TRUE(tables->from_tables);
      EXPECT_TRUE(tables->autonomous);
      const Evaluated a = evaluate_program(*straight), b = evaluate_program(*tables);
      for (std::size_t i = 0; i < a.f.size(); ++i)
        EXPECT_NEAR(a.f[i], b.f[i], 1e-13 * (1 + std::fabs(a.f[i]))) << i;
      for (std::size_t i = 0; i < a.dense.size(); ++i)
        EXPECT_NEAR(a.dense[i], b.dense[i], 1e-13 * (1 + std::fabs(a.dense[i]))) << i;
    }
}

// s5 makes five others, and loses nothing.
TEST(Program, TablesTakeReactionsWithManyProducts) {
  auto model = std::make_shared<Model>(*random_network(8, 3));
  Expressions& e = model->expressions;
  Reaction many;
  many.id = "many";
  many.rate =
      e.apply(Op::mul, e.symbol({SymbolKind::parameter, 0}), e.symbol({SymbolKind::species, 5}));
  for (int product = 0; product < 5; ++product) {
    SpeciesReference reference;
    reference.species = product;
    many.products.push_back(reference);
  }
  model->reactions.push_back(many);
  ResolvedSystem resolved = resolve(model);
  for (int lanes : {1, 4}) {
    ProgramOptions options;
    options.lanes = lanes;
    const Evaluated a = evaluate_program(*compile(resolved.system, {}, options));
    options.largest_straight_line = 0;
    const Evaluated b = evaluate_program(*compile(resolved.system, {}, options));
    for (std::size_t i = 0; i < a.f.size(); ++i) EXPECT_NEAR(a.f[i], b.f[i], 1e-13) << i;
    for (std::size_t i = 0; i < a.dense.size(); ++i)
      EXPECT_NEAR(a.dense[i], b.dense[i], 1e-13) << i;
  }
}

TEST(Program, LawsThatAreNotMassActionStayStraightLine) {
  auto model = std::make_shared<Model>(*random_network(4, 6));
  Expressions& e = model->expressions;
  // k x / (1 + x)
  ExprId x = e.symbol({SymbolKind::species, 0});
  model->reactions[0].rate = e.apply(Op::div, x, e.apply(Op::add, e.number(1), x));
  ResolvedSystem resolved = resolve(model);
  ProgramOptions options;
  options.largest_straight_line = 0;
  EXPECT_FALSE(compile(resolved.system, {}, options)->from_tables);
}

TEST(Program, ParametersReachEverythingAfterPrepare) {
  // x' = -(a/b) x from x(0) = a*b.
  auto model = std::make_shared<Model>();
  Expressions& e = model->expressions;
  Species x;
  x.id = "x";
  x.initial = 1;
  model->species.push_back(x);
  for (const char* name : {"a", "b"}) {
    Parameter p;
    p.id = name;
    p.value = 2;
    model->parameters.push_back(p);
  }
  ExprId a = e.symbol({SymbolKind::parameter, 0}), b = e.symbol({SymbolKind::parameter, 1});
  Rule rule;
  rule.kind = RuleKind::rate;
  rule.target = {SymbolKind::species, 0};
  rule.value = e.apply(
      Op::neg, e.apply(Op::mul, e.apply(Op::div, a, b), e.symbol({SymbolKind::species, 0})));
  model->rules.push_back(rule);
  InitialAssignment initial;
  initial.target = {SymbolKind::species, 0};
  initial.value = e.apply(Op::mul, a, b);
  model->initial_assignments.push_back(initial);
  ResolvedSystem resolved = resolve(model);
  auto program = compile(resolved.system, {});
  std::vector<double> values(static_cast<std::size_t>(program->parameter_slots));
  values[resolved.system.parameter_index("a")] = 6;
  values[resolved.system.parameter_index("b")] = 4;
  double time = 0, state = 0, f = 0, j = 0;
  double* start[2] = {values.data(), &state};
  program->prepare(start);
  program->initial(start);
  EXPECT_EQ(state, 24);
  double* arrays[4] = {&time, &state, values.data(), &f};
  program->rhs(arrays);
  EXPECT_EQ(f, -36);
  arrays[3] = &j;
  program->jacobian(arrays);
  EXPECT_EQ(j, -1.5);
}

}  // namespace
}  // namespace stiffit::internal
