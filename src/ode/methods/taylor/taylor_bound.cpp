// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/taylor/taylor_bound.h"

#include <algorithm>
#include <cmath>

#include "ode/methods/taylor/taylor_jet.h"

namespace stiffit::internal {
namespace {

enum Array { sizes, parameters, rates, arrays };

// The tape of Q(|a|, d): sums where there are differences, magnitudes of all that is fixed.
struct Majorant {
  explicit Majorant(const Tape& rhs) {
    tape.arrays = arrays;
    write(rhs);
  }

  Tape tape;
  int degree = 2;  // at least: what is linear is bounded as a quadratic
  std::string obstacle;

 private:
  void write(const Tape& rhs) {
    struct Term {
      int degree = 0;  // 0: fixed, `value` is the value itself; else its majorant
      Value value = 0;
    };
    std::vector<Term> terms(rhs.code.size());
    auto size_of = [&](const Term& t) {
      return t.degree > 0 ? t.value : tape.apply(Op::abs, t.value);
    };
    for (std::size_t i = 0; i < rhs.code.size(); ++i) {
      const Instruction& in = rhs.code[i];
      const int operands = operand_count(in);
      const Term a = operands > 0 ? terms[in.op == TapeOp::store ? in.c : in.a] : Term{};
      const Term b = operands > 1 ? terms[in.b] : Term{}, c = operands > 2 ? terms[in.c] : Term{};
      const int highest = std::max({a.degree, b.degree, c.degree});
      Term& made = terms[i];
      if (in.op == TapeOp::constant) {
        made.value = tape.constant(rhs.constants[in.a]);
      } else if (in.op == TapeOp::load) {
        if (in.a == 0) return fail("time in its equations");
        made = {in.a == 1, tape.load(in.a == 1 ? sizes : parameters, static_cast<int>(in.b))};
      } else if (in.op == TapeOp::store) {
        degree = std::max(degree, a.degree);
        tape.store(rates, static_cast<int>(in.b), size_of(a));
      } else if (highest == 0) {
        tape.code.push_back(
            {in.op, in.function, a.value, operands > 1 ? b.value : 0, operands > 2 ? c.value : 0});
        made.value = static_cast<Value>(tape.code.size() - 1);
      } else {
        switch (in.op) {
          case TapeOp::neg:
            made = a;
            break;
          case TapeOp::add:
          case TapeOp::sub:
            made = {highest, tape.add(size_of(a), size_of(b))};
            break;
          case TapeOp::mul:
            made = {a.degree + b.degree, tape.mul(size_of(a), size_of(b))};
            break;
          case TapeOp::fma:
          case TapeOp::fms:
          case TapeOp::fnma:
            made = {std::max(a.degree + b.degree, c.degree),
                    tape.fma(size_of(a), size_of(b), size_of(c))};
            break;
          case TapeOp::div:
            if (b.degree > 0) return fail("a quotient");
            made = {a.degree, tape.div(size_of(a), size_of(b))};
            break;
          case TapeOp::apply:
            // Whichever piece holds, its majorant is below the sum.
            if (in.function == Op::select && b.degree == 0) {
              made = {highest, tape.add(size_of(a), size_of(c))};
              break;
            }
            if (in.function == Op::pow && b.degree == 0 && is_small_whole(rhs, in.b)) {
              const int exponent = static_cast<int>(constant_of(rhs, in.b));
              made = {a.degree * exponent, power(a.value, exponent)};
              break;
            }
            return fail("'" + std::string(name_of(in.function)) + "'");
          default:
            return fail("an operation");
        }
      }
    }
  }

