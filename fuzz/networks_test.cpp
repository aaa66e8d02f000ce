// Random networks: our methods, alone and in lanes, against CVODES of SUNDIALS. STIFFIT_NETWORKS:
// how many (default 40), STIFFIT_NETWORKS_FROM: the seed of the first.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "compiled_model.h"
#include "random_network.h"

namespace stiffit::internal {
namespace {

constexpr double rtol = 1e-6;
constexpr double agreed = 500;  // times what the tolerance says

// The largest deviation of a state in units of what the tolerance says: rtol times the state's
// largest value, and the rounding of the largest state of all, below which nothing is resolved.
double deviation(const Trajectory& run, const Trajectory& expected, std::size_t states) {
  double all = 0, worst = 0;
  for (double x : expected.states) all = std::max(all, std::fabs(x));
  for (std::size_t k = 0; k < states; ++k) {
    double largest = 0, apart = 0;
    for (std::size_t i = k; i < run.states.size(); i += states) {
      largest = std::max(largest, std::fabs(expected.states[i]));
      const double here = std::fabs(run.states[i] - expected.states[i]);
      if (!(here <= apart)) apart = here;
    }
    const double unit = rtol * largest + 1e-16 * all;
    if (apart > 0 && !(apart / unit <= worst)) worst = apart / unit;
  }
  return worst;
}

class Trial {
 public:
  explicit Trial(std::uint64_t seed) : network_(random_network(seed)) {
    model_ = compile(1);
    request_ = model_.request(rows());
    states_ = model_.resolved.system.states.size();
  }

  const std::string& text() const { return network_.text; }
  double end() const { return network_.end; }
  bool reference() {
    for (double tolerance : {1e-11, 1e-10, 1e-9}) {  // it cannot always take the tightest
      truth_ = run("cvodes", tolerance);
      if (truth_.outcome.status == Status::done) return true;
    }
    return false;
  }
  std::string why_not() const { return describe(truth_.outcome, model_.program().state_names); }
  double apart(const Trajectory& run) const {
    return run.outcome.status == Status::done ? deviation(run, truth_, states_) : INFINITY;
  }
  Trajectory run(const std::string& method, double tolerance) const {
    return simulate(model_.problem, request_, options(method, tolerance));
  }
  // The network in every lane, each but the second with parameters of its own.
  Trajectory in_lanes(const std::string& method, int lanes) const {
    const CompiledModel wide = compile(lanes);
    std::vector<Request> requests(static_cast<std::size_t>(lanes), request_);
    for (std::size_t l = 0; l < requests.size(); ++l) {
      requests[l].parameters = wide.program().parameter_values;
      if (l != 1)
        for (double& p : requests[l].parameters) p *= 1 + 0.03 * static_cast<double>(l);
    }
    return simulate_many(wide.problem, requests, options(method, rtol), 1)[1];
  }

 private:
  CompiledModel compile(int lanes) const {
    ProgramOptions wide;
    wide.lanes = lanes;
    return compile_model(resolve_text("network", network_.text), wide);
  }
  // Even ones, and early ones: the largest value of a species is often over soon.
  std::vector<double> rows() const {
    std::vector<double> times = even_times(network_.end, 12);
    for (int k = 1; k <= 16; ++k) times.push_back(network_.end * std::pow(10, -0.5 * k));
    std::sort(times.begin(), times.end());
    return times;
  }
  static IntegrationOptions options(const std::string& method, double tolerance) {
    IntegrationOptions o;
    o.method = method;
    o.rtol = tolerance;
    return o;
  }

  RandomNetwork network_;
  CompiledModel model_;
  Request request_;
  std::size_t states_ = 0;
  Trajectory truth_;
};

long from_environment(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text ? std::atol(text) : otherwise;
}

TEST(Networks, OurMethodsAgreeWithCvodes) {
  const long count = from_environment("STIFFIT_NETWORKS", 40),
             first = from_environment("STIFFIT_NETWORKS_FROM", 0);
  std::vector<double> all, of_cvodes;
  for (long seed = first; seed < first + count; ++seed) {
    Trial trial(static_cast<std::uint64_t>(seed));
    ASSERT_TRUE(trial.reference())
        << "CVODES fails on seed " << seed << ", " << trial.why_not() << "\n"
        << trial.text();
    of_cvodes.push_back(trial.apart(trial.run("cvodes", rtol)));
    const std::pair<const char*, Trajectory> runs[] = {
        {"automatic", trial.run("automatic", rtol)},
        {"bdf in 4 lanes", trial.in_lanes("bdf", 4)},
        {"bdf in 8 lanes", trial.in_lanes("bdf", 8)},
        {"rodas5p in 4 lanes", trial.in_lanes("rodas5p", 4)},
        {"rodas5p in 8 lanes", trial.in_lanes("rodas5p", 8)}};
    // A network that magnifies errors does so for CVODES as well.
    const double own = of_cvodes.back();
    const double allowed = std::isfinite(own) ? std::max(agreed, 2 * own) : agreed;
    double worst = 0;
    for (const auto& [name, run] : runs) {
      const double apart = trial.apart(run);
      worst = std::max(worst, apart);
      // If this fails: whoever comes nearer to the others at a tighter tolerance was right.
      EXPECT_LE(apart, allowed) << "seed " << seed << ", " << name << " ("
                                << describe(run.outcome, {}) << "); at rtol 1e-9 automatic is "
                                << trial.apart(trial.run("automatic", 1e-9)) << ", rodas5p "
                                << trial.apart(trial.run("rodas5p", 1e-9)) << ", cvodes "
                                << trial.apart(trial.run("cvodes", 1e-9)) << " away\n"
                                << trial.text() << "end " << trial.end();
    }
    all.push_back(worst);
  }
  std::sort(all.begin(), all.end());
  std::sort(of_cvodes.begin(), of_cvodes.end());
  for (const auto* list : {&all, &of_cvodes})
    std::printf("%s, in units of rtol: median %.2g, 99 %% %.3g, worst %.3g of %zu networks\n",
                list == &all ? "worst of ours" : "CVODES at the same tolerance",
                (*list)[list->size() / 2], (*list)[list->size() * 99 / 100], list->back(),
                list->size());
}

}  // namespace
}  // namespace stiffit::internal
