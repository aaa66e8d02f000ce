// A model with events as C: compiled, run by a plain Runge-Kutta loop that follows the manual in
// the file's head, and compared with our own simulation.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "io/c/write_c.h"
#include "io/text/read_text.h"
#include "ode/simulate.h"
#include "symbolic/system.h"

namespace stiffit::internal {
namespace {

// Steps of RK4; a step over a root is cut by bisection to end just behind it. Events wait in a
// list, with the values of their trigger.
const char* const c_loop = R"(
#include <stdio.h>
#include <string.h>
enum { N = m_states_count, E = m_events_count, V = m_event_most_values };
#define p m_parameter_values
static void rk4(double t, double h, const double* x, double* y) {
  double k[4][N], z[N];
  int i;
  m_f(t, x, p, k[0]);
  for (i = 0; i < N; ++i) z[i] = x[i] + h/2*k[0][i];
  m_f(t + h/2, z, p, k[1]);
  for (i = 0; i < N; ++i) z[i] = x[i] + h/2*k[1][i];
  m_f(t + h/2, z, p, k[2]);
  for (i = 0; i < N; ++i) z[i] = x[i] + h*k[2][i];
  m_f(t + h, z, p, k[3]);
  for (i = 0; i < N; ++i) y[i] = x[i] + h/6*(k[0][i] + 2*k[1][i] + 2*k[2][i] + k[3][i]);
}
static int crossed(double t, const double* x, const double* before) {
  double now[m_roots_count];
  int i, any = 0;
  m_roots(t, x, p, now);
  for (i = 0; i < m_roots_count; ++i) any |= (now[i] > 0) != (before[i] > 0);
  return any;
}
static double held[E];
static struct { int event; double time, v[V]; } waiting[100];
static int count;
static void run_events(double t, double* x) {
  for (;;) {
    double now[E], order[E], v[V];
    int i, next = -1;
    m_event_triggers(t, x, p, now);
    for (i = 0; i < E; ++i) {
      if (now[i] != 0 && held[i] == 0) {
        double after[E] = {0};
        DELAYS
        waiting[count].event = i;
        waiting[count].time = t + after[i];
        m_event_values(i, t, x, p, waiting[count++].v);
      }
      if (now[i] == 0 && held[i] != 0 && !PERSISTENT) {
        int k, kept = 0;
        for (k = 0; k < count; ++k)
          if (waiting[k].event != i) waiting[kept++] = waiting[k];
        count = kept;
      }
      held[i] = now[i];
    }
    memset(order, 0, sizeof order);
    PRIORITIES
    for (i = 0; i < count; ++i)
      if (waiting[i].time <= t + 1e-13 &&
          (next < 0 || order[waiting[i].event] > order[waiting[next].event]))
        next = i;
    if (next < 0) return;
    i = waiting[next].event;
    memcpy(v, waiting[next].v, sizeof v);
    waiting[next] = waiting[--count];
    if (AT_TRIGGER)
      m_event_assign(i, t, x, p, v);
    else
      m_event_apply(i, t, x, p);
  }
}
int main(void) {
  double t = 0, x[N], y[N], roots[m_roots_count];
  int i;
  m_initial(p, x);
  for (i = 0; i < E; ++i) held[i] = m_event_initial_value[i];
  run_events(t, x);
  while (t < 5) {
    double h = 1e-3, low = 0;
    if (t + h > 5) h = 5 - t;
    for (i = 0; i < count; ++i)
      if (waiting[i].time > t && waiting[i].time - t < h) h = waiting[i].time - t;
    m_roots(t, x, p, roots);
    rk4(t, h, x, y);
    if (crossed(t + h, y, roots)) {
      while (h - low > 1e-14) {
        double middle = (low + h)/2;
        if (middle <= low || middle >= h) break;
        rk4(t, middle, x, y);
        if (crossed(t + middle, y, roots)) h = middle; else low = middle;
      }
      rk4(t, h, x, y);
    }
    memcpy(x, y, sizeof x);
    t += h;
    run_events(t, x);
  }
  for (i = 0; i < N; ++i) printf("%.17g\n", x[i]);
  return 0;
}
)";

class CEvents : public testing::TestWithParam<const char*> {};

void replace(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at; (at = text.find(what)) != std::string::npos;)
    text.replace(at, what.size(), by);
}

TEST_P(CEvents, DoTheSame) {
  if (std::system("cc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "no C compiler at hand";
  auto source =
      std::make_shared<const Source>("m.rxn", "model m\n" + std::string(GetParam()) + "\nend\n");
  Diagnostics diagnostics(source);
  auto read = read_text(source, diagnostics);
  ASSERT_TRUE(read) << render(diagnostics);
  auto model = std::make_shared<const Model>(std::move(*read));
  const Writing writing = write_c(model);
  EXPECT_TRUE(writing.left_out.empty());
  const bool delays = writing.text.find("m_event_delays(") != std::string::npos;
  const bool priorities = writing.text.find("m_event_priorities(") != std::string::npos;
  std::string loop = c_loop;
  replace(loop, "DELAYS", delays ? "m_event_delays(t, x, p, after);" : "");
  replace(loop, "PERSISTENT", delays ? "m_event_persistent[i]" : "1");
  replace(loop, "AT_TRIGGER", delays ? "m_event_values_at_trigger[i]" : "1");
  replace(loop, "PRIORITIES", priorities ? "m_event_priorities(t, x, p, order);" : "");

  namespace fs = std::filesystem;
  const fs::path folder =
      fs::temp_directory_path() / ("stiffit-events-" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::string base = (folder / "m").string();
  std::ofstream(base + ".c") << writing.text << loop;
  const std::string command = "cc -std=c99 -O1 -Wall -Wextra -Werror -pedantic '" + base +
                              ".c' -o '" + base + "' -lm && '" + base + "' > '" + base + ".out'";
  ASSERT_EQ(std::system(command.c_str()), 0) << writing.text;

  ResolvedSystem resolved = resolve(model);
  Request request;
  request.times = {5};
  IntegrationOptions options;
  options.rtol = 1e-10;
  const Trajectory ours =
      simulate(make_problem(compile(resolved.system, resolved.columns)), request, options);
  ASSERT_EQ(ours.outcome.status, Status::done);
  std::ifstream result(base + ".out");
  for (double expected : ours.states) {
    double got = NAN;
    ASSERT_TRUE(result >> got);
    EXPECT_NEAR(got, expected, 1e-7 * (1 + std::fabs(expected)));
  }
  fs::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, CEvents,
    testing::Values(
        "x' = v; v' = -9.81; x = 1; v = 0; at (x < 0): v = -0.9*v, x = 0",
        "A -> ; k*A; A = 1; k = 0.8; at (A < 0.3), t0 = false: A = A + 2*k",
        "compartment c = 1; species S in c = 2; S -> ; 0.4*S; var c\n"
        "at (S < 1.2): c = 3, S = S + 1",
        "x' = 1 + 0.1*x; x = 0.1; n' = 0; n = 0\nat (floor(3*x) >= 4 && x < 2): n = n + time",
        "x' = 1; x = 0; y' = 0; y = 0; z' = 0; z = 0; w' = 0; w = 3\n"
        "at 1.5 after (x > 1): y = 10*x\n"
        "at 1.5 after (x > 1.25), fromTrigger = false: z = 10*x\n"
        "at 2 after (x > 1 && x < 2), persistent = false: w = 7",
        "x' = 1; x = 0; y' = 0.1*y; y = 1\nat (x > 1), priority = 1: y = y + 3\n"
        "at (x > 1), priority = x: y = 2*y"));

}  // namespace
}  // namespace stiffit::internal
