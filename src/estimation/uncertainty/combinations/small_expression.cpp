// SPDX-License-Identifier: Apache-2.0
#include "estimation/uncertainty/combinations/small_expression.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace stiffit::internal {
namespace {

std::string term_text(const ExpressionTerm& term, const std::vector<std::string>& names) {
  std::string text;
  const int size = std::abs(term.coefficient);
  if (size != 1 || term.variables.empty()) text = std::to_string(size);
  for (int v : term.variables) text += (text.empty() ? "" : "*") + names[v];
  return text;
}

std::string factor_text(const ExpressionFactor& factor, const std::vector<std::string>& names,
                        bool alone, bool below) {
  std::string text;
  for (const ExpressionTerm& term : factor.terms)
    text += (term.coefficient < 0 ? "-" : text.empty() ? "" : "+") + term_text(term, names);
  const int power = std::abs(factor.power);
  const bool product = factor.terms.size() == 1 && factor.terms[0].variables.size() > 1;
  if ((factor.terms.size() > 1 && (!alone || below || power > 1)) ||
      (product && (below || power > 1)))
    text = "(" + text + ")";
  return power > 1 ? text + "^" + std::to_string(power) : text;
}

double power_of(double base, int power) {
  double value = 1;
  for (int k = 0; k < std::abs(power); ++k) value *= base;
  return power < 0 ? 1 / value : value;
}

// A factor to build from.
struct Atom {
  std::vector<ExpressionTerm> terms;
  int complexity = 1;
  bool single() const { return terms.size() == 1 && terms[0].variables.size() == 1; }
};

class Enumeration {
 public:
  Enumeration(const ExpressionParts& parts, const std::function<void(const SmallExpression&)>& use)
      : parts_(parts), use_(use), open_(parts.open.begin(), parts.open.end()) {
    for (int v : parts.open) singles_.push_back({{{1, {v}}}, 1});
    add_sums();
  }

  void run() {
    for (const Atom& s : sums_) offer({{s.terms, 1}}, s.complexity);
    pairs();
    triples();
    if (parts_.most_complexity >= 4) four_singles();
  }

 private:
  // The others that may stand in a sum, with what they add to the complexity.
  std::vector<std::pair<int, int>> partners() const {
    std::vector<std::pair<int, int>> all;
    for (int v : parts_.open) all.emplace_back(v, 1);
    for (int v : parts_.known) all.emplace_back(v, 1);
    for (int v : parts_.constants) all.emplace_back(v, 2);
    return all;
  }

  void add_sums() {
    const auto others = partners();
    const std::size_t n = parts_.open.size();
    for (std::size_t i = 0; i < n; ++i) {
      const int a = parts_.open[i];
      for (std::size_t j = i + 1; j < others.size(); ++j) {
        const auto [b, cost] = others[j];
        sum({{1, {a}}, {1, {b}}}, 1 + cost);
        sum({{1, {a}}, {-1, {b}}}, 2 + cost);
        sum({{1, {b}}, {-1, {a}}}, 2 + cost);
        if (j < n) {
          sum({{2, {a}}, {1, {b}}}, 2 + cost);
          sum({{1, {a}}, {2, {b}}}, 2 + cost);
        }
        for (std::size_t k = j + 1; j < n && k < others.size(); ++k) {
          sum({{1, {a}}, {1, {b}}, {1, {others[k].first}}}, 1 + cost + others[k].second);
          for (std::size_t l = k + 1; k < n && l < n; ++l)
            sum({{1, {a}}, {1, {b}}, {1, {others[k].first}}, {1, {others[l].first}}}, 4);
        }
      }
      // a*b + c, of open ones: beside known ones it is most often of no dimension at all.
      for (std::size_t j = i + 1; j < n; ++j)
        for (std::size_t k = 0; k < n; ++k) {
          if (k == i || k == j) continue;
          sum({{1, {a, others[j].first}}, {1, {others[k].first}}}, 4);
          sum({{1, {a, others[j].first}}, {-1, {others[k].first}}}, 5);
        }
    }
  }

  void sum(std::vector<ExpressionTerm> terms, int complexity) {
    if (complexity <= parts_.most_complexity) sums_.push_back({std::move(terms), complexity});
  }

  void pairs() {
    for (std::size_t i = 0; i < singles_.size(); ++i) {
      for (std::size_t j = i + 1; j < singles_.size(); ++j)
        for (auto [p, q] : {std::pair{1, 1}, {1, -1}, {2, 1}, {1, 2}, {2, -1}, {1, -2}})
          offer({{singles_[i].terms, p}, {singles_[j].terms, q}},
                2 + (std::abs(p) > 1 || std::abs(q) > 1));
      for (const Atom& s : sums_) {
        offer({{s.terms, 1}, {singles_[i].terms, -1}}, s.complexity + 1);
        offer({{singles_[i].terms, 1}, {s.terms, 1}}, s.complexity + 1);
      }
    }
    for (std::size_t i = 0; i < sums_.size(); ++i)
      for (std::size_t j = i + 1; j < sums_.size(); ++j)
        if (sums_[i].complexity + sums_[j].complexity <= parts_.most_complexity) {
          offer({{sums_[i].terms, 1}, {sums_[j].terms, -1}},
                sums_[i].complexity + sums_[j].complexity);
          offer({{sums_[i].terms, 1}, {sums_[j].terms, 1}},
                sums_[i].complexity + sums_[j].complexity);
        }
  }

