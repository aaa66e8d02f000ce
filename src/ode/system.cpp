// SPDX-License-Identifier: Apache-2.0
#include "ode/system.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ode/observer.h"

namespace stiffit::internal {
namespace {

const double root_of_rounding = std::sqrt(std::numeric_limits<double>::epsilon());
// What a state is measured by in differences if it is nearly zero: the largest of all, or where
// all are zero, how far the rates would take them. Nothing of the past: where a run has blown up,
// another may begin.
constexpr double share_of_all = 1e-6, share_of_span = 1e-3;

// Columns that share no row are changed at once (Curtis, Powell, Reid 1974): a group per column.
std::vector<int> column_groups(const Sparsity& pattern, int& groups) {
  const std::size_t n = pattern.n;
  std::vector<int> group(n, -1);
  groups = 0;
  if (pattern.row.size() == n * n) {
    for (std::size_t j = 0; j < n; ++j) group[j] = groups++;
    return group;
  }
  std::vector<std::vector<char>> taken;  // [group][row]
  for (std::size_t j = 0; j < n; ++j) {
    const auto first = pattern.row.begin() + pattern.column_start[j];
    const auto last = pattern.row.begin() + pattern.column_start[j + 1];
    std::size_t g = 0;
    while (g < taken.size() && std::any_of(first, last, [&](int row) { return taken[g][row]; }))
      ++g;
    if (g == taken.size()) taken.emplace_back(n, 0);
    for (auto row = first; row != last; ++row) taken[g][*row] = 1;
    group[j] = static_cast<int>(g);
  }
  groups = static_cast<int>(taken.size());
  return group;
}

void do_nothing(const void*, double* const*) {}

}  // namespace

std::vector<std::string> OdeSystem::names() const {
  std::vector<std::string> all;
  for (int i = 1; i <= size(); ++i) all.push_back("x" + std::to_string(i));
  return all;
}

Sparsity OdeSystem::pattern() const { return dense_pattern(size()); }

Sparsity dense_pattern(int n) {
  Sparsity pattern;
  pattern.n = n;
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) pattern.row.push_back(i);
    pattern.column_start.push_back((j + 1) * n);
  }
  return pattern;
}

// What the kernels call. Errors of the system must not pass through an integrator, which may be
// another's: they are kept, the answer is not a number, and the run is told to stop.
struct SystemProblem::Calls {
  Calls(const OdeSystem& its_system, double its_span)
      : system(its_system),
        n(static_cast<std::size_t>(its_system.size())),
        pattern(its_system.pattern()),
        span(its_span),
        moved(n),
        f(n),
        f_moved(n) {
    group = column_groups(pattern, groups);
  }

  template <class Call>
  bool guarded(double* out, std::size_t size, Call&& call) {
    if (interrupt && interrupt->load(std::memory_order_relaxed)) stop = true;
    if (!error) try {
        return call();
      } catch (...) {
        error = std::current_exception();
        stop = true;
      }
    std::fill_n(out, size, NAN);
    return true;
  }
  void rates(double t, const double* x, double* out) {
    ++count;
    guarded(out, n, [&] {
      system.rates(t, x, out);
      return true;
    });
  }

  void jacobian(double t, const double* x, double* values) {
    if (guarded(values, pattern.row.size(), [&] { return system.jacobian(t, x, values); })) return;
    rates(t, x, f.data());
    double all = 0;
    for (std::size_t i = 0; i < n; ++i) all = std::max(all, std::fabs(x[i]));
    if (all == 0)
      for (std::size_t i = 0; i < n; ++i) all = std::max(all, std::fabs(f[i]) * span);
    if (!(all > 0)) all = 1;
    const auto step = [&](std::size_t j) {
      const double size = std::max(std::fabs(x[j]), share_of_all * all);
      return std::copysign(root_of_rounding * size, x[j]);  // away from zero
    };
    for (int g = 0; g < groups; ++g) {
      std::copy_n(x, n, moved.data());
      for (std::size_t j = 0; j < n; ++j)
        if (group[j] == g) moved[j] += step(j);
      rates(t, moved.data(), f_moved.data());
      for (std::size_t j = 0; j < n; ++j)
        if (group[j] == g)
          for (std::size_t e = pattern.column_start[j];
               e < static_cast<std::size_t>(pattern.column_start[j + 1]); ++e) {
            const std::size_t row = pattern.row[e];
            values[e] = (f_moved[row] - f[row]) / (moved[j] - x[j]);
          }
    }
  }

