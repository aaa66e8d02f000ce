// See the header. The linear system I - gamma J is filled in directly from the values of J in
// pattern order (CVodeSetLinSysFn), which spares the copy, the clearing and the search for the
// diagonal of the usual way.
// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/cvodes/cvodes_runner.h"

#include <cvodes/cvodes.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <vector>

#if SUNDIALS_VERSION_MAJOR != 6
#error "written for SUNDIALS 6"
#endif
#ifndef SUNDIALS_DOUBLE_PRECISION
#error "needs SUNDIALS in double precision"
#endif

// benchmark/ gives the factory another name for its own build.
#ifndef STIFFIT_CVODES_FACTORY
#define STIFFIT_CVODES_FACTORY make_cvodes_runner
#endif

namespace stiffit::internal {
namespace {

// By the exponent bits, so that the loop becomes vector code without reordering any sum.
bool all_finite(const double* x, int n) {
  constexpr std::uint64_t exponent = 0x7ff0000000000000u;
  std::uint64_t bad = 0;
  for (int i = 0; i < n; ++i)
    bad |= (std::bit_cast<std::uint64_t>(x[i]) & exponent) == exponent ? 1u : 0u;
  return bad == 0;
}

bool ascending(double t0, const double* times, std::size_t n_times) {
  for (std::size_t i = 0; i < n_times; t0 = times[i++])
    if (!(times[i] >= t0)) return false;
  return true;
}

int klu_number(KluOrdering ordering) {
  switch (ordering) {
    case KluOrdering::amd:
      return 0;
    case KluOrdering::colamd:
      return 1;
    default:
      return 2;
  }
}

void check(int flag) {
  if (flag != CV_SUCCESS) throw std::invalid_argument("CVODES refused an option");
}

template <class T>
T made(T pointer) {
  if (pointer == nullptr) throw std::bad_alloc();
  return pointer;
}

// Steps too small to move the time that are forgiven; a small first step at a large time needs
// some.
constexpr int most_zero_length_steps = 100;

// What SUNDIALS allocates, freed in reverse order even when making it stopped halfway.
struct Memory {
  SUNContext context = nullptr;
  N_Vector y = nullptr;
  N_Vector* s = nullptr;
  int directions = 0;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver linear = nullptr;
  SUNNonlinearSolver nonlinear = nullptr;
  void* cvode = nullptr;

  Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    if (cvode) CVodeFree(&cvode);
    if (nonlinear) SUNNonlinSolFree(nonlinear);
    if (linear) SUNLinSolFree(linear);
    if (matrix) SUNMatDestroy(matrix);
    if (s) N_VDestroyVectorArray(s, directions);
    if (y) N_VDestroy(y);
    if (context) SUNContext_Free(&context);
  }
};

class Runner final : public CvodesRunner {
 public:
  Runner(const CvodesProblem& problem, const CvodesOptions& options);
  CvodesOutcome run(double t0, const double* y0, const double* times, std::size_t n_times,
                    CvodesSink sink, void* sink_context) override;
  void begin(double t, const double* y) override;
  CvodesStatus step(double stop, double horizon, double* t, double* y) override;
  void set_sensitivities(const double* s) override {
    start_s_.assign(s, s + static_cast<std::ptrdiff_t>(problem_.directions) * problem_.n);
  }
  const double* sensitivity(int direction) const override {
    return N_VGetArrayPointer(memory_.s[direction]);
  }
  double next_size() const override;
  void interpolate(double t, double* y) override;
  CvodesCounters counters() const override;

 private:
  void make_sensitivities();
  void make_linear_solver(const Sparsity& pattern);
  void make_dense(const Sparsity& pattern);
  void make_sparse(const Sparsity& pattern);
  int advance(double t_out, double t_last, double* t_y, double* t_reached);
  int reinitialise(double t, const double* y);
  CvodesStatus status(int flag) const;
  CvodesOutcome outcome(int flag, double t0, std::size_t delivered) const;
  double moved();
  bool stalled() const { return zero_length_steps_ >= most_zero_length_steps; }
  bool stopped() const {
    return options_.interrupt && options_.interrupt->load(std::memory_order_relaxed);
  }

  static int rhs(realtype t, N_Vector y, N_Vector f, void* self);
  static int weights(N_Vector y, N_Vector w, void* self);
  static int sensitivity_rhs(int count, realtype t, N_Vector y, N_Vector f, N_Vector* s,
                             N_Vector* out, void* self, N_Vector, N_Vector);
  static int linear_system(realtype t, N_Vector y, N_Vector f, SUNMatrix matrix, booleantype j_ok,
                           booleantype* j_new, realtype gamma, void* self, N_Vector, N_Vector,
                           N_Vector);
  static void keep_message(int code, const char* module, const char* function, char* message,
                           void* self);

