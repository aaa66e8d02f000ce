// Fast states follow what drives them; at the ends of long steps they are right by themselves.
// Between them they have to be right as well.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "compiled_model.h"

namespace stiffit::internal {
namespace {

const char* const stiff_methods[] = {
    "automatic", "rodas5p", "radau", "esdirk54", "bdf", "cvodes", "exponential-rosenbrock"};
constexpr double agreed = 100;  // times the tolerance, of the largest value

IntegrationOptions options_of(const std::string& method, double rtol) {
  IntegrationOptions options;
  options.method = method;
  options.rtol = rtol;
  return options;
}

// x' = k (1 - cos(wt)) - kx from rest, in closed form.
TEST(BetweenSteps, AFastStateFollowsAnInput) {
  const double w = 0.37, end = 60;
  for (double k : {1e1, 1e3, 1e5, 1e7, 1e9}) {
    for (int lanes : {1, 4}) {
      ProgramOptions program;
      program.lanes = lanes;
      const CompiledModel model =
          compile_model(resolve_text("driven",
                                     "species x; x' = k*(1 - cos(w*time)) - k*x; x = 0;"
                                     "w = 0.37; k = " +
                                         format_number(k)),
                        program);
      const Request request = model.request(even_times(end, 97));
      for (const char* method : stiff_methods) {
        for (double rtol : {1e-4, 1e-6}) {
          const IntegrationOptions options = options_of(method, rtol);
          if (!refusal(model.problem, options).empty()) continue;
          const Trajectory t = simulate(model.problem, request, options);
          ASSERT_EQ(t.outcome.status, Status::done) << method << " k " << k;
          const double lag = w / k, part = 1 / (1 + lag * lag);
          for (std::size_t row = 0; row < request.times.size(); ++row) {
            const double time = request.times[row];
            const double expected = 1 - part * (std::cos(w * time) + lag * std::sin(w * time)) -
                                    (1 - part) * std::exp(-k * time);
            ASSERT_NEAR(t.outputs[row], expected, 2 * agreed * rtol)
                << method << " k " << k << " rtol " << rtol << " time " << time;
          }
        }
      }
    }
  }
}

// A pair that exchanges fast, fed by a pulse; what it makes is slow. Against CVODES, tight.
TEST(BetweenSteps, AFastPairFollowsAPulse) {
  for (double k : {1e2, 1e5, 1e8}) {
    const CompiledModel model = compile_model(
        resolve_text("pair",
                     "species A, B, P; A -> B; k*A; B -> A; 3*k*B; -> A; k*exp(-((time - 20)/3)^2);"
                     "A -> ; k*A*0.5; B -> P; 0.01*B; P -> ; 0.1*P; A = 0; B = 0; P = 0; k = " +
                         format_number(k)));
    const Request request = model.request(even_times(60, 61));
    const Trajectory truth = simulate(model.problem, request, options_of("cvodes", 1e-10));
    ASSERT_EQ(truth.outcome.status, Status::done);
    const std::size_t columns = model.program().output_names.size();
    for (const char* method : stiff_methods) {
      const double rtol = 1e-6;
      const Trajectory t = simulate(model.problem, request, options_of(method, rtol));
      ASSERT_EQ(t.outcome.status, Status::done) << method << " k " << k;
      for (std::size_t c = 0; c < columns; ++c) {
        double top = 0, most = 0;
        for (std::size_t at = c; at < t.outputs.size(); at += columns) {
          top = std::max(top, std::fabs(truth.outputs[at]));
          most = std::max(most, std::fabs(t.outputs[at] - truth.outputs[at]));
        }
        EXPECT_LE(most, agreed * rtol * top)
            << method << " k " << k << ' ' << model.program().output_names[c];
      }
    }
  }
}

}  // namespace
}  // namespace stiffit::internal