  void triples() {
    for (std::size_t i = 0; i < singles_.size(); ++i)
      for (std::size_t j = i + 1; j < singles_.size(); ++j) {
        for (std::size_t k = j + 1; k < singles_.size(); ++k)
          for (auto [p, q, r] : {std::array{1, 1, 1},
                                 {1, 1, -1},
                                 {1, -1, 1},
                                 {-1, 1, 1},
                                 {2, -1, -1},
                                 {-1, 2, -1},
                                 {-1, -1, 2}})
            offer({{singles_[i].terms, p}, {singles_[j].terms, q}, {singles_[k].terms, r}},
                  3 + (std::max({p, q, r}) > 1));
        for (const Atom& s : sums_) {
          if (s.complexity + 2 > parts_.most_complexity) continue;
          for (auto [p, q, r] : {std::array{1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {-1, 1, 1}})
            offer({{singles_[i].terms, p}, {singles_[j].terms, q}, {s.terms, r}}, s.complexity + 2);
        }
      }
  }

  void four_singles() {
    const std::size_t n = singles_.size();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j)
        for (std::size_t k = j + 1; k < n; ++k)
          for (std::size_t l = k + 1; l < n; ++l)
            for (int signs = 0; signs < 8; ++signs)
              offer({{singles_[i].terms, 1},
                     {singles_[j].terms, signs & 1 ? -1 : 1},
                     {singles_[k].terms, signs & 2 ? -1 : 1},
                     {singles_[l].terms, signs & 4 ? -1 : 1}},
                    4);
  }

  void offer(std::vector<ExpressionFactor> factors, int complexity) {
    if (complexity > parts_.most_complexity) return;
    SmallExpression e{std::move(factors), complexity};
    int count = 0;
    for (int v : e.variables()) count += open_.count(v) > 0;
    if (count >= 2) use_(e);
  }

  const ExpressionParts& parts_;
  const std::function<void(const SmallExpression&)>& use_;
  std::set<int> open_;
  std::vector<Atom> singles_, sums_;
};

}  // namespace

double SmallExpression::value(std::span<const double> values, std::vector<double>* gradient) const {
  double product = 1;
  std::vector<double> sums;
  for (const ExpressionFactor& factor : factors) {
    double sum = 0;
    for (const ExpressionTerm& term : factor.terms) {
      double t = term.coefficient;
      for (int v : term.variables) t *= values[v];
      sum += t;
    }
    sums.push_back(sum);
    product *= power_of(sum, factor.power);
  }
  if (!gradient) return product;
  gradient->assign(values.size(), 0);
  for (std::size_t f = 0; f < factors.size(); ++f) {
    double rest = factors[f].power * power_of(sums[f], factors[f].power - 1);
    for (std::size_t k = 0; k < factors.size(); ++k)
      if (k != f) rest *= power_of(sums[k], factors[k].power);
    for (const ExpressionTerm& term : factors[f].terms)
      for (std::size_t a = 0; a < term.variables.size(); ++a) {
        double t = term.coefficient;
        for (std::size_t b = 0; b < term.variables.size(); ++b)
          if (b != a) t *= values[term.variables[b]];
        (*gradient)[term.variables[a]] += rest * t;
      }
  }
  return product;
}

std::string SmallExpression::text(const std::vector<std::string>& names) const {
  std::string above, below;
  int divisors = 0;
  for (const ExpressionFactor& factor : factors) divisors += factor.power < 0;
  for (const ExpressionFactor& factor : factors) {
    std::string& side = factor.power > 0 ? above : below;
    side += (side.empty() ? "" : "*") +
            factor_text(factor, names, factors.size() == 1, factor.power < 0);
  }
  if (below.empty()) return above;
  return (above.empty() ? "1" : above) + "/" + (divisors > 1 ? "(" + below + ")" : below);
}

std::vector<int> SmallExpression::variables() const {
  std::set<int> all;
  for (const ExpressionFactor& factor : factors)
    for (const ExpressionTerm& term : factor.terms)
      all.insert(term.variables.begin(), term.variables.end());
  return {all.begin(), all.end()};
}

void for_each_expression(const ExpressionParts& parts,
                         const std::function<void(const SmallExpression&)>& use) {
  Enumeration(parts, use).run();
}

}  // namespace stiffit::internal