  CvodesProblem problem_;
  CvodesOptions options_;
  Memory memory_;
  double* matrix_data_ = nullptr;
  std::size_t matrix_size_ = 0;
  std::vector<double> jacobian_;       // J of the last evaluation, in the pattern's order
  std::vector<std::size_t> place_;     // of each non-zero of J in the matrix
  std::vector<std::size_t> diagonal_;  // of each diagonal entry in the matrix
  bool fresh_ = false;                 // no step yet since `begin`
  bool interrupted_ = false;
  int zero_length_steps_ = 0;
  long not_finite_ = 0;  // values of the right-hand side, since the first zero-length step
  std::string message_;
  std::vector<double> start_s_, sizes_;
  std::vector<double> reached_, weights_;  // by the last of single steps
  std::vector<const double*> s_in_;
  std::vector<double*> s_out_;
};

Runner::Runner(const CvodesProblem& problem, const CvodesOptions& options)
    : problem_(problem), options_(options) {
  const bool needs_jacobian = !options.adams;
  if (problem.n <= 0 || !problem.rhs) throw std::invalid_argument("CVODES: no equations");
  if (needs_jacobian && (!problem.jacobian || !problem.pattern || problem.pattern->n != problem.n))
    throw std::invalid_argument("CVODES: BDF needs a Jacobian and its pattern");
  if (!options.weights && !options.atol) throw std::invalid_argument("CVODES: no tolerances");

  if (SUNContext_Create(nullptr, &memory_.context) != 0) throw std::bad_alloc();
  memory_.y = made(N_VNew_Serial(problem.n, memory_.context));
  memory_.cvode = made(CVodeCreate(options.adams ? CV_ADAMS : CV_BDF, memory_.context));
  check(CVodeSetErrHandlerFn(memory_.cvode, keep_message, this));
  N_VConst(0.0, memory_.y);
  check(CVodeInit(memory_.cvode, rhs, 0.0, memory_.y));
  check(CVodeSetUserData(memory_.cvode, this));
  if (options.weights) {
    check(CVodeWFtolerances(memory_.cvode, weights));
  } else {
    std::copy_n(options.atol, problem.n, N_VGetArrayPointer(memory_.y));
    check(CVodeSVtolerances(memory_.cvode, options.rtol, memory_.y));
  }
  if (needs_jacobian) {
    make_linear_solver(*problem.pattern);
  } else {
    memory_.nonlinear = made(SUNNonlinSol_FixedPoint(memory_.y, 0, memory_.context));
    check(CVodeSetNonlinearSolver(memory_.cvode, memory_.nonlinear));
  }
  check(CVodeSetMaxHnilWarns(memory_.cvode, most_zero_length_steps));
  check(CVodeSetInitStep(memory_.cvode, options.initial_step));
  check(CVodeSetMaxStep(memory_.cvode, options.max_step));
  const int highest = options.adams ? 12 : 5;
  if (options.max_order > 0 && options.max_order < highest)
    check(CVodeSetMaxOrd(memory_.cvode, options.max_order));
  if (problem.directions > 0) make_sensitivities();
  problem_.pattern = nullptr;
  options_.atol = nullptr;
  options_.sensitivity_sizes = nullptr;
}

void Runner::make_sensitivities() {
  const int count = problem_.directions;
  if (!problem_.sensitivity_rhs || options_.adams)
    throw std::invalid_argument("CVODES: sensitivities need their right-hand side, and BDF");
  memory_.s = made(N_VCloneVectorArray(count, memory_.y));
  memory_.directions = count;
  for (int k = 0; k < count; ++k) N_VConst(0.0, memory_.s[k]);
  start_s_.assign(static_cast<std::size_t>(count) * static_cast<std::size_t>(problem_.n), 0.0);
  sizes_.assign(count, 1.0);
  if (options_.sensitivity_sizes) std::copy_n(options_.sensitivity_sizes, count, sizes_.data());
  s_in_.resize(count);
  s_out_.resize(count);
  check(CVodeSensInit(memory_.cvode, count, CV_STAGGERED, sensitivity_rhs, memory_.s));
  check(CVodeSetSensParams(memory_.cvode, nullptr, sizes_.data(), nullptr));
  check(CVodeSensEEtolerances(memory_.cvode));
  check(CVodeSetSensErrCon(memory_.cvode, options_.sensitivity_error_control));
}

int Runner::sensitivity_rhs(int count, realtype t, N_Vector y, N_Vector, N_Vector* s, N_Vector* out,
                            void* self, N_Vector, N_Vector) {
  auto& runner = *static_cast<Runner*>(self);
  for (int k = 0; k < count; ++k) {
    runner.s_in_[k] = N_VGetArrayPointer(s[k]);
    runner.s_out_[k] = N_VGetArrayPointer(out[k]);
  }
  runner.problem_.sensitivity_rhs(runner.problem_.context, t, N_VGetArrayPointer(y),
                                  runner.s_in_.data(), runner.s_out_.data());
  for (double* values : runner.s_out_)
    if (!all_finite(values, runner.problem_.n)) return 1;
  return 0;
}

void Runner::make_linear_solver(const Sparsity& pattern) {
  jacobian_.resize(pattern.row.size());
  place_.resize(pattern.row.size());
  diagonal_.resize(problem_.n);
  if (options_.linear == CvodesLinear::dense)
    make_dense(pattern);
  else
    make_sparse(pattern);
  check(CVodeSetLinearSolver(memory_.cvode, memory_.linear, memory_.matrix));
  check(CVodeSetLinSysFn(memory_.cvode, linear_system));
}

void Runner::make_dense(const Sparsity& pattern) {
  const std::size_t n = problem_.n;
  memory_.matrix = made(SUNDenseMatrix(problem_.n, problem_.n, memory_.context));
  matrix_data_ = SUNDenseMatrix_Data(memory_.matrix);
  matrix_size_ = n * n;
  for (std::size_t column = 0; column < n; ++column) {
    diagonal_[column] = column * n + column;
    for (int k = pattern.column_start[column]; k < pattern.column_start[column + 1]; ++k)
      place_[k] = column * n + static_cast<std::size_t>(pattern.row[k]);
  }
  memory_.linear = made(SUNLinSol_Dense(memory_.y, memory_.matrix, memory_.context));
}

void Runner::make_sparse(const Sparsity& pattern) {
  // The pattern of J and the diagonal, which J may lack.
  std::vector<sunindextype> start{0}, row;
  for (int column = 0; column < problem_.n; ++column) {
    bool has_diagonal = false;
    const auto add_diagonal = [&] {
      diagonal_[column] = row.size();
      row.push_back(column);
      has_diagonal = true;
    };
    for (int k = pattern.column_start[column]; k < pattern.column_start[column + 1]; ++k) {
      if (!has_diagonal && pattern.row[k] > column) add_diagonal();
      if (pattern.row[k] == column) {
        diagonal_[column] = row.size();
        has_diagonal = true;
      }
      place_[k] = row.size();
      row.push_back(pattern.row[k]);
    }
    if (!has_diagonal) add_diagonal();
    start.push_back(static_cast<sunindextype>(row.size()));
  }
  memory_.matrix =
      made(SUNSparseMatrix(problem_.n, problem_.n, start.back(), CSC_MAT, memory_.context));
  std::copy(start.begin(), start.end(), SUNSparseMatrix_IndexPointers(memory_.matrix));
  std::copy(row.begin(), row.end(), SUNSparseMatrix_IndexValues(memory_.matrix));
  matrix_data_ = SUNSparseMatrix_Data(memory_.matrix);
  matrix_size_ = row.size();
  memory_.linear = made(SUNLinSol_KLU(memory_.y, memory_.matrix, memory_.context));
  check(SUNLinSol_KLUSetOrdering(memory_.linear, klu_number(options_.ordering)));
}

int Runner::rhs(realtype t, N_Vector y, N_Vector f, void* self) {
  auto& runner = *static_cast<Runner*>(self);
  runner.interrupted_ = runner.stopped();
  if (runner.interrupted_ || runner.stalled()) return -1;
  double* out = N_VGetArrayPointer(f);
  runner.problem_.rhs(runner.problem_.context, t, N_VGetArrayPointer(y), out);
  if (all_finite(out, runner.problem_.n)) return 0;
  ++runner.not_finite_;
  return 1;  // CVODES tries a smaller step
}

int Runner::weights(N_Vector y, N_Vector w, void* self) {
  auto& runner = *static_cast<Runner*>(self);
  runner.options_.weights(runner.problem_.context, N_VGetArrayPointer(y), N_VGetArrayPointer(w));
  return 0;
}

int Runner::linear_system(realtype t, N_Vector y, N_Vector, SUNMatrix, booleantype j_ok,
                          booleantype* j_new, realtype gamma, void* self, N_Vector, N_Vector,
                          N_Vector) {
  auto& runner = *static_cast<Runner*>(self);
  *j_new = j_ok ? SUNFALSE : SUNTRUE;
  std::vector<double>& j = runner.jacobian_;
  if (!j_ok) {
    runner.problem_.jacobian(runner.problem_.context, t, N_VGetArrayPointer(y), j.data());
    if (!all_finite(j.data(), static_cast<int>(j.size()))) return 1;
  }
  // LU is done in place (dense), or entries of the diagonal alone remain (sparse): begin anew.
  double* a = runner.matrix_data_;
  std::fill_n(a, runner.matrix_size_, 0.0);
  for (std::size_t k = 0; k < j.size(); ++k) a[runner.place_[k]] = -gamma * j[k];
  for (const std::size_t d : runner.diagonal_) a[d] += 1.0;
  return 0;
}

void Runner::keep_message(int code, const char*, const char*, char* message, void* self) {
  auto& runner = *static_cast<Runner*>(self);
  if (code == CV_WARNING) {  // t + h = t; CVODES itself would go on for ever
    if (runner.zero_length_steps_++ == 0) runner.not_finite_ = 0;
    return;
  }
  if (code < 0 && !runner.stalled()) runner.message_ = message;
}

// One call of CVODES towards t_out > the time reached; y is left at t_y. The very first step is
// taken by itself and towards the last output, since the estimate of its size looks at the end.
int Runner::advance(double t_out, double t_last, double* t_y, double* t_reached) {
  long steps = 0;
  CVodeGetNumSteps(memory_.cvode, &steps);
  if (steps >= options_.max_steps) {
    message_ = "more steps than allowed";
    return CV_TOO_MUCH_WORK;
  }
  CVodeSetMaxNumSteps(memory_.cvode, options_.max_steps - steps);
  const int flag = steps == 0 ? CVode(memory_.cvode, t_last, memory_.y, t_y, CV_ONE_STEP)
                              : CVode(memory_.cvode, t_out, memory_.y, t_y, CV_NORMAL);
  CVodeGetCurrentTime(memory_.cvode, t_reached);
  return flag;
}

int Runner::reinitialise(double t, const double* y) {
  std::copy_n(y, problem_.n, N_VGetArrayPointer(memory_.y));
  interrupted_ = false;
  zero_length_steps_ = 0;
  not_finite_ = 0;
  message_.clear();
  const int flag = CVodeReInit(memory_.cvode, t, memory_.y);
  if (flag != CV_SUCCESS || problem_.directions == 0) return flag;
  for (int k = 0; k < problem_.directions; ++k)
    std::copy_n(start_s_.data() + static_cast<std::ptrdiff_t>(k) * problem_.n, problem_.n,
                N_VGetArrayPointer(memory_.s[k]));
  return CVodeSensReInit(memory_.cvode, CV_STAGGERED, memory_.s);
}

CvodesOutcome Runner::run(double t0, const double* y0, const double* times, std::size_t n_times,
                          CvodesSink sink, void* sink_context) {
  const double* y = N_VGetArrayPointer(memory_.y);
  int flag = reinitialise(t0, y0);
  if (!ascending(t0, times, n_times)) {
    message_ = "output times must ascend from the initial time";
    flag = CV_ILL_INPUT;
  }
  double t_y = t0;        // the time of what y holds
  double t_reached = t0;  // the end of the last step
  std::size_t next = 0;
  for (; next < n_times && flag == CV_SUCCESS; ++next) {
    const double t = times[next];
    while (t > t_reached && flag == CV_SUCCESS)
      flag = advance(t, times[n_times - 1], &t_y, &t_reached);
    if (flag == CV_TOO_CLOSE) {  // all outputs are within rounding of t0: y is still y0
      flag = CV_SUCCESS;
      message_.clear();
      t_y = t_reached = t;
    }
    if (flag == CV_SUCCESS && t != t_y) {
      flag = CVodeGetDky(memory_.cvode, t, 0, memory_.y);
      t_y = t;
    }
    if (flag == CV_SUCCESS && problem_.directions > 0 && counters().steps > 0)
      flag = CVodeGetSensDky(memory_.cvode, t, 0, memory_.s);
    interrupted_ = interrupted_ || stopped();
    if (flag != CV_SUCCESS || interrupted_) break;
    sink(sink_context, next, t, y);
  }
  return outcome(flag, t0, next);
}

CvodesStatus status_of(int flag) {
  switch (flag) {
    case CV_SUCCESS:
      return CvodesStatus::done;
    case CV_TOO_MUCH_WORK:
      return CvodesStatus::too_many_steps;
    case CV_TOO_MUCH_ACC:
      return CvodesStatus::too_much_accuracy;
    case CV_ERR_FAILURE:
      return CvodesStatus::error_test_failures;
    case CV_CONV_FAILURE:
    case CV_NLS_FAIL:
      return CvodesStatus::convergence_failures;
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR:
      return CvodesStatus::rhs_failure;
    case CV_LINIT_FAIL:
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL:
      return CvodesStatus::linear_solver;
    default:
      return CvodesStatus::illegal_input;
  }
}

CvodesStatus Runner::status(int flag) const {
  if (interrupted_) return CvodesStatus::interrupted;
  if (flag != CV_SUCCESS && stalled())
    return not_finite_ ? CvodesStatus::rhs_failure : CvodesStatus::step_too_small;
  return status_of(flag);
}

void Runner::begin(double t, const double* y) {
  reached_.assign(y, y + problem_.n);
  check(reinitialise(t, y));
}

// By how much the state differs from where the last step ended, in units of the tolerance.
double Runner::moved() {
  weights_.resize(reached_.size());
  options_.weights(problem_.context, reached_.data(), weights_.data());
  const double* y = N_VGetArrayPointer(memory_.y);
  double most = 0;
  for (std::size_t i = 0; i < reached_.size(); ++i)
    most = std::max(most, std::fabs(y[i] - reached_[i]) * weights_[i]);
  return most;
}

CvodesStatus Runner::step(double stop, double horizon, double* t, double* y) {
  double before = 0;
  CVodeGetCurrentTime(memory_.cvode, &before);
  // A stop within rounding of where we stand may lie on the wrong side of it.
  check(CVodeSetStopTime(memory_.cvode, std::max(stop, before)));
  int flag = CV_SUCCESS;
  do {  // a step too small to move the time is none, and the state must not move by it
    flag = CVode(memory_.cvode, horizon, memory_.y, t, CV_ONE_STEP);
    if (flag == CV_SUCCESS && *t == before && moved() > 1) return CvodesStatus::step_too_small;
  } while (flag == CV_SUCCESS && *t == before);
  if (flag == CV_TSTOP_RETURN) {
    *t = stop;
    flag = CV_SUCCESS;
  }
  std::copy_n(N_VGetArrayPointer(memory_.y), problem_.n, y);
  if (flag == CV_SUCCESS) reached_.assign(y, y + problem_.n);
  return status(flag);
}

double Runner::next_size() const {
  double h = 0;
  CVodeGetCurrentStep(memory_.cvode, &h);
  return h;
}

void Runner::interpolate(double t, double* y) {
  CVodeGetDky(memory_.cvode, t, 0, memory_.y);
  std::copy_n(N_VGetArrayPointer(memory_.y), problem_.n, y);
}

CvodesOutcome Runner::outcome(int flag, double t0, std::size_t delivered) const {
  CvodesOutcome result;
  result.status = status(flag);
  result.delivered = delivered;
  result.t = t0;
  if (result.status == CvodesStatus::interrupted)
    result.message = "interrupted";
  else if (result.status != CvodesStatus::done && stalled())
    result.message = not_finite_ ? "right-hand side not finite however small the step"
                                 : "the step became too small to move the time";
  else if (result.status != CvodesStatus::done)
    result.message = message_;
  result.counters = counters();
  if (result.counters.steps > 0) CVodeGetCurrentTime(memory_.cvode, &result.t);
  return result;
}

CvodesCounters Runner::counters() const {
  CvodesCounters count;
  CVodeGetNumSteps(memory_.cvode, &count.steps);
  CVodeGetNumRhsEvals(memory_.cvode, &count.rhs);
  CVodeGetNumErrTestFails(memory_.cvode, &count.rejected);
  CVodeGetNumLinSolvSetups(memory_.cvode, &count.factorisations);
  if (count.rhs > 0) {  // else the counters of the solvers are those of the run before
    CVodeGetNumNonlinSolvIters(memory_.cvode, &count.newton_iterations);
    CVodeGetNumNonlinSolvConvFails(memory_.cvode, &count.convergence_failures);
    if (!options_.adams) CVodeGetNumJacEvals(memory_.cvode, &count.jacobian);
  }
  return count;
}

}  // namespace

std::unique_ptr<CvodesRunner> STIFFIT_CVODES_FACTORY(const CvodesProblem& problem,
                                                     const CvodesOptions& options);
std::unique_ptr<CvodesRunner> STIFFIT_CVODES_FACTORY(const CvodesProblem& problem,
                                                     const CvodesOptions& options) {
  return std::make_unique<Runner>(problem, options);
}

}  // namespace stiffit::internal
