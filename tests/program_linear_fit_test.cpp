// `stiffit fit --method integral` and its relatives as a person or a script runs them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <sstream>

#include "program_run.h"

namespace stiffit::internal {
namespace {

// The number behind a key of a JSON text, from `from` on.
double number_after(const std::string& json, const std::string& key, std::size_t from = 0) {
  const std::size_t at = json.find("\"" + key + "\":", from);
  return at == std::string::npos ? std::nan("") : std::stod(json.substr(at + key.size() + 3));
}
double estimate(const std::string& json, const std::string& id) {
  return number_after(json, "estimate", json.find("\"id\":\"" + id + "\""));
}

struct LinearFits : testing::Test {
  Scratch s;
  LinearFits() {
    s.write("chain.rxn", "A -> B; k1\nB -> ; k2\nA = 3; B = 0.5; k1 = 1; k2 = 1\n");
    std::string data = "time,A,B\n";
    for (int k = 0; k <= 60; ++k) {
      const double t = 0.1 * k, a = 3 * std::exp(-0.7 * t);
      char line[90];
      // A wave stands for noise.
      snprintf(line, sizeof line, "%.10g,%.17g,%.17g\n", t, a + 0.003 * std::sin(37 * t),
               5.75 * std::exp(-0.3 * t) - 1.75 * a + 0.003 * std::cos(53 * t + 1));
      data += line;
    }
    s.write("data.csv", data);
  }
  std::string fit(const std::string& more) const {
    ProgramRun run = s.stiffit("fit chain.rxn --data data.csv --estimate k1,k2 --json " + more);
    EXPECT_EQ(run.exit_code, 0) << more << run.messages;
    return run.out;
  }
  void refuse(const std::string& arguments, int code, const std::string& message) const {
    ProgramRun run = s.stiffit(arguments);
    EXPECT_EQ(run.exit_code, code) << arguments << "\n" << run.messages;
    EXPECT_TRUE(has(run.messages, message)) << arguments << "\n" << run.messages;
    EXPECT_EQ(run.out, "");
  }
};

TEST_F(LinearFits, EveryMethodAndQuadrature) {
  for (const char* method : {"integral", "derivative", "rational", "combined"})
    for (const char* quadrature : {"trapezoid", "cubic", "spline"}) {
      const std::string json =
          fit(std::string("--method ") + method + " --quadrature " + quadrature);
      EXPECT_NEAR(estimate(json, "k1"), 0.7, 0.02) << method << quadrature;
      EXPECT_NEAR(estimate(json, "k2"), 0.3, 0.02) << method << quadrature;
      EXPECT_TRUE(has(json, std::string("\"method\":\"") + method + "\"")) << json.substr(0, 200);
    }
}

// Columns with errors are weights for every method and for starts.
TEST_F(LinearFits, ColumnsWithErrors) {
  std::string data = "time,A,sd(A),B,sd(B)\n";
  for (int k = 1; k <= 60; ++k) {
    const double t = 0.1 * k, a = 3 * std::exp(-0.7 * t), sd = k % 2 ? 0.01 : 0.4;
    char line[120];
    snprintf(line, sizeof line, "%.10g,%.10g,%.3g,%.10g,0.01\n", t, a + sd * std::sin(37 * t), sd,
             5.75 * std::exp(-0.3 * t) - 1.75 * a + 0.01 * std::cos(53 * t + 1));
    data += line;
  }
  s.write("errors.csv", data);
  for (const char* how :
       {"--method integral", "--method derivative", "--method rational", "--method combined",
        "--start-from integral", "--start-from derivative", "--start-from combined"}) {
    ProgramRun run =
        s.stiffit(std::string("fit chain.rxn --data errors.csv --estimate k1,k2 --json ") + how);
    ASSERT_EQ(run.exit_code, 0) << how << run.messages;
    EXPECT_NEAR(estimate(run.out, "k1"), 0.7, 0.05) << how;
    EXPECT_NEAR(estimate(run.out, "k2"), 0.3, 0.03) << how;
  }
}

TEST_F(LinearFits, WritesTheSameFilesAsOtherFits) {
  ProgramRun run = s.stiffit(
      "fit chain.rxn --data data.csv --estimate k1,k2 --method integral --bias-correction analytic "
      "--nonnegative -o out");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  for (const char* name : {"result.json", "parameters.tsv", "starts.tsv", "simulations.tsv",
                           "result.hdf5", "trajectory.tsv"})
    EXPECT_TRUE(s.exists(std::string("out/") + name)) << name;
  const std::string json = s.read("out/result.json");
  EXPECT_TRUE(has(json, "\"bias_corrected\":true"));
  EXPECT_TRUE(has(json, "\"error_bounds\":["));
  EXPECT_TRUE(has(json, "\"covariance\":[["));
  EXPECT_TRUE(has(s.read("out/parameters.tsv"), "k1\tlin\t0."));
}

// K5: the band around A is its sensitivity times the error of k1: t A(t) se, known in closed form.
TEST_F(LinearFits, ErrorsOfTheTrajectory) {
  ProgramRun run =
      s.stiffit("fit chain.rxn --data data.csv --estimate k1,k2 --method integral -o out --json");
  ASSERT_EQ(run.exit_code, 0) << run.messages;
  const double k = estimate(run.out, "k1");
  const double se = number_after(run.out, "standard_error", run.out.find("\"id\":\"k1\""));
  std::string table = s.read("out/trajectory.tsv");
  for (std::size_t at = table.find("\tA\t"); at != std::string::npos;
       at = table.find("\tA\t", at + 1)) {
    double t = 0, measured = 0, simulated = 0, error = 0;
    ASSERT_EQ(
        sscanf(table.c_str() + at, "\tA\t%lf\t%lf\t%lf\t%lf", &t, &measured, &simulated, &error),
        4);
    EXPECT_NEAR(simulated, 3 * std::exp(-k * t), 1e-5);
    EXPECT_NEAR(error, 3 * t * std::exp(-k * t) * se, 1e-4 * se + 1e-9) << t;
  }
}

TEST_F(LinearFits, StartsOtherMethods) {
  // From a start far away, and bounds that hold the answer.
  const std::string far =
      "fit chain.rxn --data data.csv --estimate k1=50:1e-3:1e3,k2=50:1e-3:1e3 --json ";
  for (const char* from : {"integral", "derivative", "combined"}) {
    ProgramRun run = s.stiffit(far + "--start-from " + from);
    EXPECT_EQ(run.exit_code, 0) << run.messages;
    EXPECT_NEAR(estimate(run.out, "k1"), 0.7, 0.01) << from;
  }
  // Many starts take it as one of them without being asked: the second one given.
  ProgramRun many = s.stiffit(
      "fit chain.rxn --data data.csv --estimate k1=50:1e-3:1e3,k2=50:1e-3:1e3 --starts 3 -o many");
  EXPECT_EQ(many.exit_code, 0) << many.messages;
  // start(k1) is the column before the last.
  bool taken = false;
  std::istringstream lines(s.read("many/starts.tsv"));
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> cells;
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, '\t');) cells.push_back(part);
    ASSERT_GT(cells.size(), 3u) << line;
    if (cells[1] == "1" && cells[2] == "yes")
      taken = std::fabs(std::stod(cells[cells.size() - 2]) - 0.7) < 0.02;
  }
  EXPECT_TRUE(taken) << s.read("many/starts.tsv");
}

