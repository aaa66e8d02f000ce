// SPDX-License-Identifier: Apache-2.0
#include "estimation/direct/unknown_monomials.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/number.h"
#include "linear/dense/decompositions.h"
#include "symbolic/operands_first.h"

namespace stiffit::internal {
namespace {

constexpr std::size_t most_terms = 300;

Monomial times(const Monomial& a, const Monomial& b) {
  std::map<int, double> sum;
  for (const Monomial* m : {&a, &b})
    for (auto& [unknown, exponent] : *m) sum[unknown] += exponent;
  Monomial result;
  for (auto& [unknown, exponent] : sum)
    if (exponent != 0) result.emplace_back(unknown, exponent);
  return result;
}

class FractionBuilder {
 public:
  FractionBuilder(FitEquations& equations, int& trouble)
      : equations_(equations), g_(equations.graph()), trouble_(trouble) {}

  std::optional<Fraction> of(NodeId root) {
    auto plain = [&](NodeId id) { return !g_.depends_on(id, Leaf::parameter); };
    // By value: the graph grows on the way.
    const std::vector<NodeId> order = operands_first(
        g_, root, [](NodeId) { return false; }, plain);
    for (NodeId id : order) {
      std::optional<Fraction> f = one(id);
      if (!f) return {};
      if (f->above.size() > most_terms || f->below.size() > most_terms) {
        trouble_ = equations_.unknowns_in(id).front();
        return {};
      }
      known_[id] = std::move(*f);
    }
    return known_.at(root);
  }

 private:
  std::optional<Fraction> one(NodeId id) {
    const GraphNode n = g_[id];
    const std::vector<int> unknowns = equations_.unknowns_in(id);
    if (unknowns.empty()) return constant(id);
    if (n.op == Op::symbol) return Fraction{{{{{unknowns.front(), 1.0}}, g_.number(1)}}, unit()};
    switch (n.op) {
      case Op::neg:
        return Fraction{scaled(known_.at(n.a).above, g_.number(-1)), known_.at(n.a).below};
      case Op::add:
        return sum(known_.at(n.a), known_.at(n.b), 1);
      case Op::sub:
        return sum(known_.at(n.a), known_.at(n.b), -1);
      case Op::mul:
        return product(known_.at(n.a), known_.at(n.b));
      case Op::div:
        return product(known_.at(n.a), {known_.at(n.b).below, known_.at(n.b).above});
      case Op::pow:
        if (auto f = power(known_.at(n.a), n.b)) return f;
        break;
      default:
        break;
    }
    trouble_ = unknowns.front();
    return {};
  }

  Polynomial unit() { return {{Monomial{}, g_.number(1)}}; }
  Fraction constant(NodeId id) { return {{{Monomial{}, id}}, unit()}; }

  void add_to(Polynomial& p, const Monomial& m, NodeId node) {
    auto found = p.find(m);
    if (found == p.end())
      p.emplace(m, node);
    else
      found->second = g_.add(found->second, node);
  }
  Polynomial scaled(const Polynomial& p, NodeId factor) {
    Polynomial result;
    for (auto& [m, node] : p) result.emplace(m, g_.mul(factor, node));
    return result;
  }
  Polynomial product(const Polynomial& a, const Polynomial& b) {
    Polynomial result;
    for (auto& [m, x] : a)
      for (auto& [l, y] : b) add_to(result, times(m, l), g_.mul(x, y));
    return result;
  }
  Fraction product(const Fraction& a, const Fraction& b) {
    return {product(a.above, b.above), product(a.below, b.below)};
  }
  Fraction sum(const Fraction& a, const Fraction& b, double sign) {
    if (a.below == b.below) {
      Fraction result = a;
      for (auto& [m, node] : b.above) add_to(result.above, m, g_.mul(g_.number(sign), node));
      return result;
    }
    Fraction result{product(a.above, b.below), product(a.below, b.below)};
    for (auto& [m, node] : product(b.above, a.below))
      add_to(result.above, m, g_.mul(g_.number(sign), node));
    return result;
  }
  // Whole powers of anything, any power of a single term.
  std::optional<Fraction> power(const Fraction& base, NodeId exponent) {
    if (!equations_.unknowns_in(exponent).empty() || !g_.is_fixed(exponent)) return {};
    const double n = g_.value(
        exponent, [&](Leaf, int index) { return equations_.system().parameters[index].value; });
    const bool whole = n == std::trunc(n) && std::abs(n) <= 8;
    if (!whole && (base.above.size() != 1 || base.below.size() != 1)) return {};
    if (base.above.size() == 1 && base.below.size() == 1) {
      auto raised = [&](const Polynomial& p) {
        Monomial m = p.begin()->first;
        for (auto& [unknown, e] : m) e *= n;
        return Polynomial{{m, g_.pow(p.begin()->second, exponent)}};
      };
      return Fraction{raised(base.above), raised(base.below)};
    }
    Fraction result{unit(), unit()};
    for (int k = 0; k < std::abs(static_cast<int>(n)); ++k) result = product(result, base);
    if (n < 0) std::swap(result.above, result.below);
    return result;
  }

