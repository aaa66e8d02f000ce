// SPDX-License-Identifier: Apache-2.0
#include "io/text/tabulated.h"

#include <gtest/gtest.h>

#include <cmath>

#include "io/text/read_text.h"

namespace stiffit::internal {
namespace {

double value_at(const Expressions& e, ExprId id, double time) {
  const ExprNode& n = e[id];
  if (n.op == Op::number) return n.value;
  if (n.op == Op::symbol) return time;
  auto operand = [&](ExprId x) { return x == no_expr ? 0 : value_at(e, x, time); };
  return evaluate(n.op, operand(n.a), operand(n.b), operand(n.c));
}

struct Input {
  Input(const std::vector<TabulatedPoint>& points, Tabulation kind)
      : root(tabulated_function(points, kind, e, {})) {}
  double operator()(double time) const { return value_at(e, root, time); }
  Expressions e;
  ExprId root;
};

TEST(Tabulated, Linear) {
  Input u({{1, 10}, {2, 20}, {4, -20}, {4, 5}, {6, 5}}, Tabulation::linear);
  EXPECT_EQ(u(-3), 10);
  EXPECT_EQ(u(1), 10);
  EXPECT_EQ(u(1.5), 15);
  EXPECT_EQ(u(3), 0);
  EXPECT_EQ(u(4), 5);  // after the jump
  EXPECT_NEAR(u(4 - 1e-9), -20, 1e-6);
  EXPECT_EQ(u(5), 5);
  EXPECT_EQ(u(100), 5);
}

TEST(Tabulated, Steps) {
  Input u({{1, 10}, {2, 20}, {4, -20}}, Tabulation::steps);
  EXPECT_EQ(u(0), 10);
  EXPECT_EQ(u(1.99), 10);
  EXPECT_EQ(u(2), 20);
  EXPECT_EQ(u(4), -20);
  EXPECT_EQ(u(9), -20);
}

TEST(Tabulated, CubicMeetsThePointsSmoothlyAndStaysBetweenThem) {
  std::vector<TabulatedPoint> points{{0, 0}, {1, 1}, {3, 2}, {4, 2}, {5, 8}, {7, 3}};
  Input u(points, Tabulation::cubic);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_NEAR(u(points[i].time), points[i].value, 1e-12);
    double h = 1e-6;
    double left = (u(points[i].time) - u(points[i].time - h)) / h,
           right = (u(points[i].time + h) - u(points[i].time)) / h;
    EXPECT_NEAR(left, right, 1e-4) << points[i].time;
    if (i == 0) continue;
    double low = std::min(points[i - 1].value, points[i].value),
           high = std::max(points[i - 1].value, points[i].value);
    for (int k = 0; k <= 20; ++k) {
      double t = points[i - 1].time + (points[i].time - points[i - 1].time) * k / 20;
      EXPECT_GE(u(t), low - 1e-12);
      EXPECT_LE(u(t), high + 1e-12);
    }
  }
}

TEST(Tabulated, ManyRowsDoNotNestDeeply) {
  std::vector<TabulatedPoint> points;
  for (int i = 0; i <= 10000; ++i) points.push_back({i * 0.1, std::sin(i * 0.1)});
  Input u(points, Tabulation::linear);
  for (int i = 0; i <= 10000; i += 37) EXPECT_EQ(u(points[i].time), points[i].value);
  auto depth = [&](auto&& self, ExprId id) -> int {
    const ExprNode& n = u.e[id];
    if (n.op != Op::select) return 0;
    return 1 + std::max(self(self, n.a), self(self, n.c));
  };
  EXPECT_LE(depth(depth, u.root), 15);
}

// Reads `x := CALL` with one table at hand.
std::string findings_of(const std::string& call, const std::string& table = "time,u\n0,1\n1,2\n") {
  auto source = std::make_shared<Source>("m.rxn", "x := " + call + "\n");
  Diagnostics diagnostics(source);
  TextFiles files = [&](const std::string& name) {
    if (name != "f.csv") throw InputError("error: cannot read '" + name + "': no such file\n");
    return table;
  };
  auto model = read_text(source, diagnostics, {}, files);
  EXPECT_EQ(model.has_value(), !diagnostics.has_errors());
  return render(diagnostics);
}

TEST(TableCall, Forms) {
  EXPECT_EQ(findings_of("2*table(\"f.csv\", u) + 1"), "");
  EXPECT_EQ(findings_of("table(\"f.csv\", \"u\", steps)"), "");
  EXPECT_EQ(findings_of("table(\"f.csv\", \"light (uE)\", \"cubic\")", "time;light (uE)\n0;1,5\n"),
            "");
}

TEST(TableCall, Mistakes) {
  EXPECT_EQ(findings_of("table(\"g.csv\", u)"),
            "error: the table 'g.csv' cannot be read\n"
            "  m.rxn:1:12\n"
            "  1 | x := table(\"g.csv\", u)\n"
            "    |            ^^^^^^^ cannot read 'g.csv': no such file\n");
  EXPECT_EQ(findings_of("table(\"f.csv\", uu)"),
            "error: 'f.csv' has no column 'uu'\n"
            "  m.rxn:1:21\n"
            "  1 | x := table(\"f.csv\", uu)\n"
            "    |                     ^^ did you mean 'u'?\n");
  auto says = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
  };
  says(findings_of("table(\"f.csv\")"), "expected ',' and the name of a column");
  says(findings_of("table(\"f.csv\", u, spline)"), "linear, steps or cubic");
  says(findings_of("table(\"f.csv\", u, 3)"), "expected linear, steps or cubic");
  std::string all = findings_of("table(\"f.csv\", u)", "t,u,u\n1,2,2\n0,x,1\n0,1,1\n0,1,1\n");
  says(all, "f.csv:1:1: the first column is called 'time', not 't'");
  says(all, "f.csv:1:5: a second column 'u'");
  says(all, "f.csv:3:1: time goes back from 1 to 0");
  says(all, "f.csv:3:3: 'x' is not a number");
  says(findings_of("table(\"f.csv\", u)", "time,u,v\n0,,1\n"), "column 'u' of 'f.csv' is empty");
  says(findings_of("table(u)"), "unknown function 'table'");
}

}  // namespace
}  // namespace stiffit::internal