  void time_derivative(double t, const double* x, double* out) {
    if (guarded(out, n, [&] { return system.time_derivative(t, x, out); })) return;
    const double later = t + root_of_rounding * std::max(std::fabs(t), share_of_span * span);
    rates(t, x, f.data());
    rates(later, x, out);
    for (std::size_t i = 0; i < n; ++i) out[i] = (out[i] - f[i]) / (later - t);
  }

  const OdeSystem& system;
  std::size_t n;
  Sparsity pattern;
  double span;
  std::vector<int> group;  // of each column
  int groups = 0;
  std::vector<double> moved, f, f_moved;
  long count = 0;
  const std::atomic<bool>* interrupt = nullptr;  // of who asked for the run
  std::atomic<bool> stop{false};
  std::exception_ptr error;
};

SystemProblem::SystemProblem(const OdeSystem& system, double span)
    : calls_(std::make_shared<Calls>(system, span)) {
  auto program = std::make_shared<Program>();
  program->states = system.size();
  program->autonomous = system.autonomous();
  program->pattern = calls_->pattern;
  program->state_names = system.names();
  const auto kernel = [this](Kernel::Run function) {
    return Kernel::from_function(function, calls_.get(), calls_);
  };
  // The context is this system's alone, and its memory changes from call to call.
  program->rhs = kernel([](const void* calls, double* const* a) {
    static_cast<Calls*>(const_cast<void*>(calls))->rates(*a[0], a[1], a[3]);
  });
  program->jacobian = kernel([](const void* calls, double* const* a) {
    static_cast<Calls*>(const_cast<void*>(calls))->jacobian(*a[0], a[1], a[3]);
  });
  program->time_derivative = kernel([](const void* calls, double* const* a) {
    static_cast<Calls*>(const_cast<void*>(calls))->time_derivative(*a[0], a[1], a[3]);
  });
  program->prepare = program->initial = program->outputs = kernel(do_nothing);
  problem_ = make_problem(std::move(program));
  problem_.growing = nullptr;  // functions of a caller are asked for nothing but the run
}

SystemProblem::~SystemProblem() = default;

long SystemProblem::calls() const { return calls_->count; }

Request SystemProblem::begin(const std::vector<double>& x0, std::vector<double> times,
                             IntegrationOptions& options) {
  calls_->interrupt = options.interrupt;
  calls_->stop = false;
  calls_->error = nullptr;
  options.interrupt = &calls_->stop;
  Request request;
  request.start = times.empty() ? 0 : times.front();
  request.times = std::move(times);
  request.initial = x0;
  return request;
}

Trajectory SystemProblem::run(const std::vector<double>& x0, std::vector<double> times,
                              const IntegrationOptions& options) {
  IntegrationOptions own = options;
  const Request request = begin(x0, std::move(times), own);
  Trajectory result = simulate(problem_, request, own);
  if (calls_->error) std::rethrow_exception(calls_->error);
  return result;
}

namespace {

class Follower final : public StepsObserver {
 public:
  Follower(const std::function<bool(const SystemProblem::Step&)>& over, std::atomic<bool>& stop)
      : over_(over), stop_(stop) {}
  void begin(const LaneGroup&) override {}
  double passed(const LaneGroup& group, const Stepper&) override {
    if (!stop_ && over_({group.t[0], group.h[0], group.y.data(), group.y_new.data()})) stop_ = true;
    return 0;
  }
  void accepted() override {}
  void landed(double) override {}

 private:
  const std::function<bool(const SystemProblem::Step&)>& over_;
  std::atomic<bool>& stop_;
};

}  // namespace

Trajectory SystemProblem::follow(const std::vector<double>& x0, double start, double end,
                                 const IntegrationOptions& options,
                                 const std::function<bool(const Step&)>& over) {
  IntegrationOptions own = options;
  const Request request = begin(x0, {start, end}, own);
  Follower follower(over, calls_->stop);
  Trajectory result = simulate_observed(problem_, request, own, follower);
  if (calls_->error) std::rethrow_exception(calls_->error);
  return result;
}

}  // namespace stiffit::internal
