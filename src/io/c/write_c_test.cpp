// SPDX-License-Identifier: Apache-2.0
#include "io/c/write_c.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/diagnostic.h"
#include "io/text/read_text.h"
#include "symbolic/mode_value.h"
#include "symbolic/system.h"

namespace stiffit::internal {
namespace {

std::shared_ptr<const Model> model_of(const std::string& text) {
  auto source = std::make_shared<const Source>("m.rxn", text);
  Diagnostics diagnostics(source);
  auto model = read_text(source, diagnostics);
  if (!model) throw InputError(render(diagnostics));
  return std::make_shared<const Model>(std::move(*model));
}

const char* const main_program =
    "\n#include <stdio.h>\nint main(void) {\n  double x[m_states_count + 1], f[m_states_count + "
    "1];\n"
    "  double j[m_jacobian_count + 1]; int i;\n  m_initial(m_parameter_values, x);\n"
    "  for (i = 0; i < m_states_count; ++i) printf(\"%.17g\\n\", x[i]);\n"
    "  m_f(0.5, x, m_parameter_values, f);\n"
    "  for (i = 0; i < m_states_count; ++i) printf(\"%.17g\\n\", f[i]);\n"
    "  m_jacobian(0.5, x, m_parameter_values, j);\n"
    "  for (i = 0; i < m_jacobian_count; ++i)\n"
    "    printf(\"%d %d %.17g\\n\", m_jacobian_rows[i], m_jacobian_columns[i], j[i]);\n"
    "  return 0;\n}\n";

// What the equations themselves give, in the same order.
std::vector<double> expected_values(const std::shared_ptr<const Model>& model) {
  ResolvedSystem resolved = resolve(model);
  System& system = resolved.system;
  SparseExpressions j = jacobian(system);
  std::vector<double> x;
  double t = 0;
  std::function<double(Leaf, int)> leaf = [&](Leaf kind, int index) -> double {
    std::size_t i = index;
    if (kind == Leaf::time) return t;
    if (kind == Leaf::state) return x[i];
    if (i < system.parameters.size()) return system.parameters[i].value;
    const Mode& mode = system.modes[i - system.parameters.size()];
    return mode_value(mode.kind, system.graph.value(mode.root, leaf));
  };
  for (NodeId id : system.initial) x.push_back(system.graph.value(id, leaf));
  std::vector<double> values = x;
  t = 0.5;
  for (NodeId id : system.rhs) values.push_back(system.graph.value(id, leaf));
  std::size_t k = 0;
  for (int column = 0; column < j.pattern.n; ++column)
    for (;
         k < static_cast<std::size_t>(j.pattern.column_start[static_cast<std::size_t>(column) + 1]);
         ++k) {
      values.push_back(j.pattern.row[k]);
      values.push_back(column);
      values.push_back(system.graph.value(j.values[k], leaf));
    }
  return values;
}

class CFile : public testing::TestWithParam<const char*> {};

TEST_P(CFile, ComputesTheSame) {
  if (std::system("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no C compiler at hand";
  auto model = model_of(std::string("model m\n") + GetParam() + "\nend\n");
  std::vector<double> expected = expected_values(model);
  namespace fs = std::filesystem;
  fs::path folder = fs::temp_directory_path() / ("stiffit-c-" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::string base = (folder / "m").string();
  std::ofstream(base + ".c") << write_c(model).text << main_program;
  std::string command = "cc -std=c99 -O1 -Wall -Wextra -Werror -pedantic '" + base + ".c' -o '" +
                        base + "' -lm && '" + base + "' > '" + base + ".out'";
  ASSERT_EQ(std::system(command.c_str()), 0) << write_c(model).text;
  std::ifstream result(base + ".out");
  for (std::size_t i = 0; i < expected.size(); ++i) {
    double got = NAN;
    ASSERT_TRUE(result >> got) << i;
    EXPECT_NEAR(got, expected[i], 1e-12 * std::fabs(expected[i])) << i;
  }
  std::string rest;
  EXPECT_FALSE(result >> rest) << rest;
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(
    WriteC, CFile,
    testing::Values(
        "species E = 0.01, S = 1, C = 0.5, P = 0\nE + S <-> C; k1, k_1\nC -> E + P; k2\nk1 = 1; "
        "k_1 = "
        "2; k2 = 0.5",
        "compartment c = 2; species A in c = 3; n = 3; A -> ; k*A^n/(1 + A^n)*c\nk := 1 + "
        "sin(time)/7; y'' = -y*A + exp(-y'); y = 1; y'(0) = 0.3; s = -1e-7*time; z' = s*z; z = "
        "2e10",
        "A = 2; B = 0.1; A -> B; piecewise(0.1, time < 0.2, 0.7, A > 1 && B < 3, 0.2)*A*min(A, 3)\n"
        "x = 1; x' = max(A, B)*abs(B - A) + floor(3.7*A) - sign(B - A)*sqrt(A) + log10(A) + "
        "arcsec(2 + A) + rem(7, A) + factorial(B)"));

TEST(WriteC, DelaysAreRefused) {
  auto model = model_of("A = 1; A -> ; 0.1*delay(A, 1)");
  EXPECT_THROW(write_c(model), InputError);
}

TEST(WriteC, EventsAreThere) {
  auto model = model_of("A = 1; A -> ; 0.1*A\nat (A < 0.5): A = 1");
  Writing writing = write_c(model);
  EXPECT_TRUE(writing.left_out.empty());
  EXPECT_NE(writing.text.find("_event_apply(int event, double t, double* x, const double* p)"),
            std::string::npos);
}

TEST(WriteC, EventsOfFastReactionsAreNamedAsLeftOut) {
  auto model = model_of("#: fast J\nJ: A -> B; A - 3*B\nA = 0; B = 8\nat (A < 0.5): A = 1");
  const std::vector<std::string> left_out = write_c(model).left_out;
  ASSERT_EQ(left_out.size(), 2u);
  EXPECT_EQ(left_out[1].substr(0, 6), "events");
}

}  // namespace
}  // namespace stiffit::internal