TEST_F(LinearFits, SaysWhatIsNotDetermined) {
  s.write("two.rxn", "A -> ; k1\nA -> ; k2\nA = 3; k1 = 1; k2 = 1\n");
  s.write("a.csv", "time,A\n0,3\n0.5,2.11\n1,1.49\n1.5,1.05\n2,0.74\n2.5,0.52\n3,0.367\n");
  ProgramRun run = s.stiffit("fit two.rxn --data a.csv --estimate k1,k2 --method integral");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_TRUE(has(run.out, "not determined by these data")) << run.out;
  EXPECT_TRUE(has(run.out, "the data do not change if k1 grows by 1 and k2 falls by 1") ||
              has(run.out, "the data do not change if k1 falls by 1 and k2 grows by 1"))
      << run.out;
}

TEST_F(LinearFits, Weights) {
  const std::string plain = fit("--method integral");
  const std::string weighted = fit(
      "--method integral --weight 'A = 1+time' --weight 'A,B = 0.2' --point-weight 'B @ 3 = 2'");
  EXPECT_NE(estimate(plain, "k1"), estimate(weighted, "k1"));
  EXPECT_NEAR(estimate(weighted, "k1"), 0.7, 0.02);
  refuse("fit chain.rxn --data data.csv --estimate k1,k2 --method integral --weight 'A = 1+x'", 2,
         "unknown name 'x'");
  refuse("fit chain.rxn --data data.csv --estimate k1,k2 --method integral --weight 'A,B = 2'", 1,
         "not positive definite");
  const std::string begin = "fit chain.rxn --data data.csv --estimate k1,k2 --method integral ";
  refuse(begin + "--weight 'C = 2'", 1, "--weight names 'C'");
  refuse(begin + "--weight 'A,C = 0.1'", 1, "--weight names 'C'");
  refuse(begin + "--point-weight 'C @ 1 = 2'", 1, "--point-weight names 'C'");
  refuse(begin + "--point-weight 'A @ 0.123 = 2'", 1, "A was not measured at time 0.123");
  for (const char* only :
       {"--quadrature cubic", "--bias-correction no", "--nonnegative", "--weight 'A = 2'",
        "--memory 'k1 = A, 1'", "--point-weight 'A @ 1 = 2'"})
    refuse("fit chain.rxn --data data.csv --estimate k1,k2 " + std::string(only), 2,
           "goes with --method integral, derivative, rational or combined");
  refuse("fit chain.rxn --data data.csv --estimate k1,k2 --method integral --point-weight 'A = 2'",
         2, "ROW @ TIME = NUMBER");
}

