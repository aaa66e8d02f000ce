// SPDX-License-Identifier: Apache-2.0
#include "estimation/objective/inner_problem.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "estimation/objective/affine_block.h"

namespace stiffit::internal {
namespace {

constexpr double slack = 1e-9;

double slope_of(const std::vector<std::pair<int, double>>& slopes, int unknown) {
  for (auto& [u, slope] : slopes)
    if (u == unknown) return slope;
  return 0;
}

bool same(double x, double y) {
  return std::fabs(x - y) <= slack * (std::fabs(x) + std::fabs(y)) + 1e-300;
}

InnerRole role_of(int u, std::span<const double> va, const std::vector<OutputTerm>& a,
                  std::span<const double> vb, const std::vector<OutputTerm>& b) {
  bool affine = true, factor = true, noise = true, in_value = false, in_noise = false;
  const std::size_t at = u;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double ha = slope_of(a[i].by_value, u), hb = slope_of(b[i].by_value, u);
    const double sa = slope_of(a[i].by_noise, u), sb = slope_of(b[i].by_noise, u);
    // Limits and the tails of a Student t have no closed form.
    const bool plain = a[i].censoring == Censoring::none && a[i].noise_kind != NoiseKind::student_t;
    if (ha != 0 || hb != 0) {
      in_value = true;
      affine &= plain && a[i].noise_kind == NoiseKind::normal && same(ha, hb);
      factor &= plain && a[i].transformation != Transformation::none &&
                a[i].noise_kind == NoiseKind::normal && same(ha * va[at], a[i].value) &&
                same(hb * vb[at], b[i].value);
    }
    if (sa != 0 || sb != 0) {
      in_noise = true;
      noise &= plain && same(sa * va[at], a[i].noise) && same(sb * vb[at], b[i].noise);
    }
  }
  if (in_value == in_noise) return InnerRole::none;
  if (in_noise) return noise ? InnerRole::noise : InnerRole::none;
  return factor ? InnerRole::factor : affine ? InnerRole::affine : InnerRole::none;
}

double logarithm(Transformation t, double x) {
  return t == Transformation::log10 ? std::log10(x) : std::log(x);
}

// One inner solution, kept up to date in the terms while unknowns move one after another.
class Inner {
 public:
  Inner(const std::vector<InnerRole>& roles, const std::vector<int>& candidates,
        std::vector<OutputTerm>& terms, std::span<const double> low, std::span<const double> high,
        std::span<double> values)
      : roles_(roles),
        candidates_(candidates),
        terms_(terms),
        low_(low),
        high_(high),
        values_(values) {
    cut_into_blocks();
  }

  void solve(bool unknown_noise) {
    constexpr int most_rounds = 200;
    for (int round = 0; round < most_rounds; ++round) {
      moved_ = 0;
      for (Block& block : blocks_)
        if (!block.terms.empty()) one_block(block, round == 0);
      for (std::size_t k = 0; k < candidates_.size(); ++k) {
        if (roles_[k] == InnerRole::factor) one_factor(candidates_[k]);
        if (roles_[k] == InnerRole::noise && !unknown_noise) one_noise(candidates_[k]);
      }
      if (moved_ <= 1e-12) return;
    }
  }

 private:
  // Unknowns that meet in measurements, and those measurements.
  struct Block {
    std::vector<int> unknowns;
    std::vector<std::size_t> terms;
    AffineBlock affine;
  };

  void cut_into_blocks() {
    std::vector<int> owner(values_.size(), -1);  // candidates that met carry the same number
    for (std::size_t k = 0; k < candidates_.size(); ++k)
      if (roles_[k] == InnerRole::affine) owner[candidates_[k]] = candidates_[k];
    for (const OutputTerm& term : terms_) {
      int first = -1;
      for (auto& [u, slope] : term.by_value) {
        const int own = owner[u];
        if (own < 0) continue;
        if (first < 0) first = own;
        if (own != first) std::replace(owner.begin(), owner.end(), own, first);
      }
    }
    std::vector<int> block_of(values_.size(), -1), place(values_.size(), -1);
    for (int u : candidates_) {
      const int own = owner[u];
      if (own < 0) continue;
      int& number = block_of[own];
      if (number < 0) {
        number = static_cast<int>(blocks_.size());
        blocks_.emplace_back();
      }
      Block& block = blocks_[number];
      place[u] = static_cast<int>(block.unknowns.size());
      block.unknowns.push_back(u);
      block.affine.low.push_back(low_[u]);
      block.affine.high.push_back(high_[u]);
    }
    for (std::size_t i = 0; i < terms_.size(); ++i) add_row(i, owner, block_of, place);
  }

  void add_row(std::size_t i, const std::vector<int>& owner, const std::vector<int>& block_of,
               const std::vector<int>& place) {
    const OutputTerm& term = terms_[i];
    Block* block = nullptr;
    AffineRow row;
    double size = std::fabs(term.value);
    row.base = term.value;
    for (auto& [u, slope] : term.by_value) {
      const std::size_t at = u;
      if (owner[at] < 0) continue;
      block = &blocks_[block_of[owner[at]]];
      row.slopes.resize(block->unknowns.size(), 0.0);
      row.slopes[place[at]] = slope;
      row.base -= slope * values_[at];
      size += std::fabs(slope * values_[at]);
    }
    if (!block) return;
    if (std::fabs(row.base) < 1e-14 * size) row.base = 0;  // rounding of what cancels
    row.transformation = term.transformation;
    row.measurement = term.measurement;
    block->terms.push_back(i);
    block->affine.rows.push_back(std::move(row));
  }

