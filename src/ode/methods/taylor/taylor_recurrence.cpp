// SPDX-License-Identifier: Apache-2.0
#include "ode/methods/taylor/taylor_recurrence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ode/methods/taylor/taylor_jet.h"

namespace stiffit::internal {
namespace {

constexpr Value zero = ~Value{0};  // a coefficient that is zero whatever the state

// What a coefficient is computed from. Beside the operations of tapes:
enum class Rule : std::uint8_t {
  constant,  // value of the rhs tape's constant
  time,
  state,
  parameter,
  add,
  sub,
  neg,
  mul,
  div,
  exp,
  ln,
  sqrt,
  power,     // a^b, b fixed
  turn,      // b + c * integral of a' times node d: sin, cos, sinh, cosh, tan, tanh
  quotient,  // integral of c * a' / node d: asin, atan, ...
  select,    // a if b, else c; b fixed
  fixed,     // any function of fixed operands
};

struct Node {
  Rule rule;
  Op function = Op::number;
  int a = -1, b = -1, c = -1, d = -1;
  double number = 0;
  bool moves = false;  // has coefficients beyond the first
};

// The rhs tape with functions taken apart, so that each node has one recurrence.
class Nodes {
 public:
  explicit Nodes(const Tape& rhs) {
    std::vector<int> of(rhs.code.size(), -1);
    for (std::size_t i = 0; i < rhs.code.size() && !obstacle; ++i) {
      const Instruction& in = rhs.code[i];
      auto arg = [&](std::uint32_t value) { return of[value]; };
      switch (in.op) {
        case TapeOp::constant:
          of[i] = number(rhs.constants[in.a]);
          break;
        case TapeOp::load:
          of[i] = push({in.a == 0   ? Rule::time
                        : in.a == 1 ? Rule::state
                                    : Rule::parameter,
                        Op::number, static_cast<int>(in.b), -1, -1, -1, 0, in.a <= 1});
          break;
        case TapeOp::store:
          results.emplace_back(static_cast<int>(in.b), arg(in.c));
          break;
        case TapeOp::add:
          of[i] = binary(Rule::add, arg(in.a), arg(in.b));
          break;
        case TapeOp::sub:
          of[i] = binary(Rule::sub, arg(in.a), arg(in.b));
          break;
        case TapeOp::mul:
          of[i] = binary(Rule::mul, arg(in.a), arg(in.b));
          break;
        case TapeOp::div:
          of[i] = binary(Rule::div, arg(in.a), arg(in.b));
          break;
        case TapeOp::neg:
          of[i] = unary(Rule::neg, arg(in.a));
          break;
        case TapeOp::fma:
          of[i] = binary(Rule::add, binary(Rule::mul, arg(in.a), arg(in.b)), arg(in.c));
          break;
        case TapeOp::fms:
          of[i] = binary(Rule::sub, binary(Rule::mul, arg(in.a), arg(in.b)), arg(in.c));
          break;
        case TapeOp::fnma:
          of[i] = binary(Rule::sub, arg(in.c), binary(Rule::mul, arg(in.a), arg(in.b)));
          break;
        case TapeOp::apply: {
          const int n = arity(in.function);
          of[i] = apply(in.function, arg(in.a), n > 1 ? arg(in.b) : -1, n > 2 ? arg(in.c) : -1);
          break;
        }
      }
    }
  }

  std::vector<Node> list;
  std::vector<std::pair<int, int>> results;  // state, node
  std::optional<Op> obstacle;

  const Node& operator[](int i) const { return list[i]; }

 private:
  int push(Node node) {
    list.push_back(node);
    return static_cast<int>(list.size()) - 1;
  }
  bool moves(int i) const { return i >= 0 && (*this)[i].moves; }
  int number(double value) {
    return push({Rule::constant, Op::number, -1, -1, -1, -1, value, false});
  }
  int unary(Rule rule, int a) { return push({rule, Op::number, a, -1, -1, -1, 0, moves(a)}); }
  int binary(Rule rule, int a, int b) {
    return push({rule, Op::number, a, b, -1, -1, 0, moves(a) || moves(b)});
  }
  int square(int a) { return binary(Rule::mul, a, a); }