TEST_F(LinearFits, Memories) {
  s.write("mem.rxn", "A' = -k*A\nX' = a*w\nA = 3; X = 0; w = 0; a = 1; k = 0.7\n");
  ProgramRun made = s.stiffit("simulate mem.rxn --end 4 --points 40 -o mem.csv");
  EXPECT_EQ(made.exit_code, 0) << made.messages;
  refuse("fit mem.rxn --data mem.csv --estimate a --method integral --memory 'w = A'", 2,
         "NAME = SIGNAL, KERNEL");
  refuse("fit mem.rxn --data mem.csv --estimate a --method integral --memory 'v = A, exp(-age)'", 1,
         "'v' is no constant");
  refuse("fit mem.rxn --data mem.csv --estimate a --method integral --memory 'w = A, exp(-ago)'", 2,
         "unknown name 'ago'");
  // The chain of memory() against the closed form of its kernel.
  s.write("chain3.rxn", "A := 2\nw := memory(A, 1.5, 3)\n");
  ProgramRun run = s.stiffit("simulate chain3.rxn --times 0,1,2,4 --show w --rtol 1e-10");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  for (const std::vector<double>& row : rows_of(run.out)) {
    const double u = 2 * row[0];  // a t, a = 3/1.5
    EXPECT_NEAR(row[1], 2 * (1 - std::exp(-u) * (1 + u + u * u / 2)), 1e-8);
  }
}

TEST_F(LinearFits, DelaysAreSimulatedAtTheAnswer) {
  s.write("d.rxn", "x' = a - b*delay(x, 1)\nx = 2; a = 1.5; b = 0.8\n");
  EXPECT_EQ(s.stiffit("simulate d.rxn --end 8 --points 80 -o d.csv").exit_code, 0);
  ProgramRun run = s.stiffit(
      "fit d.rxn --data d.csv --estimate a=1,b=1 --method integral --quadrature cubic --json");
  EXPECT_EQ(run.exit_code, 0) << run.messages;
  EXPECT_NEAR(estimate(run.out, "a"), 1.5, 1e-3);
  EXPECT_NEAR(estimate(run.out, "b"), 0.8, 1e-3);
  EXPECT_LT(number_after(run.out, "chi2"), 1e-4);
}

TEST_F(LinearFits, BadInput) {
  const std::string end = " --estimate k1,k2 --method integral";
  s.write("few.csv", "time,A,B\n1,1.5,1\n");
  refuse("fit chain.rxn --data few.csv" + end, 1, "too few points");
  s.write("constant.csv", "time,A,B\n1,3,0.5\n2,3,0.5\n3,3,0.5\n");
  refuse("fit chain.rxn --data constant.csv" + end, 1, "constant");
  s.write("negative.csv", "time,A,B\n-1,3,0.5\n2,2,0.5\n3,1,0.5\n");
  refuse("fit chain.rxn --data negative.csv" + end, 1, "negative.csv:2");
  s.write("unknown.csv", "time,A,C\n1,3,0.5\n2,2,0.5\n3,1,0.5\n");
  refuse("fit chain.rxn --data unknown.csv" + end, 1, "unknown column 'C'");
  s.write("half.csv", "time,A\n1,3\n2,2\n3,1\n4,0.5\n");
  refuse("fit chain.rxn --data half.csv --estimate k1 --method integral --quadrature cubics", 2,
         "--quadrature is");
  s.write("mm.rxn", "S -> ; V*S/(K+S)\nS = 10; V = 1; K = 1\n");
  s.write("s.csv", "time,S\n0,10\n1,9\n2,8.1\n3,7\n4,6.2\n");
  refuse("fit mm.rxn --data s.csv --estimate V,K --method integral", 1, "'K' is not");
  refuse("fit mm.rxn --data s.csv --estimate V,K --start-from integral", 1, "'K' is not");
  // What applies to nothing does not disturb many starts.
  EXPECT_EQ(s.stiffit("fit mm.rxn --data s.csv --estimate V,K --starts 2").exit_code, 0);
  s.write("power.rxn", "S -> ; V*S^n\nS = 10; V = 1; n = 1\n");
  refuse("fit power.rxn --data s.csv --estimate V,n --method rational", 1,
         "no quotient of polynomials");
  s.write("event.rxn", "S -> ; V*S\nS = 10; V = 1\nat (time > 1): S = 5\n");
  refuse("fit event.rxn --data s.csv --estimate V --method integral", 1, "cannot follow jumps");
}

}  // namespace
}  // namespace stiffit::internal