  void note_move(double value, double old) {
    moved_ = std::max(moved_, std::fabs(value - old) / std::max(std::fabs(value), std::fabs(old)));
  }

  void one_block(Block& block, bool afresh) {
    AffineBlock& affine = block.affine;
    // Weights that only grow or shrink together ask for the same values.
    bool other_weights = afresh;
    const double ratio = terms_[block.terms[0]].noise / affine.rows[0].noise;
    for (std::size_t i = 0; i < block.terms.size(); ++i) {
      const double noise = terms_[block.terms[i]].noise;
      other_weights |= !(std::fabs(noise - ratio * affine.rows[i].noise) <= 1e-13 * noise);
      affine.rows[i].noise = noise;
    }
    if (!other_weights) return;
    affine.values.clear();
    for (int u : block.unknowns) affine.values.push_back(values_[u]);
    affine.solve(afresh);
    for (std::size_t k = 0; k < block.unknowns.size(); ++k) {
      double& value = values_[block.unknowns[k]];
      if (affine.values[k] != value) note_move(affine.values[k], value);
      value = affine.values[k];
    }
    for (std::size_t i = 0; i < block.terms.size(); ++i) {
      const AffineRow& row = affine.rows[i];
      terms_[block.terms[i]].value =
          std::inner_product(row.slopes.begin(), row.slopes.end(), affine.values.begin(), row.base);
    }
  }

  void set(int u, double value) {
    const std::size_t at = u;
    value = std::clamp(value, low_[at], high_[at]);
    const double old = values_[at];
    if (!std::isfinite(value) || value == old) return;
    note_move(value, old);
    for (OutputTerm& term : terms_) {
      if (slope_of(term.by_value, u) != 0) term.value *= value / old;
      if (slope_of(term.by_noise, u) != 0) term.noise *= value / old;
    }
    values_[at] = value;
  }

  // The weighted mean of the gaps between logarithms.
  void one_factor(int u) {
    double sum = 0, weights = 0;
    for (const OutputTerm& term : terms_) {
      if (slope_of(term.by_value, u) == 0) continue;
      const Transformation t = term.transformation;
      const double ln = t == Transformation::log10 ? std::log(10.0) : 1.0;
      const double weight = 1 / (term.noise * term.noise * ln * ln);
      weights += weight;
      sum += weight * ln * (logarithm(t, term.measurement) - logarithm(t, term.value));
    }
    if (weights > 0) set(u, values_[u] * std::exp(sum / weights));
  }

  // The level that makes the residuals as large as they should be.
  void one_noise(int u) {
    double squares = 0, absolute = 0, normal_count = 0, laplace_count = 0;
    for (const OutputTerm& term : terms_) {
      if (slope_of(term.by_noise, u) == 0) continue;
      const Transformation t = term.transformation;
      const double gap = t == Transformation::none
                             ? term.measurement - term.value
                             : logarithm(t, term.measurement) - logarithm(t, term.value);
      const double relative = gap / (term.noise / values_[u]);
      if (term.noise_kind == NoiseKind::normal) {
        squares += relative * relative;
        ++normal_count;
      } else {
        absolute += std::fabs(relative);
        ++laplace_count;
      }
    }
    // N ln s + S/(2 s^2) + M ln s + A/s is least where (N + M) s^2 = S + A s.
    const double count = normal_count + laplace_count;
    if (count == 0) return;
    const double half = 0.5 * absolute / count;
    set(u, half + std::sqrt(half * half + squares / count));
  }

  const std::vector<InnerRole>& roles_;
  const std::vector<int>& candidates_;
  std::vector<OutputTerm>& terms_;
  std::span<const double> low_, high_;
  std::span<double> values_;
  std::vector<Block> blocks_;
  double moved_ = 0;
};

}  // namespace

std::vector<InnerRole> inner_roles(const std::vector<int>& candidates,
                                   std::span<const double> values_a,
                                   const std::vector<OutputTerm>& a,
                                   std::span<const double> values_b,
                                   const std::vector<OutputTerm>& b) {
  std::vector<InnerRole> roles;
  for (int u : candidates) roles.push_back(role_of(u, values_a, a, values_b, b));
  // Noise that depends on a prediction moves with its scales: those stay outside.
  for (std::size_t i = 0; i < a.size(); ++i) {
    bool several = false;  // a product of two factors or noise levels is none of either alone
    int noises = 0, factors = 0;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      noises += roles[k] == InnerRole::noise && slope_of(a[i].by_noise, candidates[k]) != 0;
      factors += roles[k] == InnerRole::factor && slope_of(a[i].by_value, candidates[k]) != 0;
    }
    several = noises > 1 || factors > 1;
    if (!several) continue;
    for (std::size_t k = 0; k < candidates.size(); ++k)
      if ((roles[k] == InnerRole::noise && noises > 1 &&
           slope_of(a[i].by_noise, candidates[k]) != 0) ||
          (roles[k] == InnerRole::factor && factors > 1 &&
           slope_of(a[i].by_value, candidates[k]) != 0))
        roles[k] = InnerRole::none;
  }
  return roles;
}

void solve_inner(const std::vector<InnerRole>& roles, const std::vector<int>& candidates,
                 std::vector<OutputTerm>& terms, std::span<const double> low,
                 std::span<const double> high, bool unknown_noise, std::span<double> values) {
  Inner(roles, candidates, terms, low, high, values).solve(unknown_noise);
}

}  // namespace stiffit::internal