  // Two functions that are each other's derivative, up to sign: coefficients of both are made in
  // turn. `first` is f(a) with f' = x*g, `second` g(a) with g' = y*f.
  int pair(Op first, double x, Op second, double y, int a) {
    const int f = push({Rule::turn, first, a, -1, -1, -1, x, true});
    const int g = push({Rule::turn, second, a, -1, -1, f, y, true});
    list[f].d = g;
    return f;
  }
  // f' = (1 + sign f^2) a'.
  int tangent(Op function, double sign, int a) {
    const int f = push({Rule::turn, function, a, a, -1, -1, sign, true});
    const int q = square(f);
    list[f].d = q;
    return f;
  }
  int inverse_function(Op function, double factor, int a, int below) {
    return push({Rule::quotient, function, a, -1, -1, below, factor, true});
  }

  int apply(Op function, int a, int b, int c) {
    if (!moves(a) && !moves(b) && !moves(c))
      return push({Rule::fixed, function, a, b, c, -1, 0, false});
    switch (function) {
      case Op::exp:
        return unary(Rule::exp, a);
      case Op::ln:
        return unary(Rule::ln, a);
      case Op::log10:
        return binary(Rule::mul, number(1 / std::log(10.0)), unary(Rule::ln, a));
      case Op::sqrt:
        return unary(Rule::sqrt, a);
      case Op::sin:
        return pair(Op::sin, 1, Op::cos, -1, a);
      case Op::cos:
        return pair(Op::cos, -1, Op::sin, 1, a);
      case Op::sinh:
        return pair(Op::sinh, 1, Op::cosh, 1, a);
      case Op::cosh:
        return pair(Op::cosh, 1, Op::sinh, 1, a);
      case Op::tan:
        return tangent(Op::tan, 1, a);
      case Op::tanh:
        return tangent(Op::tanh, -1, a);
      case Op::asin:
      case Op::acos:
        return inverse_function(function, function == Op::asin ? 1 : -1, a,
                                unary(Rule::sqrt, binary(Rule::sub, number(1), square(a))));
      case Op::asinh:
        return inverse_function(function, 1, a,
                                unary(Rule::sqrt, binary(Rule::add, number(1), square(a))));
      case Op::acosh:
        return inverse_function(function, 1, a,
                                unary(Rule::sqrt, binary(Rule::sub, square(a), number(1))));
      case Op::atan:
        return inverse_function(function, 1, a, binary(Rule::add, number(1), square(a)));
      case Op::atanh:
        return inverse_function(function, 1, a, binary(Rule::sub, number(1), square(a)));
      case Op::pow:
        return power(a, b);
      case Op::gt:  // of the base of a fractional power: held within a step, which ends where it
                    // turns
        return push({Rule::fixed, function, a, b, -1, -1, 0, false});
      case Op::select:
        if (!moves(b)) return push({Rule::select, function, a, b, c, -1, 0, true});
        break;
      default:
        break;
    }
    obstacle = function;
    return -1;
  }

  int power(int a, int b) {
    if (!moves(b)) {
      const Node& exponent = (*this)[b];
      constexpr double largest = 16;
      if (exponent.rule == Rule::constant && exponent.number == std::trunc(exponent.number) &&
          exponent.number >= 1 && exponent.number <= largest)
        return whole_power(a, static_cast<int>(exponent.number));
      return push({Rule::power, Op::pow, a, b, -1, -1, 0, true});
    }
    const int logarithm =
        moves(a) ? unary(Rule::ln, a) : push({Rule::fixed, Op::ln, a, -1, -1, -1, 0, false});
    return unary(Rule::exp, binary(Rule::mul, b, logarithm));
  }
  int whole_power(int a, int exponent) {
    if (exponent == 1) return a;
    const int half = square(whole_power(a, exponent / 2));
    return exponent % 2 ? binary(Rule::mul, half, a) : half;
  }
};

class Writer {
 public:
  Writer(const Tape& rhs, int states, int stride, int order)
      : nodes_(rhs), states_(states), stride_(stride), order_(order) {}

  Tape run() {
    tape_.arrays = TaylorJet::arrays;
    h_ = tape_.load(TaylorJet::scale, 0);
    state_.assign(states_, {});
    coefficient_.assign(nodes_.list.size(), {});
    derivative_.assign(nodes_.list.size(), {});
    for (int i = 0; i < states_; ++i) {
      const Value y = tape_.load(TaylorJet::states, i);
      state_[i].push_back(y);
      tape_.store(TaylorJet::coefficients, i, y);
    }
    for (int k = 0; k < order_; ++k) {
      for (std::size_t i = 0; i < nodes_.list.size(); ++i) {
        const Value made =
            nodes_.list[i].moves || k == 0 ? make(nodes_.list[i], static_cast<int>(i), k) : zero;
        coefficient_[i].push_back(made);
      }
      const Value advance = tape_.mul(h_, tape_.constant(1.0 / (k + 1)));
      std::vector<Value> next(static_cast<std::size_t>(states_), zero);
      for (auto [state, node] : nodes_.results)
        if (const Value f = of(node, k); f != zero) next[state] = tape_.mul(f, advance);
      for (int i = 0; i < states_; ++i) {
        const Value x = next[i];
        state_[i].push_back(x);
        tape_.store(TaylorJet::coefficients, (k + 1) * stride_ + i,
                    x == zero ? tape_.constant(0) : x);
      }
    }
    return std::move(tape_);
  }