  FitEquations& equations_;
  Graph& g_;
  int& trouble_;
  std::unordered_map<NodeId, Fraction> known_;
};

}  // namespace

std::optional<Fraction> fraction_of(FitEquations& equations, NodeId node, int& trouble) {
  return FractionBuilder(equations, trouble).of(node);
}

double value_of(const Monomial& monomial, const Eigen::VectorXd& unknowns) {
  double product = 1;
  for (auto& [unknown, exponent] : monomial)
    product *= exponent == 1 ? unknowns(unknown) : std::pow(unknowns(unknown), exponent);
  return product;
}

std::string name_of(const Monomial& monomial, const std::vector<std::string>& names) {
  std::string text;
  for (auto& [unknown, exponent] : monomial) {
    text += (text.empty() ? "" : "*") + names[unknown];
    if (exponent != 1) text += "^" + format_number(exponent);
  }
  return text.empty() ? "1" : text;
}

Eigen::VectorXd unknowns_behind(const std::vector<Monomial>& monomials,
                                const Eigen::VectorXd& coefficients, const Eigen::MatrixXd& weights,
                                const Eigen::VectorXd& start, Eigen::MatrixXd& slopes) {
  const Eigen::Index count = monomials.size();
  Eigen::VectorXd c = start;
  for (std::size_t k = 0; k < monomials.size(); ++k) {
    if (monomials[k].size() != 1) continue;
    const auto [unknown, exponent] = monomials[k].front();
    const double value = coefficients(k);
    if (exponent == 1)
      c(unknown) = value;
    else if (value > 0)
      c(unknown) = std::pow(value, 1 / exponent);
  }
  auto differences = [&](const Eigen::VectorXd& at) {
    Eigen::VectorXd d(count);
    for (Eigen::Index k = 0; k < count; ++k) d(k) = value_of(monomials[k], at) - coefficients(k);
    return d;
  };
  auto fill_slopes = [&](const Eigen::VectorXd& at) {
    slopes = Eigen::MatrixXd::Zero(count, at.size());
    for (Eigen::Index k = 0; k < count; ++k)
      for (auto& [unknown, exponent] : monomials[k]) {
        Monomial rest = monomials[k];
        for (auto& [u, e] : rest)
          if (u == unknown) e -= 1;
        std::erase_if(rest, [](auto& part) { return part.second == 0; });
        slopes(k, unknown) += exponent * value_of(rest, at);
      }
  };
  auto size = [&](const Eigen::VectorXd& d) { return d.dot(weights * d); };
  Eigen::VectorXd d = differences(c);
  double now = size(d), damping = 1e-8;
  for (int round = 0; round < 200 && now > 0; ++round) {
    fill_slopes(c);
    Eigen::MatrixXd h = slopes.transpose() * weights * slopes;
    const Eigen::VectorXd gradient = slopes.transpose() * (weights * d);
    for (Eigen::Index i = 0; i < h.rows(); ++i) h(i, i) += damping * std::max(h(i, i), 1e-300);
    const Eigen::VectorXd step = SymmetricFactors(h).solve(-gradient);
    const Eigen::VectorXd next = c + step;
    const Eigen::VectorXd there = differences(next);
    const double then = size(there);
    if (std::isfinite(then) && then <= now) {
      const bool done = step.norm() <= 1e-13 * c.norm();
      c = next;
      d = there;
      now = then;
      damping = std::max(damping / 10, 1e-14);
      if (done) break;
    } else {
      damping *= 10;
      if (damping > 1e12) break;
    }
  }
  fill_slopes(c);
  return c;
}

}  // namespace stiffit::internal