  void fail(std::string what) { obstacle = std::move(what); }
  static double constant_of(const Tape& rhs, Value v) {
    return rhs.code[v].op == TapeOp::constant ? rhs.constants[rhs.code[v].a] : NAN;
  }
  static bool is_small_whole(const Tape& rhs, Value v) {
    const double e = constant_of(rhs, v);
    return e == std::trunc(e) && e >= 1 && e <= 16;
  }
  Value power(Value base, int exponent) {
    Value all = base;
    for (int i = 1; i < exponent; ++i) all = tape.mul(all, base);
    return all;
  }
};

}  // namespace

double TaylorBound::share(double h, int order) const {
  const double tau = std::fabs(h) / radius;
  if (!(tau < 1)) return INFINITY;
  return std::pow(1 - tau, -1.0 / (degree - 1)) * std::pow(tau, order + 1);
}

std::string taylor_bound_refusal(const Program& program) {
  if (std::string why = taylor_refusal(program); !why.empty()) return why;
  const Majorant majorant(program.tapes->rhs);
  if (majorant.obstacle.empty()) return {};
  return "needs polynomial equations, and this model has " + majorant.obstacle +
         "; 'stiffit reduce MODEL --polynomial' makes them";
}

TaylorMajorant::TaylorMajorant(const Program& program)
    : n_(program.states),
      slots_(program.parameter_slots),
      parameters_(static_cast<std::size_t>(program.parameter_slots)),
      size_(static_cast<std::size_t>(program.states)),
      rate_(static_cast<std::size_t>(program.states)) {
  const Majorant majorant(program.tapes->rhs);
  degree_ = majorant.degree;
  kernel_ = make_kernel(majorant.tape, 1, program.isa);
}

void TaylorMajorant::set_parameters(const double* values, int stride) {
  for (int i = 0; i < slots_; ++i) parameters_[i] = values[i * stride];
}

double TaylorMajorant::find(const double* y, int stride, const double* allowed, int order,
                            TaylorBound& bound) {
  const std::size_t n = n_;
  // Each in units of what is allowed in it: any positive number serves where nothing is.
  auto unit = [&](std::size_t i) { return std::max(allowed[i], 1e-300); };
  double top = 0;
  for (std::size_t i = 0; i < n; ++i)
    top = std::max(top, std::fabs(y[static_cast<int>(i) * stride]) / unit(i));
  if (top == 0) top = 1;
  const double least = 1e-12 * top;
  for (std::size_t i = 0; i < n; ++i) size_[i] = top * unit(i);
  double longest = 0;
  constexpr int rounds = 8;
  for (int round = 0; round < rounds; ++round) {
    double* all[arrays] = {size_.data(), parameters_.data(), rate_.data()};
    kernel_(all);
    double s = 0, needed = 0;
    for (std::size_t i = 0; i < n; ++i) {
      s = std::max(s, rate_[i] / size_[i]);
      needed = std::max(needed, size_[i] / unit(i));
    }
    if (!(s > 0) || !std::isfinite(s)) {
      if (s == 0) {  // nothing moves
        bound = {INFINITY, degree_, {size_.data(), size_.data() + n}};
        return INFINITY;
      }
      break;
    }
    // Rounded up, so that rounding never makes the bound too small.
    s *= 1 + 1e-12 * (1 + n_);
    TaylorBound here{1 / ((degree_ - 1) * s), degree_, {}};
    double tau = std::pow(needed, -1.0 / (order + 1));
    for (int i = 0; i < 4; ++i)
      tau = std::pow(std::pow(1 - tau, 1.0 / (degree_ - 1)) / needed, 1.0 / (order + 1));
    tau = std::min(tau, 0.99) * (1 - 1e-9);
    while (tau > 0 && needed * here.share(tau * here.radius, order) > 1) tau *= 0.99;
    if (tau * here.radius > longest) {
      longest = tau * here.radius;
      here.size.assign(size_.data(), size_.data() + n);
      bound = std::move(here);
    }
    // Smaller sizes for what moves less, down to the states themselves: s does not grow by that.
    for (std::size_t i = 0; i < n; ++i)
      size_[i] =
          std::max({std::fabs(y[static_cast<int>(i) * stride]), rate_[i] / s, least * unit(i)});
  }
  return longest;
}

}  // namespace stiffit::internal