 private:
  Value of(int node, int k) const { return coefficient_[node][k]; }
  // j times coefficient j.
  Value slope(int node, int j) {
    std::vector<Value>& list = derivative_[node];
    while (static_cast<int>(list.size()) <= j) list.push_back(unknown);
    Value& known = list[j];
    if (known == unknown) {
      const Value c = of(node, j);
      known = c == zero || j == 1 ? c : tape_.mul(c, tape_.constant(j));
    }
    return known;
  }

  Value plus(Value a, Value b) {
    if (a == zero) return b;
    return b == zero ? a : tape_.add(a, b);
  }
  Value minus(Value a, Value b) {
    if (b == zero) return a;
    return a == zero ? tape_.neg(b) : tape_.sub(a, b);
  }
  Value times(Value a, Value b) { return a == zero || b == zero ? zero : tape_.mul(a, b); }
  Value scaled(Value a, double factor) {
    if (a == zero || factor == 1) return a;
    return factor == -1 ? tape_.neg(a) : tape_.mul(a, tape_.constant(factor));
  }

  // Sum of left(j)*right(j) for j from `first` to `last`: in several chains, because each addition
  // waits for the one before.
  template <class Left, class Right>
  Value sum(int first, int last, Left left, Right right) {
    std::vector<std::pair<Value, Value>> terms;
    for (int j = first; j <= last; ++j) {
      const Value a = left(j);
      if (a == zero) continue;
      if (const Value b = right(j); b != zero) terms.emplace_back(a, b);
    }
    if (terms.empty()) return zero;
    constexpr std::size_t most_chains = 4, shortest = 3;
    const std::size_t chains = std::clamp<std::size_t>(terms.size() / shortest, 1, most_chains);
    std::array<Value, most_chains> total{};
    for (std::size_t i = 0; i < terms.size(); ++i) {
      auto [a, b] = terms[i];
      Value& t = total[i % chains];
      t = i < chains ? tape_.mul(a, b) : tape_.fma(a, b, t);
    }
    Value all = total[0];
    for (std::size_t c = 1; c < chains; ++c) all = tape_.add(all, total[c]);
    return all;
  }
  // The product's coefficient k.
  Value product(int a, int b, int k) {
    if (a != b)
      return sum(
          0, k, [&](int j) { return of(a, j); }, [&](int j) { return of(b, k - j); });
    Value twice = sum(
        0, (k - 1) / 2, [&](int j) { return k > 0 ? of(a, j) : zero; },
        [&](int j) { return of(a, k - j); });
    if (twice != zero) twice = tape_.add(twice, twice);
    if (k % 2) return twice;
    const Value middle = of(a, k / 2);
    if (middle == zero) return twice;
    return twice == zero ? tape_.mul(middle, middle) : tape_.fma(middle, middle, twice);
  }

  // Once per node: 1 over a first coefficient, and the like.
  Value inverse(int node) {
    auto& known = inverses_;
    if (known.size() < coefficient_.size()) known.resize(coefficient_.size(), unknown);
    Value& value = known[node];
    if (value == unknown) value = tape_.div(tape_.constant(1), solid(of(node, 0)));
    return value;
  }

  // What `made` is where the argument moves; zero where it stands still, as at x = 0 for x^n: there
  // recurrences that divide by x know nothing.
  Value unless_at_rest(Value made, int argument, int k) {
    if (made == zero) return zero;
    std::vector<Value>& list = motion_[argument];
    for (int j = static_cast<int>(list.size()) + 1; j <= k; ++j) {
      const Value c = of(argument, j), size = c == zero ? zero : tape_.apply(Op::abs, c);
      list.push_back(list.empty() ? size : plus(list.back(), size));
    }
    const Value motion = list[k - 1];
    return motion == zero ? zero : tape_.apply(Op::select, made, motion, solid(zero));
  }

