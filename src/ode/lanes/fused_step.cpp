// SPDX-License-Identifier: Apache-2.0
#include "ode/lanes/fused_step.h"

#include "base/thresholds.h"
#include "linear/aligned_array.h"
#include "linear/elimination.h"
#include "linear/fixed_pivots.h"
#include "linear/lu_tapes.h"
#include "ode/methods/explicit_rk/explicit_rk_tableaus.h"
#include "ode/methods/rosenbrock/rodas5p_tableau.h"

namespace stiffit::internal {
namespace {

using Values = std::vector<Value>;

// Writes `part` at the end of `tape`; its loads and stores go through the two functions.
template <class Load, class Store>
void append(Tape& tape, const Tape& part, Load load, Store store) {
  Values made(part.code.size());
  for (std::size_t i = 0; i < part.code.size(); ++i) {
    const Instruction& in = part.code[i];
    const int count = operand_count(in);
    auto value = [&](int k, std::uint32_t operand) { return k < count ? made[operand] : 0; };
    switch (in.op) {
      case TapeOp::constant:
        made[i] = tape.constant(part.constants[in.a]);
        break;
      case TapeOp::load:
        made[i] = load(static_cast<int>(in.a), static_cast<int>(in.b));
        break;
      case TapeOp::store:
        store(static_cast<int>(in.a), static_cast<int>(in.b), made[in.c]);
        break;
      default:
        tape.code.push_back({in.op, in.function, value(0, in.a), value(1, in.b), value(2, in.c)});
        made[i] = static_cast<Value>(tape.code.size() - 1);
    }
  }
}

// What the steps of all methods are written with.
class StepWriter {
 public:
  explicit StepWriter(const Program& program)
      : program_(program),
        n_(static_cast<std::size_t>(program.states)),
        stride_(FusedStep::stage_stride(program.states, program.lanes)) {
    tape_.arrays = FusedStep::arrays;
    h_ = tape_.load(FusedStep::step, 0);
    y_ = load(FusedStep::states);
    slope_ = load(FusedStep::slope);
  }

 protected:
  Values load(int array) {
    Values values;
    for (std::size_t i = 0; i < n_; ++i) values.push_back(tape_.load(array, static_cast<int>(i)));
    return values;
  }
  void store(int array, const Values& values, int first = 0) {
    for (std::size_t i = 0; i < values.size(); ++i)
      tape_.store(array, first + static_cast<int>(i), values[i]);
  }
  void store_stage(int stage, const Values& k) { store(FusedStep::stages, k, stage * stride_); }
  Value number(double x) { return tape_.constant(x); }

  // A function of time, states and parameters, at the node of the step.
  Values evaluate(const Tape& function, double node, const Values& y, std::size_t results) {
    Values out(results);
    append(
        tape_, function,
        [&](int array, int element) {
          if (array == 1) return y[element];
          if (array == 2) return tape_.load(FusedStep::parameters, element);
          const Value t = tape_.load(FusedStep::time, 0);
          return node == 0 ? t : tape_.fma(number(node), h_, t);
        },
        [&](int, int element, Value value) { out[element] = value; });
    return out;
  }
  Values rhs(double node, const Values& y) { return evaluate(program_.tapes->values, node, y, n_); }

  // The weighted root mean square of `e`; not finite if one of `witness` is not.
  void judge(const Values& e, const Values& y_new, const Values& witness) {
    const Value rtol = tape_.load(FusedStep::tolerance, 0),
                share = tape_.load(FusedStep::tolerance, 1),
                absolute = tape_.load(FusedStep::tolerance, 2);
    Value sum = number(0);
    for (std::size_t i = 0; i < n_; ++i) {
      const Value size =
          tape_.apply(Op::max, tape_.apply(Op::abs, y_[i]), tape_.apply(Op::abs, y_new[i]));
      const Value top = tape_.load(FusedStep::largest, static_cast<int>(i));
      const Value allowed = tape_.fma(rtol, tape_.fma(share, top, size), absolute);
      const Value ratio = tape_.div(e[i], allowed);
      sum = tape_.fma(ratio, ratio, sum);
    }
    Value error = tape_.apply(Op::sqrt, tape_.mul(sum, number(1 / static_cast<double>(n_))));
    for (Value f : witness) error = tape_.fma(f, number(0), error);
    tape_.store(FusedStep::verdict, FusedStep::error, error);
  }

  const Program& program_;
  Tape tape_;
  std::size_t n_;
  int stride_;
  Value h_ = 0;
  Values y_, slope_;
};

class Rodas5pWriter : StepWriter {
 public:
  explicit Rodas5pWriter(const Program& program)
      : StepWriter(program),
        elimination_(best_elimination(system_matrix(program.pattern, {}))),
        solve_tape_(solve_tape(elimination_)) {}

  Tape write() {
    inverse_ = tape_.div(number(1), h_);
    if (!program_.autonomous) drift_ = evaluate(program_.tapes->time_derivative, 0, y_, n_);
    factor();
    finish_stage(0, slope_);
    Values y;
    for (int stage = 1; stage < 6; ++stage) {
      y = y_;
      for (std::size_t i = 0; i < n_; ++i)
        for (int j = 0; j < stage; ++j)
          y[i] = tape_.fma(number(rodas5p::a[stage][j]), k_[j][i], y[i]);
      finish_stage(stage, rhs(rodas5p::node[stage], y));
    }
    for (int stage = 6; stage < 8; ++stage) {
      add_last_stage(y);
      finish_stage(stage, rhs(1, y));
    }
    add_last_stage(y);
    store(FusedStep::states_new, y);
    const Values f = rhs(1, y);
    store(FusedStep::slope_new, f);
    judge(k_.back(), y, f);
    return std::move(tape_);
  }