  Value make(const Node& n, int self, int k) {
    auto a = [&](int j) { return of(n.a, j); };
    auto own = [&](int j) { return of(self, j); };
    auto slope_a = [&](int j) { return slope(n.a, j); };
    switch (n.rule) {
      case Rule::constant:
        return n.number == 0 ? zero : tape_.constant(n.number);
      case Rule::time:
        if (k == 0) return tape_.load(TaylorJet::time, 0);
        return k == 1 ? h_ : zero;
      case Rule::state:
        return state_[n.a][k];
      case Rule::parameter:
        return tape_.load(TaylorJet::parameters, n.a);
      case Rule::add:
        return plus(a(k), of(n.b, k));
      case Rule::sub:
        return minus(a(k), of(n.b, k));
      case Rule::neg:
        return minus(zero, a(k));
      case Rule::mul:
        return product(n.a, n.b, k);
      case Rule::div: {
        if (of(n.b, 0) == zero) return tape_.constant(NAN);
        const Value s = sum(
            1, k, [&](int j) { return of(n.b, j); }, [&](int j) { return own(k - j); });
        if (k == 0) return a(0) == zero ? zero : tape_.div(a(0), of(n.b, 0));
        return times(minus(a(k), s), inverse(n.b));
      }
      case Rule::exp:
        if (k == 0) return function(Op::exp, n.a);
        return scaled(sum(1, k, slope_a, [&](int j) { return own(k - j); }), 1.0 / k);
      case Rule::ln: {
        if (k == 0) return function(Op::ln, n.a);
        const Value s = sum(
            1, k - 1, [&](int j) { return slope(self, j); }, [&](int j) { return a(k - j); });
        return times(minus(a(k), scaled(s, 1.0 / k)), inverse(n.a));
      }
      case Rule::sqrt: {
        if (k == 0) return function(Op::sqrt, n.a);
        const Value s = sum(1, k - 1, own, [&](int j) { return own(k - j); });
        return unless_at_rest(scaled(times(minus(a(k), s), inverse(self)), 0.5), n.a, k);
      }
      case Rule::power: {
        if (k == 0) return tape_.apply(Op::pow, solid(a(0)), solid(of(n.b, 0)));
        // w = u^c: k u0 w_k = sum of (c j - (k - j)) u_j w_(k-j)
        const Value with = sum(1, k, slope_a, [&](int j) { return own(k - j); });
        const Value less = sum(
            1, k - 1, [&](int j) { return slope(self, j); }, [&](int j) { return a(k - j); });
        return unless_at_rest(
            scaled(times(minus(times(of(n.b, 0), with), less), inverse(n.a)), 1.0 / k), n.a, k);
      }
      case Rule::turn: {
        if (k == 0) return function(n.function, n.a);
        const Value s =
            scaled(sum(1, k, slope_a, [&](int j) { return of(n.d, k - j); }), n.number / k);
        return n.b >= 0 ? plus(a(k), s) : s;
      }
      case Rule::quotient: {
        if (k == 0) return function(n.function, n.a);
        const Value s = scaled(sum(
                                   1, k - 1, [&](int j) { return slope(self, j); },
                                   [&](int j) { return of(n.d, k - j); }),
                               1.0 / k);
        return unless_at_rest(times(minus(scaled(a(k), n.number), s), inverse(n.d)), n.a, k);
      }
      case Rule::select:
        if (a(k) == zero && of(n.c, k) == zero) return zero;
        return tape_.apply(Op::select, solid(a(k)), solid(of(n.b, 0)), solid(of(n.c, k)));
      case Rule::fixed: {
        const int operands = arity(n.function);
        return tape_.apply(n.function, solid(a(0)), operands > 1 ? solid(of(n.b, 0)) : 0,
                           operands > 2 ? solid(of(n.c, 0)) : 0);
      }
    }
    throw std::logic_error("a Taylor coefficient without a rule");
  }

  Value function(Op op, int a) { return tape_.apply(op, solid(of(a, 0))); }
  Value solid(Value a) { return a == zero ? tape_.constant(0) : a; }

  static constexpr Value unknown = ~Value{0} - 1;
  Nodes nodes_;
  int states_, stride_, order_;
  Tape tape_;
  Value h_ = 0;
  std::vector<std::vector<Value>> state_, coefficient_, derivative_;  // [.][order]
  std::vector<Value> inverses_;
  std::unordered_map<int, std::vector<Value>> motion_;  // per argument: |c1| + .. + |ck|
};

}  // namespace

std::optional<Op> taylor_obstacle(const Tape& rhs) { return Nodes(rhs).obstacle; }

Tape write_taylor_tape(const Tape& rhs, int states, int stride, int order) {
  return Writer(rhs, states, stride, order).run();
}

}  // namespace stiffit::internal