 private:
  void add_last_stage(Values& y) {
    for (std::size_t i = 0; i < n_; ++i) y[i] = tape_.add(y[i], k_.back()[i]);
  }

  void factor() {
    const std::size_t nonzeros = program_.pattern.nonzeros();
    const Values j = evaluate(program_.tapes->jacobian, 0, y_, nonzeros);
    const Value d = tape_.mul(inverse_, number(1 / rodas5p::gamma));
    lu_.resize(elimination_.fill());
    append(
        tape_, factor_tape(elimination_),
        [&](int array, int element) {
          const std::size_t e = element;
          return array == 0 ? d : array == 1 ? j[e] : lu_[e];
        },
        [&](int array, int element, Value value) {
          if (array == 2)
            lu_[element] = value;
          else
            tape_.store(
                FusedStep::verdict,
                element == PivotRatios::sum ? FusedStep::pivot_sum : FusedStep::pivot_minimum,
                value);
        });
  }

  void finish_stage(int stage, const Values& f) {
    Values right = f, scratch(n_);
    for (std::size_t i = 0; i < n_; ++i) {
      for (int j = 0; j < stage; ++j) {
        const Value weight = number(rodas5p::c[stage][j]);
        const Value k = k_[j][i];
        scratch[i] = j == 0 ? tape_.mul(weight, k) : tape_.fma(weight, k, scratch[i]);
      }
      if (stage > 0) right[i] = tape_.fma(scratch[i], inverse_, right[i]);
      if (!drift_.empty() && rodas5p::slope[stage] != 0)
        right[i] = tape_.fma(tape_.mul(number(rodas5p::slope[stage]), h_), drift_[i], right[i]);
    }
    append(
        tape_, solve_tape_,
        [&](int array, int element) {
          const std::size_t e = element;
          return array == 0 ? lu_[e] : array == 1 ? right[e] : scratch[e];
        },
        [&](int array, int element, Value value) {
          (array == 1 ? right : scratch)[element] = value;
        });
    store_stage(stage, right);
    k_.push_back(std::move(right));
  }

  Elimination elimination_;
  Tape solve_tape_;
  Value inverse_ = 0;
  Values drift_, lu_;
  std::vector<Values> k_;
};

// A pair whose last stage is the slope at the end.
template <class Tableau>
class ExplicitWriter : StepWriter {
 public:
  using StepWriter::StepWriter;
  Tape write() {
    constexpr int last = Tableau::stages - 1;
    std::vector<Values> k{slope_};
    Values y;
    for (int stage = 1; stage <= last; ++stage) {
      y = y_;
      for (std::size_t i = 0; i < n_; ++i) y[i] = tape_.fma(h_, sum(k, Tableau::a[stage], i), y[i]);
      k.push_back(rhs(Tableau::node[stage], y));
      if (stage < last) store_stage(stage, k.back());
    }
    store(FusedStep::states_new, y);
    store(FusedStep::slope_new, k.back());
    Values e;
    for (std::size_t i = 0; i < n_; ++i) e.push_back(tape_.mul(h_, sum(k, Tableau::error, i)));
    judge(e, y, k.back());
    return std::move(tape_);
  }

 private:
  Value sum(const std::vector<Values>& k, const double* weight, std::size_t i) {
    bool begun = false;
    Value total = 0;
    for (std::size_t j = 0; j < k.size(); ++j) {
      if (weight[j] == 0) continue;
      total = begun ? tape_.fma(number(weight[j]), k[j][i], total)
                    : tape_.mul(number(weight[j]), k[j][i]);
      begun = true;
    }
    return begun ? total : number(0);
  }
};

}  // namespace

bool fits_fused_step(const Program& program) {
  return program.tapes && program.states < thresholds::states_for_corrected_output &&
         program.tapes->rhs.code.size() + program.tapes->jacobian.code.size() <=
             thresholds::fused_step_parts;
}

int FusedStep::stage_stride(int states, int lanes) {
  return static_cast<int>(AlignedArray::padded(static_cast<std::size_t>(states * lanes))) / lanes;
}

template <class Write>
const Kernel* FusedSteps::get(Lazy& lazy, Write write) const {
  if (!fits_fused_step(*program_) || program_->isa == Isa::portable) return nullptr;
  std::call_once(lazy.once, [&] {
    const Tape tape = write();
    if (static_cast<double>(tape.code.size()) <= (program_->lanes == 1
                                                      ? program_->thresholds.fused_step_one_lane
                                                      : program_->thresholds.fused_step_lanes))
      lazy.kernel = make_kernel(tape, program_->lanes, program_->isa);
  });
  return lazy.kernel ? &lazy.kernel : nullptr;
}

const Kernel* FusedSteps::rodas5p() const {
  return get(rodas5p_, [&] { return Rodas5pWriter(*program_).write(); });
}

const Kernel* FusedSteps::dopri5() const {
  return get(dopri5_, [&] { return ExplicitWriter<Dopri5Tableau>(*program_).write(); });
}

const Kernel* FusedSteps::tsit5() const {
  return get(tsit5_, [&] { return ExplicitWriter<Tsit5Tableau>(*program_).write(); });
}

}  // namespace stiffit::internal
